#!/usr/bin/env -S dscope trace -s
/*
 * iosnoop.d - every request to a disk, as it ends.
 *
 *	dscope trace -s iosnoop.d
 *
 * COMMAND and PID are those of the thread that issued the request: for writes
 * that the page cache has gathered, that is a thread of the kernel.
 *
 * US	microseconds from the issue to the end
 * D	R reads, W writes, F flushes, D discards, ? does something else
 * BLOCK	the first sector, of 512 bytes
 */

#pragma D option quiet

inline int OP_MASK = 0xff;
inline int OP_READ = 0;
inline int OP_WRITE = 1;
inline int OP_FLUSH = 2;
inline int OP_DISCARD = 3;

struct issue {
	uint64_t at;
	pid_t pid;
};

struct issue issued[uintptr_t];
string command[uintptr_t];

dtrace:::BEGIN
{
	printf("%8s %-16s %7s %-8s %s %12s %8s\n", "US", "COMMAND", "PID", "DISK", "D", "BLOCK", "BYTES");
}

sdt:::block_rq_issue
{
	this->rq = (uintptr_t)args[0];
	issued[this->rq].at = timestamp;
	issued[this->rq].pid = pid;
	command[this->rq] = execname;
}

sdt:::block_rq_complete
/issued[(uintptr_t)args[0]].at/
{
	this->rq = (uintptr_t)args[0];
	this->op = args[0]->cmd_flags & OP_MASK;
	printf("%8d %-16s %7d %-8s %s %12d %8d\n",
	    (timestamp - issued[this->rq].at) / 1000, command[this->rq], issued[this->rq].pid,
	    stringof(args[0]->q->disk->disk_name),
	    this->op == OP_READ ? "R" : this->op == OP_WRITE ? "W" : this->op == OP_FLUSH ? "F" : this->op == OP_DISCARD ? "D" : "?",
	    args[0]->__sector, args[2]);
	issued[this->rq] = 0;
	command[this->rq] = 0;
}
