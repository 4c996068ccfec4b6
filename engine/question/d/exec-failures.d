/*
 * Which programs cannot be started?
 *
 * Words:    exec failed, command not found, cannot start, exec error, path search
 * Area:     processes
 * Attaches: each attempt to start a program that fails
 * Cost:     low – one firing for each
 *
 * By who tried and the error: 2 is no such file, 8 no program, 13 permission denied.
 * Whoever searches the folders of PATH fails in most of them.
 */

proc:::exec-failure
{
	@failures[execname, args[0]] = count();
}
