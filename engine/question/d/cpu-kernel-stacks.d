/*
 * Where in the kernel does the CPU time go?
 *
 * Words:    kernel stacks, profile, flame graph, hot kernel functions, system time, sys
 * Area:     CPU
 * Attaches: a timer of each CPU, 97 times a second
 * Cost:     low – 97 stacks a second and CPU
 */

profile-97
/arg0 != 0 && pid != 0/
{
	@samples[execname, stack()] = count();
}
