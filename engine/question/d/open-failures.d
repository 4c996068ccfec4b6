/*
 * Which files cannot be opened?
 *
 * Words:    file not found, enoent, permission denied, missing files, config not found, open errors
 * Area:     files
 * Attaches: begin and end of the system calls that open
 * Cost:     medium – two firings for each open
 *
 * The last column is errno: 2 is "no such file", 13 "permission denied", 24 "too many
 * open files".
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

syscall::open:return,
syscall::creat:return,
syscall::openat:return,
syscall::openat2:return
/self->path != 0 && errno != 0/
{
	@failures[execname, copyinstr(self->path), errno] = count();
}

syscall::open:return,
syscall::creat:return,
syscall::openat:return,
syscall::openat2:return
{
	self->path = 0;
}
