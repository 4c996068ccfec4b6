/*
 * Which programs sleep, and for how long?
 *
 * Words:    sleep, nanosleep, polling, timers, wakeups, delay, usleep
 * Area:     processes
 * Attaches: begin and end of the system calls that sleep
 * Cost:     low – programs call them seldom
 */

syscall::nanosleep:entry,
syscall::clock_nanosleep:entry
{
	self->ts = timestamp;
}

syscall::nanosleep:return,
syscall::clock_nanosleep:return
/self->ts != 0/
{
	@sleep[execname] = quantize(timestamp - self->ts);
	self->ts = 0;
}
