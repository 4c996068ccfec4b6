/*
 * How long do requests wait before a disk gets them?
 *
 * Words:    disk queue, io scheduler, saturation, backlog, storage slow, queueing
 * Area:     disk
 * Attaches: each request as it is queued and as it is given to the device
 * Cost:     medium – two firings for each request, thousands a second under load
 *
 * Nanoseconds in the queue of the I/O scheduler, by program. A disk that has no scheduler
 * has no queue, and no rows.
 */

sdt:::block_rq_insert
{
	queued[(uintptr_t)args[0]] = timestamp;
}

sdt:::block_rq_issue
/queued[(uintptr_t)args[0]] != 0/
{
	@wait[execname] = quantize(timestamp - queued[(uintptr_t)args[0]]);
	queued[(uintptr_t)args[0]] = 0;
}
