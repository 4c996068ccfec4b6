/*
 * What does this process wait for?
 *
 * Words:    off cpu, blocked, hangs, stuck, waits, my program, slow
 * Area:     programs
 * Attaches: each switch between threads
 * Cost:     high – a firing for each switch of the machine; stacks of the process only
 * Needs:    a process
 *
 * The sum of nanoseconds off the CPU, by the stack of the program.
 */

sched:::off-cpu
/pid == $target/
{
	self->ts = timestamp;
}

sched:::on-cpu
/self->ts != 0/
{
	@off[ustack()] = sum(timestamp - self->ts);
	self->ts = 0;
}
