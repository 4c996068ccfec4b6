/*
 * How long do threads wait for a CPU?
 *
 * Words:    run queue latency, scheduler delay, cpu saturation, overload, waiting to run, starved
 * Area:     scheduler
 * Attaches: each wakeup and each switch between threads
 * Cost:     high – a firing for each switch, ten thousands a second on a busy machine
 *
 * From the wakeup of a thread, or from its being put off while it could have gone on,
 * until it runs: nanoseconds, by program. A wait of many milliseconds means that there are
 * more threads than CPUs for them.
 */

uint64_t ready[pid_t];

sdt:::sched_wakeup,
sdt:::sched_wakeup_new
{
	ready[args[0]->pid] = timestamp;
}

sdt:::sched_switch
/args[1]->pid != 0 && (args[0] || args[3] == 0)/
{
	ready[args[1]->pid] = timestamp;
}

sdt:::sched_switch
/ready[args[2]->pid] != 0/
{
	@wait[stringof(args[2]->comm)] = quantize(timestamp - ready[args[2]->pid]);
	ready[args[2]->pid] = 0;
}
