/*
 * Which functions of programs use the CPU?
 *
 * Words:    user stacks, profile, flame graph, hot functions, hot code, high cpu
 * Area:     CPU
 * Attaches: a timer of each CPU, 97 times a second
 * Cost:     low – 97 stacks a second and CPU
 *
 * Frames are found by frame pointers or by the tables of the program; names need symbols.
 */

profile-97
/arg1 != 0 && pid != 0/
{
	@samples[execname, ustack()] = count();
}
