/*
 * How long do page faults take?
 *
 * Words:    page fault latency, slow page faults, swap in, swapping, memory stalls
 * Area:     memory
 * Attaches: begin and end of the function of the kernel that answers a fault
 * Cost:     medium – two firings for each fault
 * Needs:    fbt
 *
 * Nanoseconds, by program. The long ones wait for a disk: for a file that is mapped, or
 * for what was swapped out.
 */

fbt::handle_mm_fault:entry
{
	self->ts = timestamp;
}

fbt::handle_mm_fault:return
/self->ts != 0/
{
	@latency[execname] = quantize(timestamp - self->ts);
	self->ts = 0;
}
