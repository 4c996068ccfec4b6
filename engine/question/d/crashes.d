/*
 * Where do programs crash?
 *
 * Words:    crash, segfault, sigsegv, abort, assertion failed, bus error, core dump
 * Area:     processes
 * Attaches: each signal as a process takes it
 * Cost:     low – one firing for each signal, and a stack for each fault
 *
 * The stack of the program as it meets the fault: signals 4 (illegal instruction),
 * 6 (abort), 7 (bus error), 8 (arithmetic) and 11 (memory). Who gets over a signal by a
 * handler of its own is counted too.
 */

sdt:::signal_deliver
/args[0] == SIGILL || args[0] == SIGABRT || args[0] == SIGBUS || args[0] == SIGFPE || args[0] == SIGSEGV/
{
	@crashes[execname, args[0], ustack()] = count();
}
