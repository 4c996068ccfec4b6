/*
 * Who makes threads?
 *
 * Words:    threads, clone, pthread_create, thread pool, leak
 * Area:     processes
 * Attaches: each thread that is made
 * Cost:     low – one firing for each
 *
 * The first thread of a new process counts too.
 */

proc:::lwp-create
{
	@made[execname, pid] = count();
}
