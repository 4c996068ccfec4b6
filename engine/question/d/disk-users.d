/*
 * Which programs read from disks and write to them?
 *
 * Words:    disk usage, iotop, throughput, bandwidth, bytes, who uses the disk, busy disk
 * Area:     disk
 * Attaches: the start of each request of the block layer
 * Cost:     medium – a firing for each request, thousands a second under load
 *
 * Bytes. What the page cache writes later is written by a thread of the kernel, of which
 * it is told then.
 */

io:::start
/args[0]->b_bcount != 0/
{
	@bytes[execname, args[1]->dev_statname, args[0]->b_flags & B_READ ? "read" : "write"] = sum(args[0]->b_bcount);
}
