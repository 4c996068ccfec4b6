/*
 * Are the disks read in order, or here and there?
 *
 * Words:    random, sequential, seek, access pattern, disk
 * Area:     disk
 * Attaches: the start of each request of the block layer
 * Cost:     medium – a firing for each request, thousands a second under load
 *
 * How many blocks of 512 bytes lie between a request and the end of the one before: 0 is
 * in order, far from it is here and there.
 */

int64_t end[string];

io:::start
/args[0]->b_bcount != 0/
{
	this->far = (int64_t)args[0]->b_blkno - end[args[1]->dev_statname];
	@blocks[args[1]->dev_statname] = quantize(this->far);
	end[args[1]->dev_statname] = (int64_t)args[0]->b_blkno + args[0]->b_bcount / 512;
}
