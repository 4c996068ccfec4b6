/*
 * Which system calls are made, and by whom?
 *
 * Words:    syscall count, strace, calls, what does a program do
 * Area:     processes
 * Attaches: the begin of every system call
 * Cost:     high – a firing for each system call of the machine
 */

syscall:::entry
{
	@calls[execname, probefunc] = count();
}
