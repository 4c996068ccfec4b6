/*
 * Who sends which signals to whom?
 *
 * Words:    signal, kill, sigterm, sigkill, killed by whom, died
 * Area:     processes
 * Attaches: each signal that is sent
 * Cost:     low – one firing for each
 *
 * The sender, the receiver, and the number: 9 is KILL, 15 TERM, 11 SEGV, 17 CHLD.
 */

proc:::signal-send
{
	@sent[execname, args[1]->pr_fname, args[1]->pr_pid, args[2]] = count();
}
