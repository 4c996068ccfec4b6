/*
 * Which programs send what over UDP?
 *
 * Words:    udp traffic, datagrams, bytes, dns, quic, statsd, network usage
 * Area:     network
 * Attaches: each datagram of UDP that is sent
 * Cost:     medium – one firing for each
 *
 * Bytes a datagram.
 */

udp:::send
{
	@bytes[execname, args[2]->ip_daddr, args[4]->udp_dport] = quantize(args[4]->udp_length);
}
