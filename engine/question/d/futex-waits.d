/*
 * How long do threads wait for one another?
 *
 * Words:    locks, mutex, futex, contention, condition variables, threads blocked, slow locks
 * Area:     locks
 * Attaches: begin and end of futex(2)
 * Cost:     medium – two firings for each; none where locks are free
 *
 * Nanoseconds of the calls that wait. Threads of a pool that wait for work are among them.
 */

/* what the call does, below its flags; these two wait */
inline int OPERATION = 0x7f;
inline int FUTEX_WAIT = 0;
inline int FUTEX_WAIT_BITSET = 9;

syscall::futex:entry
/(arg1 & OPERATION) == FUTEX_WAIT || (arg1 & OPERATION) == FUTEX_WAIT_BITSET/
{
	self->ts = timestamp;
}

syscall::futex:return
/self->ts != 0/
{
	@wait[execname] = quantize(timestamp - self->ts);
	self->ts = 0;
}
