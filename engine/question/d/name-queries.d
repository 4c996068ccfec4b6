/*
 * Who asks name servers?
 *
 * Words:    dns, name resolution, resolver, lookups, port 53, slow names
 * Area:     network
 * Attaches: each datagram of UDP that is sent
 * Cost:     medium – one firing for each
 */

udp:::send
/args[4]->udp_dport == 53/
{
	@queries[execname, args[2]->ip_daddr] = count();
}
