/*
 * How far away are the peers of TCP connections?
 *
 * Words:    round trip time, rtt, srtt, ping, network latency, distance, far away
 * Area:     network
 * Attaches: each segment of TCP that is received
 * Cost:     high – a firing for each segment, hundred thousands a second on a fast network
 *
 * Microseconds that the kernel takes a round trip for, by the address of the peer.
 */

tcp:::receive
/args[3]->tcps_srtt != 0/
{
	@us[args[3]->tcps_raddr] = quantize(args[3]->tcps_srtt);
}
