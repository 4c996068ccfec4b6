/*
 * Who makes processes?
 *
 * Words:    fork, clone, new processes, fork bomb, parent, spawn
 * Area:     processes
 * Attaches: each process that is made
 * Cost:     low – one firing for each
 */

proc:::create
{
	@made[execname, pid] = count();
}
