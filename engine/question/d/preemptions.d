/*
 * Who is put off the CPU while it could go on?
 *
 * Words:    involuntary context switches, preempt, contention for cpu, noisy neighbour
 * Area:     scheduler
 * Attaches: each thread that is made to leave
 * Cost:     low – one firing for each
 */

sched:::preempt
{
	@preempted[execname, pid] = count();
}
