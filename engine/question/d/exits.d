/*
 * How do processes end?
 *
 * Words:    exit, killed, died, exit status, crashed, core dumped
 * Area:     processes
 * Attaches: the end of each process
 * Cost:     low – one firing for each
 */

proc:::exit
{
	@ends[execname, args[0] == CLD_EXITED ? "by itself" : args[0] == CLD_DUMPED ? "dumped core" : "killed"] = count();
}
