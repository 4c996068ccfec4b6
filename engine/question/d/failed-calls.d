/*
 * Which system calls fail?
 *
 * Words:    errors, errno, failing, eagain, eperm, enoent, syscall errors, errinfo
 * Area:     processes
 * Attaches: the end of every system call
 * Cost:     high – a firing for each system call of the machine
 *
 * The last column is errno; 11 is "try again", which is no fault.
 */

syscall:::return
/errno != 0/
{
	@failed[execname, probefunc, errno] = count();
}
