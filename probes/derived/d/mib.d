/* what the network counts, as netstat -s does; arg0 is by how much a counter grows */
provider mib {
	/* A connection is asked for by this side. */
	probe tcpActiveOpens(int by)
		= rawtp:::inet_sock_set_state /args[0]->sk_protocol == IPPROTO_TCP && args[2] == TCP_STATE_SYN_SENT/ (1);

	/* A connection is asked for by another side. */
	probe tcpPassiveOpens(int by)
		= rawtp:::inet_sock_set_state /args[0]->sk_protocol == IPPROTO_TCP && args[2] == TCP_STATE_SYN_RECEIVED/ (1);

	/* A connection could not be made. */
	probe tcpAttemptFails(int by)
		= rawtp:::inet_sock_set_state /args[0]->sk_protocol == IPPROTO_TCP && args[2] == TCP_STATE_CLOSED &&
		    (args[1] == TCP_STATE_SYN_SENT || args[1] == TCP_STATE_SYN_RECEIVED)/ (1);

	/* A connection is broken off. */
	probe tcpEstabResets(int by)
		= rawtp:::inet_sock_set_state /args[0]->sk_protocol == IPPROTO_TCP && args[2] == TCP_STATE_CLOSED &&
		    (args[1] == TCP_STATE_ESTABLISHED || args[1] == TCP_STATE_CLOSE_WAIT)/ (1);

	/* A segment is sent again. */
	probe tcpRetransSegs(int by)
		= rawtp:::tcp_retransmit_skb (1);

	/* A segment is sent that breaks off a connection; before Linux 6.10 one that there is. */
	probe tcpOutRsts(int by)
		= rawtp:::tcp_send_reset (1);

	/* A segment is received that breaks off a connection. */
	probe tcpInRsts(int by)
		= rawtp:::tcp_receive_reset (1);

	/* A segment is received that says what it does not carry. */
	probe tcpInErrs(int by)
		= rawtp:::tcp_bad_csum (1);

	/* Segments are sent, for the first time or again: how many, where the card cuts them. */
	probe tcpOutSegs(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_IP[args[0]]] == IPPROTO_TCP/ (SKB_PARTS[args[0]]);

	/* Segments are received: how many, if they were put together. */
	probe tcpInSegs(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_DATA[args[0]]] == IPPROTO_TCP/ (SKB_PARTS[args[0]]);

	/* A datagram of UDP is sent. */
	probe udpOutDatagrams(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_IP[args[0]]] == IPPROTO_UDP/ (SKB_PARTS[args[0]]);

	/* A datagram of UDP is received. */
	probe udpInDatagrams(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_DATA[args[0]]] == IPPROTO_UDP/ (SKB_PARTS[args[0]]);

	/* A datagram of UDP finds no room at its socket. */
	probe udpInOverflows(int by)
		= rawtp:::udp_fail_queue_rcv_skb (1);

	/* A packet of IP is sent. */
	probe ipOutRequests(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]]/ (1);

	/* A packet of IP is received. */
	probe ipInReceives(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]]/ (1);

	/* A message of ICMP is sent. */
	probe icmpOutMsgs(int by)
		= rawtp:::icmp_send (1);
};
