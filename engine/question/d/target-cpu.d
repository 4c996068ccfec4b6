/*
 * Where does this process use the CPU?
 *
 * Words:    profile a process, flame graph, hot functions, high cpu, my program
 * Area:     programs
 * Attaches: a timer of each CPU, 199 times a second
 * Cost:     low – 199 firings a second and CPU
 * Needs:    a process
 */

profile-199
/pid == $target/
{
	@samples[stack(), ustack()] = count();
}
