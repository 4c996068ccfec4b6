/*
 * How long do the CPUs sleep at a time?
 *
 * Words:    idle, power, c-states, wakeups, battery, sleep of processors
 * Area:     CPU
 * Attaches: each step of a CPU into idleness and out of it
 * Cost:     medium – two firings for each sleep of a CPU, most when it is half busy
 *
 * In nanoseconds, by CPU. Many short sleeps mean that something wakes it often: ask "Which
 * timers fire?".
 */

/* the state of a CPU that is no longer idle */
inline unsigned int AWAKE = 0xffffffff;

sdt:::cpu_idle
/args[0] != AWAKE/
{
	slept[cpu] = timestamp;
}

sdt:::cpu_idle
/args[0] == AWAKE && slept[cpu] != 0/
{
	@sleep[cpu] = quantize(timestamp - slept[cpu]);
	slept[cpu] = 0;
}
