/*
 * What do threads wait for?
 *
 * Words:    off cpu stacks, blocked, sleeping, waiting, stuck, hangs, slow, flame graph
 * Area:     scheduler
 * Attaches: each switch between threads
 * Cost:     high – a stack for each switch, ten thousands a second on a busy machine
 *
 * The sum of the nanoseconds that threads were off the CPU, by where in the kernel they
 * left it. Those that wait for work to come are among them, and have the largest sums.
 */

sched:::off-cpu
/pid != 0/
{
	self->ts = timestamp;
}

sched:::on-cpu
/self->ts != 0/
{
	@off[execname, stack()] = sum(timestamp - self->ts);
	self->ts = 0;
}
