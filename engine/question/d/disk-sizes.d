/*
 * How large are the requests to the disks?
 *
 * Words:    io size, request size, small writes, block size, disk
 * Area:     disk
 * Attaches: the start of each request of the block layer
 * Cost:     medium – a firing for each request, thousands a second under load
 */

io:::start
/args[0]->b_bcount != 0/
{
	@bytes[execname, args[1]->dev_statname] = quantize(args[0]->b_bcount);
}
