#!/usr/bin/env -S dscope trace -s
/*
 * offcpu.d - where threads sleep, and how long in all, by kernel stack.
 *
 *	dscope trace -s offcpu.d [command]
 *
 * The stack is taken where the thread goes on, which is where it went to
 * sleep; the probe that tells that came with Linux 6.14. Times are microseconds; those below ten are left out.
 */

#pragma D option quiet
#pragma D option defaultargs
#pragma D option stackframes=20

rawtp:::sched_entry_tp
/pid != 0 && ($$1 == "" || execname == $$1)/
{
	self->off = timestamp;
}

rawtp:::sched_exit_tp
/self->off != 0/
{
	this->us = (timestamp - self->off) / 1000;
	self->off = 0;
}

rawtp:::sched_exit_tp
/this->us >= 10/
{
	@us[execname, stack()] = sum(this->us);
}

dtrace:::END
{
	trunc(@us, 20);
	printa("%s%k%@20d us\n\n", @us);
}
