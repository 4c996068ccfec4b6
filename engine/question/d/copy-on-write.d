/*
 * Who copies pages after a fork?
 *
 * Words:    copy on write, cow, fork, snapshot, memory growth
 * Area:     memory
 * Attaches: each write to a shared page
 * Cost:     medium – thousands of firings a second while programs start
 */

vminfo:::cow_fault
{
	@copies[execname, pid] = count();
}
