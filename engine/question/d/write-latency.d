/*
 * Which writes are slow?
 *
 * Words:    slow writes, write latency, latency, disk slow, logging slow, throttled
 * Area:     files
 * Attaches: begin and end of the system calls that write
 * Cost:     medium – two firings for each write of the machine
 */

syscall::write:entry,
syscall::writev:entry,
syscall::pwrite64:entry,
syscall::pwritev:entry,
syscall::pwritev2:entry
{
	self->ts = timestamp;
}

syscall::write:return,
syscall::writev:return,
syscall::pwrite64:return,
syscall::pwritev:return,
syscall::pwritev2:return
/self->ts != 0/
{
	@latency[execname] = quantize(timestamp - self->ts);
	self->ts = 0;
}
