/*
 * Which connections are opened from here?
 *
 * Words:    tcp connect, outgoing connections, clients, who talks to whom, network
 * Area:     network
 * Attaches: each connection of TCP that is asked for
 * Cost:     low – one firing for each
 */

tcp:::connect-request
{
	@asked[execname, args[2]->ip_daddr, args[4]->tcp_dport] = count();
}
