/*
 * Which functions of this process are called most?
 *
 * Words:    function calls, count, hot functions, tracing a program, my program
 * Area:     programs
 * Attaches: every function of the executable, in the process
 * Cost:     high – a breakpoint, a microsecond, for each call of each function
 * Needs:    a process
 */

pid$target:a.out::entry
{
	@calls[probefunc] = count();
}
