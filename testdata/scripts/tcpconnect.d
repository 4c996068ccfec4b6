#!/usr/bin/env -S dscope trace -s
/*
 * tcpconnect.d - every TCP connection that this machine opens, as it is tried.
 *
 *	dscope trace -s tcpconnect.d
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-20s %5s %7s %-16s %s\n", "TIME", "UID", "PID", "COMMAND", "TO");
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_SYN_SENT/
{
	printf("%-20Y %5d %7d %-16s %s port %d\n", walltimestamp, uid, pid, execname,
	    args[3]->tcps_raddr, args[3]->tcps_rport);
}
