/*
 * Which threads move from CPU to CPU?
 *
 * Words:    migration, cache, numa, affinity, pinning, balance
 * Area:     scheduler
 * Attaches: each move of a thread to another CPU
 * Cost:     low – some hundred firings a second on a busy machine
 */

sdt:::sched_migrate_task
{
	@moves[stringof(args[0]->comm), args[1]] = count();
}
