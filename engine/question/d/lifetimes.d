/*
 * How long do processes live?
 *
 * Words:    short lived processes, lifetime, duration, runtime, fork, batch
 * Area:     processes
 * Attaches: begin and end of each process
 * Cost:     low – two firings for each
 *
 * Of processes that began meanwhile; nanoseconds, by the name that they ended under.
 */

proc:::start
{
	began[pid] = timestamp;
}

proc:::exit
/began[pid] != 0/
{
	@life[execname] = quantize(timestamp - began[pid]);
	began[pid] = 0;
}
