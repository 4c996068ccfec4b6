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

enum operation {
	OP_MASK = 0xff,
	OP_READ = 0,
	OP_WRITE = 1,
	OP_FLUSH = 2,
	OP_DISCARD = 3
};

struct issue {
	uint64_t at;
	pid_t pid;
	string command;
};

struct issue issued[uintptr_t];

dtrace:::BEGIN
{
	printf("%8s %-16s %7s %-8s %s %12s %8s\n", "US", "COMMAND", "PID", "DISK", "D", "BLOCK", "BYTES");
}

sdt:::block_rq_issue
{
	issued[(uintptr_t)args[0]].at = timestamp;
	issued[(uintptr_t)args[0]].pid = pid;
	issued[(uintptr_t)args[0]].command = execname;
}

sdt:::block_rq_complete
/issued[(uintptr_t)args[0]].at/
{
	this->rq = args[0];
	this->i = (uintptr_t)args[0];
	this->op = this->rq->cmd_flags & OP_MASK;
	printf("%8d %-16s %7d %-8s %s %12d %8d\n",
	    (timestamp - issued[this->i].at) / 1000, issued[this->i].command, issued[this->i].pid,
	    stringof(this->rq->q->disk->disk_name),
	    this->op == OP_READ ? "R" : this->op == OP_WRITE ? "W" : this->op == OP_FLUSH ? "F" : this->op == OP_DISCARD ? "D" : "?",
	    this->rq->__sector, args[2]);
	issued[this->i] = 0;
}
