/*
 * To whom are segments sent again?
 *
 * Words:    retransmit, packet loss, lost packets, slow network, tcp
 * Area:     network
 * Attaches: each segment of TCP that is sent again, an answer to SYN too
 * Cost:     low – one firing for each
 *
 * By address and port of the peer, for IPv4.
 */

sdt:::tcp_retransmit_skb
/args[0]->__sk_common.skc_family == AF_INET/
{
	this->to = (struct sock *)args[0];
	@again[inet_ntoa((ipaddr_t *)&this->to->__sk_common.skc_daddr), ntohs(this->to->__sk_common.skc_dport)] = count();
}

sdt:::tcp_retransmit_synack
/args[1]->__req_common.skc_family == AF_INET/
{
	this->asks = (struct request_sock *)args[1];
	@again[inet_ntoa((ipaddr_t *)&this->asks->__req_common.skc_daddr), ntohs(this->asks->__req_common.skc_dport)] = count();
}
