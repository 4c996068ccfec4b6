#!/usr/bin/env -S dscope trace -s
/*
 * opensnoop.d - every file that is opened, and every failure to.
 *
 *	dscope trace -s opensnoop.d
 *
 * FD	the descriptor, or -1
 * ERR	errno: 2 is "no such file", 13 "permission denied"
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%5s %7s %-16s %4s %3s %s\n", "UID", "PID", "COMMAND", "FD", "ERR", "PATH");
}

syscall::open:entry,
syscall::creat:entry
{
	self->path = arg0;
}

syscall::openat:entry,
syscall::openat2:entry
{
	self->path = arg1;
}

/*
 * The path is read at the return: by then the kernel itself has touched the
 * page that it lies in.
 */
syscall::open:return,
syscall::creat:return,
syscall::openat:return,
syscall::openat2:return
/self->path/
{
	printf("%5d %7d %-16s %4d %3d %s\n", uid, pid, execname, errno ? -1 : (int)arg0, errno, copyinstr(self->path));
	self->path = 0;
}
