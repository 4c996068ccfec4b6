/*
 * Which programs fault pages in?
 *
 * Words:    page faults, minor faults, memory growth, touching memory
 * Area:     memory
 * Attaches: each page fault
 * Cost:     medium – ten thousands of firings a second while programs start
 */

vminfo:::as_fault
{
	@faults[execname, pid] = count();
}
