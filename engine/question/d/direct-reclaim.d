/*
 * Who has to free memory before it gets some?
 *
 * Words:    reclaim, memory pressure, stalls, low memory, thrashing, slow allocation, psi
 * Area:     memory
 * Attaches: begin and end of each such search, of the machine and of a group
 * Cost:     low – nothing fires while memory is free
 *
 * Nanoseconds that the program waited. Rows mean that the machine, or a group with a
 * limit, is short of memory.
 */

sdt:::mm_vmscan_direct_reclaim_begin,
sdt:::mm_vmscan_memcg_reclaim_begin
{
	self->ts = timestamp;
}

sdt:::mm_vmscan_direct_reclaim_end,
sdt:::mm_vmscan_memcg_reclaim_end
/self->ts != 0/
{
	@wait[execname, probename] = quantize(timestamp - self->ts);
	self->ts = 0;
}
