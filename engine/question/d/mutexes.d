/*
 * For which mutexes does this process wait?
 *
 * Words:    plockstat, mutex contention, pthread, user locks, threads blocked, my program
 * Area:     programs
 * Attaches: the locks of the C library, in the process
 * Cost:     high – a breakpoint for each time that a mutex is taken
 * Needs:    a process
 *
 * Nanoseconds of waiting, by the stack that wanted the mutex.
 */

plockstat$target:::mutex-block
{
	self->ts = timestamp;
}

plockstat$target:::mutex-blocked
/self->ts != 0/
{
	@wait[ustack()] = quantize(timestamp - self->ts);
	self->ts = 0;
}
