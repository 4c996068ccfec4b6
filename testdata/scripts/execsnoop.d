#!/usr/bin/env -S dscope trace -s
/*
 * execsnoop.d - every program that is started, with its arguments.
 *
 *	dscope trace -s execsnoop.d
 *
 * TIME	when the program took the place of the one before it
 * UID	user who runs it
 * PID	process, and PPID the one that made it
 * ARGS	the command line, as far as strsize reaches
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-20s %5s %7s %7s %s\n", "TIME", "UID", "PID", "PPID", "ARGS");
}

proc:::exec-success
{
	printf("%-20Y %5d %7d %7d %s\n", walltimestamp, uid, pid, ppid, execargs);
}
