/*
 * How long do TCP connections last?
 *
 * Words:    connection duration, tcplife, short connections, keepalive, lifespan, connection reuse
 * Area:     network
 * Attaches: each change of the state of a connection
 * Cost:     low – some firings for each connection
 *
 * Nanoseconds from established to closed, by the lower of the two ports, which is mostly
 * that of the service. If both ends are on this machine, both count.
 */

uint64_t since[uintptr_t];

sdt:::inet_sock_set_state
/args[2] == TCP_STATE_ESTABLISHED/
{
	since[arg0] = timestamp;
}

sdt:::inet_sock_set_state
/args[2] == TCP_STATE_CLOSED && since[arg0] != 0/
{
	this->here = ntohs(((struct inet_sock *)args[0])->inet_sport);
	this->there = ntohs(args[0]->__sk_common.skc_dport);
	@life[this->here < this->there ? this->here : this->there] = quantize(timestamp - since[arg0]);
}

sdt:::inet_sock_set_state
/args[2] == TCP_STATE_CLOSED/
{
	since[arg0] = 0;
}
