/*
 * Which functions of this process take the time?
 *
 * Words:    function latency, slow functions, time in functions, my program
 * Area:     programs
 * Attaches: entry and return of every function of the executable, in the process
 * Cost:     high – two breakpoints for each call of each function
 * Needs:    a process
 *
 * Nanoseconds from entry to return, those of what a function calls included. Of functions
 * that call themselves only the innermost call is timed.
 */

pid$target:a.out::entry
{
	self->ts[probefunc] = timestamp;
}

pid$target:a.out::return
/self->ts[probefunc] != 0/
{
	@latency[probefunc] = quantize(timestamp - self->ts[probefunc]);
	self->ts[probefunc] = 0;
}
