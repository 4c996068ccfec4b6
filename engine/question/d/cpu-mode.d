/*
 * Is the CPU time spent in programs or in the kernel?
 *
 * Words:    system time, user time, sys, kernel time, cpu usage, mode
 * Area:     CPU
 * Attaches: a timer of each CPU, 97 times a second
 * Cost:     low – 97 firings a second and CPU, however busy the machine is
 *
 * Much time in the kernel asks for "Where in the kernel does the CPU time go?", the rest
 * for "Which functions of programs use the CPU?".
 */

profile-97
/pid != 0/
{
	@samples[execname, arg0 != 0 ? "kernel" : "program"] = count();
}
