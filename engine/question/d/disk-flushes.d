/*
 * How long do disks take to write their cache out?
 *
 * Words:    flush, write cache, barrier, journal commit, slow commit, flush latency
 * Area:     disk
 * Attaches: begin and end of each request of the block layer
 * Cost:     medium – two firings for each request, two or three steps unless it is a flush
 *
 * Nanoseconds, by disk. Whoever asks that data be safe waits for such a flush.
 */

uint64_t since[uintptr_t];

sdt:::block_rq_issue
/(args[0]->cmd_flags & 0xff) == REQ_OP_FLUSH/
{
	since[arg0] = timestamp;
}

sdt:::block_rq_complete
/since[arg0] != 0/
{
	@flush[stringof(args[0]->q->disk->disk_name)] = quantize(timestamp - since[arg0]);
	since[arg0] = 0;
}
