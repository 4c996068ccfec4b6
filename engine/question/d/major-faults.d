/*
 * Who waits for pages from a disk?
 *
 * Words:    major faults, swap, paging, mapped files, slow memory, thrashing
 * Area:     memory
 * Attaches: each page fault that has to read
 * Cost:     medium – the return of each page fault, of which few are counted
 * Needs:    fbt
 */

vminfo:::maj_fault
{
	@faults[execname, pid] = count();
}
