/*
 * Which file systems are slow to read?
 *
 * Words:    file system latency, ext4 slow, xfs slow, nfs slow, vfs, slow reads, mount
 * Area:     files
 * Attaches: entry and return of vfs_read in the kernel
 * Cost:     medium – two firings for each read of the machine
 * Needs:    fbt
 *
 * By kind of file system; pipes and sockets are some too. Where the kernel's functions
 * cannot be probed, "From which files are reads slow?" comes near.
 */

fbt::vfs_read:entry
{
	self->ts = timestamp;
	self->file = args[0];
}

fbt::vfs_read:return
/self->ts != 0/
{
	@latency[stringof(self->file->f_inode->i_sb->s_type->name)] = quantize(timestamp - self->ts);
	self->ts = 0;
	self->file = 0;
}
