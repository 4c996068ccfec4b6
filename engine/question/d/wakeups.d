/*
 * Who wakes whom?
 *
 * Words:    wakeups, waker, dependencies, ping pong, chatter, scheduler
 * Area:     scheduler
 * Attaches: each wakeup of a thread
 * Cost:     high – ten thousands of firings a second on a busy machine
 *
 * The program that wakes, then the one that is woken. Wakeups from interrupts are told of
 * the program that was interrupted.
 */

sched:::wakeup
{
	@wakeups[execname, args[1]->pr_fname] = count();
}
