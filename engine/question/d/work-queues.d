/*
 * What do the kernel's workers do, and how long does it take?
 *
 * Words:    kworker, workqueue, background work, kernel threads
 * Area:     scheduler
 * Attaches: begin and end of each piece of work
 * Cost:     medium – two firings for each piece, thousands a second under load
 */

sdt:::workqueue_execute_start
{
	self->work = (uintptr_t)args[0]->func;
	self->ts = timestamp;
}

sdt:::workqueue_execute_end
/self->ts != 0/
{
	@time[func(self->work)] = quantize(timestamp - self->ts);
	self->ts = 0;
	self->work = 0;
}
