/*
 * Which connections come in?
 *
 * Words:    tcp accept, incoming connections, server, clients, who connects, network
 * Area:     network
 * Attaches: each connection of TCP that is accepted
 * Cost:     low – one firing for each
 *
 * The address of the peer, and the port here.
 */

tcp:::accept-established
{
	@accepted[args[3]->tcps_raddr, args[3]->tcps_lport] = count();
}
