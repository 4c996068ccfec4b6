/*
 * Which code of programs touches new memory?
 *
 * Words:    page fault stacks, memory growth, who allocates, resident, leak
 * Area:     memory
 * Attaches: each page fault
 * Cost:     medium – a stack for each fault, ten thousands a second while programs start
 */

vminfo:::as_fault
{
	@faults[execname, ustack()] = count();
}
