/*
 * Which requests do disks refuse?
 *
 * Words:    disk errors, io error, eio, bad blocks, failing disk, medium error
 * Area:     disk
 * Attaches: the end of each request of the block layer
 * Cost:     medium – a firing for each request, thousands a second under load
 *
 * By disk and number of the error; 5 is EIO.
 */

io:::done
/args[0]->b_error != 0/
{
	@errors[args[1]->dev_statname, args[0]->b_error] = count();
}
