/*
 * How long do threads wait for the map of their memory?
 *
 * Words:    mmap_lock, mmap_sem, address space lock, page faults slow, threads blocked
 * Area:     locks
 * Attaches: begin and end of each wait for the lock of an address space
 * Cost:     high – two firings each time it is taken
 */

sdt:::mmap_lock_start_locking
{
	self->ts = timestamp;
}

sdt:::mmap_lock_acquire_returned
/self->ts != 0/
{
	@wait[execname, args[1] ? "to change" : "to read"] = quantize(timestamp - self->ts);
	self->ts = 0;
}
