/*
 * Which connections are refused?
 *
 * Words:    connection refused, econnrefused, reset, rst, service down, port closed
 * Area:     network
 * Attaches: each connection of TCP that is refused, by this machine or another
 * Cost:     low – one firing for each
 */

tcp:::connect-refused
{
	@refused["by", args[3]->tcps_raddr, args[3]->tcps_rport] = count();
}

tcp:::accept-refused
{
	@refused["here, to", args[2]->ip_daddr, args[4]->tcp_dport] = count();
}
