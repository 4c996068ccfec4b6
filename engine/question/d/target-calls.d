/*
 * Which system calls of this process take the time?
 *
 * Words:    strace, syscall latency, slow calls, my program, what does it do
 * Area:     programs
 * Attaches: begin and end of every system call
 * Cost:     medium – two firings for each call of the machine; only those of the process are kept
 * Needs:    a process
 */

syscall:::entry
/pid == $target/
{
	self->ts = timestamp;
}

syscall:::return
/self->ts != 0/
{
	@latency[probefunc] = quantize(timestamp - self->ts);
	self->ts = 0;
}
