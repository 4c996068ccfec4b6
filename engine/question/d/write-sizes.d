/*
 * How much do programs write at a time?
 *
 * Words:    write size, small writes, buffer size, inefficient io, unbuffered
 * Area:     files
 * Attaches: the end of the system calls that write
 * Cost:     medium – a firing for each write of the machine
 */

syscall::write:return,
syscall::writev:return,
syscall::pwrite64:return
/errno == 0/
{
	@bytes[execname] = quantize(arg0);
}
