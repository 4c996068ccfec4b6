/*
 * Which files are opened, and by whom?
 *
 * Words:    open, opensnoop, config files, which file, access
 * Area:     files
 * Attaches: begin and end of the system calls that open
 * Cost:     medium – two firings and a path for each open
 */

/* Some of these x86 has alone. */
#pragma D option zdefs

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

/* The path is read at the return: by then the kernel has touched the page that it lies in. */
syscall::open:return,
syscall::creat:return,
syscall::openat:return,
syscall::openat2:return
/self->path != 0/
{
	@opens[execname, copyinstr(self->path)] = count();
	self->path = 0;
}
