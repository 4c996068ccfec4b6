/*
 * Which reads are slow?
 *
 * Words:    slow reads, read latency, latency, disk slow, file slow, reading hangs, pipe
 * Area:     files
 * Attaches: begin and end of the system calls that read
 * Cost:     medium – two firings for each read of the machine
 *
 * Nanoseconds, by program, of reads from files, pipes, terminals and sockets alike. Then:
 * "From which files are reads slow?".
 */

syscall::read:entry,
syscall::readv:entry,
syscall::pread64:entry,
syscall::preadv:entry,
syscall::preadv2:entry
{
	self->ts = timestamp;
}

syscall::read:return,
syscall::readv:return,
syscall::pread64:return,
syscall::preadv:return,
syscall::preadv2:return
/self->ts != 0/
{
	@latency[execname] = quantize(timestamp - self->ts);
	self->ts = 0;
}
