#!/usr/bin/env -S dscope trace -s
/*
 * rwsnoop.d - every read and write of a descriptor, with what it names.
 *
 *	dscope trace -s rwsnoop.d
 *
 * D	R reads, W writes
 * BYTES	moved, or -1 with an error
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("%5s %7s %-16s %s %8s %4s %s\n", "UID", "PID", "COMMAND", "D", "BYTES", "FD", "FILE");
}

syscall::read:entry,
syscall::readv:entry,
syscall::pread64:entry,
syscall::preadv:entry,
syscall::write:entry,
syscall::writev:entry,
syscall::pwrite64:entry,
syscall::pwritev:entry
{
	self->fd = arg0;
	self->on = 1;
}

syscall::read:return,
syscall::readv:return,
syscall::pread64:return,
syscall::preadv:return,
syscall::write:return,
syscall::writev:return,
syscall::pwrite64:return,
syscall::pwritev:return
/self->on/
{
	printf("%5d %7d %-16s %s %8d %4d %s\n", uid, pid, execname, strstr(probefunc, "read") != NULL ? "R" : "W",
	    (int)arg0, self->fd, fds[self->fd].fi_pathname);
	self->on = 0;
}
