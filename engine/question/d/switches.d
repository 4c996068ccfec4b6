/*
 * Which programs switch most often?
 *
 * Words:    context switches, voluntary, cs, scheduler, rate
 * Area:     scheduler
 * Attaches: each switch between threads
 * Cost:     high – ten thousands of firings a second on a busy machine
 */

sched:::off-cpu
/pid != 0/
{
	@switches[execname, pid] = count();
}
