/*
 * Where in programs do threads wait for one another?
 *
 * Words:    lock stacks, mutex, contention, deadlock, threads blocked, futex, hangs
 * Area:     locks
 * Attaches: begin and end of futex(2)
 * Cost:     medium – two firings and a stack for each
 *
 * The sum of nanoseconds, by the stack of the program.
 */

syscall::futex:entry
{
	self->ts = timestamp;
}

syscall::futex:return
/self->ts != 0/
{
	@wait[execname, ustack()] = sum(timestamp - self->ts);
	self->ts = 0;
}
