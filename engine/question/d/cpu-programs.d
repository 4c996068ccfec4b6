/*
 * Which programs use the CPU?
 *
 * Words:    high cpu, cpu usage, busy, load, top, hot, who burns the processor, processes
 * Area:     CPU
 * Attaches: a timer of each CPU, 97 times a second
 * Cost:     low – 97 firings a second and CPU, however busy the machine is
 *
 * Each row counts samples in which the program was on a CPU: 97 are one CPU for one
 * second. The idle loop counts too, as what has process number 0: it is left out.
 */

profile-97
/pid != 0/
{
	@samples[execname, pid] = count();
}
