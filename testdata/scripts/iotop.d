#!/usr/bin/env -S dscope trace -s
/*
 * iotop.d - the processes that move most bytes to and from disks, every five
 * seconds.
 *
 *	dscope trace -s iotop.d [rows]
 */

#pragma D option quiet
#pragma D option defaultargs

inline int ROWS = $1 ? $1 : 10;

sdt:::block_rq_issue
{
	this->op = args[0]->cmd_flags & 0xff;
}

sdt:::block_rq_issue
/this->op < 2/
{
	@bytes[pid, execname, stringof(args[0]->q->disk->disk_name), this->op ? "W" : "R"] = sum(args[0]->__data_len);
	@requests[this->op ? "W" : "R"] = count();
}

profile:::tick-5s,
dtrace:::END
{
	printf("%Y", walltimestamp);
	printa("  %s: %@d requests", @requests);
	printf("\n%7s %-16s %-8s %s %12s\n", "PID", "COMMAND", "DISK", "D", "BYTES");
	trunc(@bytes, ROWS);
	printa("%7d %-16s %-8s %s %@12d\n", @bytes);
	printf("\n");
	trunc(@bytes);
	trunc(@requests);
}
