/*
 * How much do programs read at a time?
 *
 * Words:    read size, small reads, buffer size, inefficient io
 * Area:     files
 * Attaches: the end of the system calls that read
 * Cost:     medium – a firing for each read of the machine
 *
 * Bytes that came; 0 is the end of a file.
 */

syscall::read:return,
syscall::readv:return,
syscall::pread64:return
/errno == 0/
{
	@bytes[execname] = quantize(arg0);
}
