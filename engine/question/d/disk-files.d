/*
 * Which files cause the traffic of the disks?
 *
 * Words:    disk files, hot files, which file, throughput, bytes, busy disk
 * Area:     disk
 * Attaches: the start of each request of the block layer
 * Cost:     medium – a path for each request, thousands a second under load
 *
 * Bytes by file. Blocks of the file system itself belong to none.
 */

io:::start
/args[0]->b_bcount != 0/
{
	@bytes[args[2]->fi_pathname, args[0]->b_flags & B_READ ? "read" : "write"] = sum(args[0]->b_bcount);
}
