/*
 * How long are threads off the CPU at a time?
 *
 * Words:    blocked, sleeping, waiting, off cpu, idle threads, stuck, hangs
 * Area:     scheduler
 * Attaches: each switch between threads
 * Cost:     high – two firings for each switch, ten thousands a second on a busy machine
 *
 * In nanoseconds, whatever the thread waited for: a disk, a lock, a message, or its turn.
 */

sched:::off-cpu
/pid != 0/
{
	self->ts = timestamp;
}

sched:::on-cpu
/self->ts != 0/
{
	@off[execname] = quantize(timestamp - self->ts);
	self->ts = 0;
}
