/*
 * Who deletes which files?
 *
 * Words:    delete, unlink, remove, rmdir, lost files, missing file, who deleted
 * Area:     files
 * Attaches: the system calls that delete
 * Cost:     low – one firing for each
 */

/* Some of these x86 has alone. */
#pragma D option zdefs

syscall::unlink:entry,
syscall::rmdir:entry
{
	self->path = arg0;
}

syscall::unlinkat:entry
{
	self->path = arg1;
}

syscall::unlink:return,
syscall::rmdir:return,
syscall::unlinkat:return
/self->path != 0/
{
	@deleted[execname, copyinstr(self->path), errno == 0 ? "deleted" : "refused"] = count();
	self->path = 0;
}
