/*
 * Which files are read and written most?
 *
 * Words:    busy files, hot files, file io, bytes, throughput, which file, top files
 * Area:     files
 * Attaches: the end of read(2) and write(2)
 * Cost:     medium – a path for each read and write of the machine
 *
 * Bytes that the calls have moved, out of the page cache or not.
 */

syscall::read:entry,
syscall::write:entry,
syscall::pread64:entry,
syscall::pwrite64:entry
{
	self->fd = (int)arg0;
	self->on = 1;
}

syscall::read:return,
syscall::write:return,
syscall::pread64:return,
syscall::pwrite64:return
/self->on && errno == 0/
{
	@bytes[execname, probefunc, fds[self->fd].fi_pathname] = sum(arg0);
}

syscall::read:return,
syscall::write:return,
syscall::pread64:return,
syscall::pwrite64:return
{
	self->fd = 0;
	self->on = 0;
}
