/*
 * How long do interrupts of devices take?
 *
 * Words:    irq, interrupt handlers, hardware, stolen time, latency, jitter
 * Area:     CPU
 * Attaches: begin and end of each handler of an interrupt
 * Cost:     medium – two firings for each interrupt of a device, thousands a second under load
 *
 * The time of each handler, in nanoseconds, by what is registered for it. Timers are no
 * interrupts of devices.
 */

sdt:::irq_handler_entry
{
	began[cpu] = timestamp;
}

sdt:::irq_handler_exit
/began[cpu] != 0/
{
	@time[stringof(args[1]->name)] = quantize(timestamp - began[cpu]);
	began[cpu] = 0;
}
