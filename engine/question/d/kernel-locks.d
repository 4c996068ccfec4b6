/*
 * For which locks of the kernel do threads wait?
 *
 * Words:    kernel lock contention, mutex, semaphore, spinlock, rwlock, lockstat, scalability
 * Area:     locks
 * Attaches: begin and end of each wait for a lock that is held
 * Cost:     medium – nothing fires while locks are free
 *
 * Nanoseconds, by program and by the function that wanted the lock.
 */

sdt:::contention_begin
{
	self->ts = timestamp;
}

sdt:::contention_end
/self->ts != 0/
{
	@wait[execname, stack(6)] = quantize(timestamp - self->ts);
	self->ts = 0;
}
