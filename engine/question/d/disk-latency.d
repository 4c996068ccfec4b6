/*
 * How long do the disks take?
 *
 * Words:    disk latency, disk slow, slow reads from disk, io latency, storage, await, iostat
 * Area:     disk
 * Attaches: start and end of each request of the block layer
 * Cost:     medium – two firings for each request, thousands a second under load
 *
 * Nanoseconds from the start of a request to its end, by disk and direction. What a
 * program waits for is more than this if it reads through a file system, and nothing at
 * all if the page cache has it: ask "Which reads are slow?".
 */

io:::start
{
	began[arg0] = timestamp;
}

io:::done
/began[arg0] != 0/
{
	@latency[args[1]->dev_statname, args[0]->b_flags & B_READ ? "read" : args[0]->b_flags & B_WRITE ? "write" : "order"] = quantize(timestamp - began[arg0]);
	began[arg0] = 0;
}
