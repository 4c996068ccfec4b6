/*
 * How long are connections in each state?
 *
 * Words:    tcp states, connection lifetime, time_wait, close_wait, duration, sessions
 * Area:     network
 * Attaches: each change of the state of a connection
 * Cost:     low – some firings for each connection
 *
 * Nanoseconds in the state that is left. Of connections from before nothing is known until
 * they have changed once.
 */

uint64_t since[uint64_t];

tcp:::state-change
/since[args[1]->cs_cid] != 0/
{
	@time[tcp_state_string[args[5]->tcps_state]] = quantize(timestamp - since[args[1]->cs_cid]);
}

tcp:::state-change
{
	since[args[1]->cs_cid] = args[3]->tcps_state == TCP_STATE_CLOSED ? 0 : timestamp;
}
