/*
 * How large are the packets that each device sends?
 *
 * Words:    packets, interface, nic, packet size, mtu, device, ifstat
 * Area:     network
 * Attaches: each packet that is given to a device
 * Cost:     high – hundred thousands of firings a second on a fast network
 */

sdt:::net_dev_xmit
{
	@bytes[stringof(args[2]->name)] = quantize(args[3]);
}
