/*
 * From which files are reads slow?
 *
 * Words:    slow reads by file, read latency, which file, pipe, slow file, path
 * Area:     files
 * Attaches: begin and end of the system calls that read
 * Cost:     medium – two firings and a path for each read of the machine
 */

syscall::read:entry,
syscall::readv:entry,
syscall::pread64:entry,
syscall::preadv:entry,
syscall::preadv2:entry
{
	self->ts = timestamp;
	self->fd = (int)arg0;
}

syscall::read:return,
syscall::readv:return,
syscall::pread64:return,
syscall::preadv:return,
syscall::preadv2:return
/self->ts != 0/
{
	@latency[execname, fds[self->fd].fi_pathname] = quantize(timestamp - self->ts);
	self->ts = 0;
	self->fd = 0;
}
