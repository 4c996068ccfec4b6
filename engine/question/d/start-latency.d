/*
 * How long does it take to start a program?
 *
 * Words:    slow start, fork latency, exec latency, slow fork, startup, spawn latency
 * Area:     processes
 * Attaches: begin and end of the system calls that copy a process or load a program
 * Cost:     low – two firings for each
 *
 * Nanoseconds, by program and call. The larger a process, the longer its copying takes.
 */

/* Some of these x86 has alone. */
#pragma D option zdefs

syscall::fork:entry,
syscall::vfork:entry,
syscall::clone:entry,
syscall::clone3:entry,
syscall::execve:entry
{
	self->ts = timestamp;
}

syscall::fork:return,
syscall::vfork:return,
syscall::clone:return,
syscall::clone3:return,
syscall::execve:return
/self->ts != 0/
{
	@latency[execname, probefunc] = quantize(timestamp - self->ts);
	self->ts = 0;
}
