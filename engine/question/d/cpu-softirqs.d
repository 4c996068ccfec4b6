/*
 * How long do soft interrupts take?
 *
 * Words:    softirq, ksoftirqd, network receive, rcu, timer, stolen time, jitter, latency
 * Area:     CPU
 * Attaches: begin and end of each soft interrupt
 * Cost:     medium – two firings for each, thousands a second and CPU under load
 *
 * In nanoseconds, by kind. NET_RX is packets that come in, BLOCK the ends of disk requests.
 */

inline string KIND[int n] = n == 0 ? "HI" : n == 1 ? "TIMER" : n == 2 ? "NET_TX" : n == 3 ? "NET_RX" : n == 4 ? "BLOCK" :
    n == 5 ? "IRQ_POLL" : n == 6 ? "TASKLET" : n == 7 ? "SCHED" : n == 8 ? "HRTIMER" : n == 9 ? "RCU" : "other";

sdt:::softirq_entry
{
	began[cpu] = timestamp;
}

sdt:::softirq_exit
/began[cpu] != 0/
{
	@time[KIND[args[0]]] = quantize(timestamp - began[cpu]);
	began[cpu] = 0;
}
