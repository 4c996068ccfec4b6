/*
 * Which system calls are slow?
 *
 * Words:    syscall latency, slow calls, strace, waiting, latency, what is slow
 * Area:     processes
 * Attaches: begin and end of every system call
 * Cost:     high – two firings for each system call of the machine
 *
 * Calls that wait are slow because they wait: look for those that should not.
 */

syscall:::entry
{
	self->ts = timestamp;
}

syscall:::return
/self->ts != 0/
{
	@latency[probefunc, execname] = quantize(timestamp - self->ts);
	self->ts = 0;
}
