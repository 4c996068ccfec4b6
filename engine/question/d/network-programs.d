/*
 * Which programs send and receive how much?
 *
 * Words:    network usage by program, nethogs, who uses the network, bandwidth, upload, download
 * Area:     network
 * Attaches: each message that a program sends to a socket or takes from it
 * Cost:     medium – one firing for each message
 *
 * Bytes, over TCP and UDP. What the machine says to itself is among them.
 */

sdt:::sock_send_length
/args[1] > 0/
{
	@bytes[execname, pid, "sent"] = sum(args[1]);
}

sdt:::sock_recv_length
/args[1] > 0/
{
	@bytes[execname, pid, "received"] = sum(args[1]);
}
