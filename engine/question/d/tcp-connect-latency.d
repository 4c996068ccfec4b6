/*
 * How long does connecting take?
 *
 * Words:    connect latency, slow connect, handshake, network latency, timeouts, slow network
 * Area:     network
 * Attaches: begin and end of connect(2)
 * Cost:     low – programs connect seldom
 *
 * A socket that does not block is back at once, with errno 115.
 */

syscall::connect:entry
{
	self->ts = timestamp;
}

syscall::connect:return
/self->ts != 0/
{
	@latency[execname, errno] = quantize(timestamp - self->ts);
	self->ts = 0;
}
