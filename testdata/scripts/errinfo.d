#!/usr/bin/env -S dscope trace -s
/*
 * errinfo.d - which system calls fail, in whom, and with what.
 *
 *	dscope trace -s errinfo.d
 *
 * Ends with ctrl-c and prints the rarest first, so that the worst stand right
 * above the prompt.
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("counting failed system calls; ctrl-c ends\n");
}

syscall:::return
/errno != 0/
{
	@[execname, probefunc, errno] = count();
}

dtrace:::END
{
	printf("%-16s %-22s %5s %10s\n", "COMMAND", "SYSCALL", "ERRNO", "COUNT");
	printa("%-16s %-22s %5d %@10d\n", @);
}
