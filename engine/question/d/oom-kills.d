/*
 * Who asks for memory when the kernel has to kill for it?
 *
 * Words:    oom, out of memory, killer, killed, memory limit, container died
 * Area:     memory
 * Attaches: each choice of a victim
 * Cost:     low – fires at each kill only
 *
 * Who asked for the memory that was not there is seldom who is killed: of that the log of
 * the kernel tells.
 */

sdt:::mark_victim
{
	@kills[execname, pid] = count();
}
