/*
 * How long do programs wait for disks?
 *
 * Words:    iowait, io wait, blocked on disk, stalled, disk slow, hangs
 * Area:     disk
 * Attaches: begin and end of each wait of a thread for a disk
 * Cost:     medium – two firings for each wait
 */

io:::wait-start
{
	self->ts = timestamp;
}

io:::wait-done
/self->ts != 0/
{
	@wait[execname] = quantize(timestamp - self->ts);
	self->ts = 0;
}
