/*
 * How long do threads run at a time?
 *
 * Words:    time slice, on cpu, bursts, scheduler, quantum
 * Area:     scheduler
 * Attaches: each switch between threads
 * Cost:     high – two firings for each switch, ten thousands a second on a busy machine
 */

sched:::on-cpu
{
	self->ts = timestamp;
}

sched:::off-cpu
/self->ts != 0 && pid != 0/
{
	@run[execname] = quantize(timestamp - self->ts);
	self->ts = 0;
}
