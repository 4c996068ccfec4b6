#!/usr/bin/env -S dscope trace -s
/*
 * runqlat.d - how long threads wait for a CPU once they could run, in
 * microseconds, by program.
 *
 *	dscope trace -s runqlat.d
 *
 * A thread waits from its wakeup, or from being put off the CPU while it
 * could have gone on, until it is switched to.
 */

#pragma D option quiet

uint64_t ready[pid_t];

sdt:::sched_wakeup,
sdt:::sched_wakeup_new
{
	ready[args[0]->pid] = timestamp;
}

sdt:::sched_switch
/(args[0] || args[3] == 0) && args[1]->pid != 0/
{
	ready[args[1]->pid] = timestamp;
}

sdt:::sched_switch
/ready[args[2]->pid] != 0/
{
	@wait[stringof(args[2]->comm)] = quantize((timestamp - ready[args[2]->pid]) / 1000);
	ready[args[2]->pid] = 0;
}

dtrace:::END
{
	printf("microseconds in the run queue\n");
	printa(@wait);
}
