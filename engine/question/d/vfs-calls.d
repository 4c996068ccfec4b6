/*
 * What is asked of the file systems?
 *
 * Words:    vfs, file operations, file system load, kernel functions
 * Area:     files
 * Attaches: entry of all functions of the kernel that begin with vfs_
 * Cost:     medium – a firing for each operation on a file
 * Needs:    fbt
 */

fbt::vfs_*:entry
{
	@calls[probefunc, execname] = count();
}
