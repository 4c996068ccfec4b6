/*
 * Are names and attributes of files slow?
 *
 * Words:    stat, metadata, slow ls, directory, rename, nfs slow, lookup, slow open
 * Area:     files
 * Attaches: begin and end of the system calls about names and attributes
 * Cost:     medium – two firings for each of the calls
 */

/* Some of these x86 has alone. */
#pragma D option zdefs

syscall::open:entry,
syscall::openat:entry,
syscall::openat2:entry,
syscall::newfstatat:entry,
syscall::statx:entry,
syscall::access:entry,
syscall::faccessat2:entry,
syscall::getdents64:entry,
syscall::rename:entry,
syscall::renameat2:entry,
syscall::unlink:entry,
syscall::unlinkat:entry,
syscall::mkdir:entry
{
	self->ts = timestamp;
}

syscall::open:return,
syscall::openat:return,
syscall::openat2:return,
syscall::newfstatat:return,
syscall::statx:return,
syscall::access:return,
syscall::faccessat2:return,
syscall::getdents64:return,
syscall::rename:return,
syscall::renameat2:return,
syscall::unlink:return,
syscall::unlinkat:return,
syscall::mkdir:return
/self->ts != 0/
{
	@latency[probefunc, execname] = quantize(timestamp - self->ts);
	self->ts = 0;
}
