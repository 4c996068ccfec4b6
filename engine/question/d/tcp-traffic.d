/*
 * With whom is how much exchanged over TCP?
 *
 * Words:    tcp traffic, bandwidth, throughput, bytes, who talks to whom, network usage, tcptop
 * Area:     network
 * Attaches: each segment of TCP that is sent or received
 * Cost:     high – a firing for each segment, hundred thousands a second on a fast network
 *
 * Bytes, by the address of the peer. Segments are received in interrupts: they belong to
 * no program.
 */

tcp:::send
{
	@bytes["sent to", args[2]->ip_daddr, args[4]->tcp_dport] = sum(args[2]->ip_plength);
}

tcp:::receive
{
	@bytes["received from", args[2]->ip_saddr, args[4]->tcp_sport] = sum(args[2]->ip_plength);
}
