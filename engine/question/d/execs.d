/*
 * Which programs are started, and by whom?
 *
 * Words:    new processes, exec, execsnoop, short lived, cron, scripts, spawn
 * Area:     processes
 * Attaches: each program that is started
 * Cost:     low – one firing for each
 *
 * The command line, and the process that made the one that runs it.
 */

proc:::exec-success
{
	@started[execargs, curpsinfo->pr_ppid, uid] = count();
}
