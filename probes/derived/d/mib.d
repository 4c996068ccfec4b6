/* what the network counts, as netstat -s does, by illumos's names for the counters of RFC 1213, 4022, 4113 and 4293; arg0 is by how much a counter grows */
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
		= rawtp:::tcp_retransmit_skb (1)
		+ rawtp:::tcp_retransmit_synack (1);

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

	/* A message of ICMP is received. */
	probe icmpInMsgs(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] >= 0/ (1);

	/* A message of ICMP is received that answers an echo. */
	probe icmpInEchoReps(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 0/ (1);

	/* A message of ICMP is received that something cannot be reached. */
	probe icmpInDestUnreachs(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 3/ (1);

	/* A message of ICMP is received that asks to send less. */
	probe icmpInSrcQuenchs(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 4/ (1);

	/* A message of ICMP is received that knows a better way. */
	probe icmpInRedirects(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 5/ (1);

	/* A message of ICMP is received that asks for an echo. */
	probe icmpInEchos(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 8/ (1);

	/* A message of ICMP is received that a packet was too long on its way. */
	probe icmpInTimeExcds(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 11/ (1);

	/* A message of ICMP is received that a header is wrong. */
	probe icmpInParmProbs(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 12/ (1);

	/* A message of ICMP is received that asks for the time. */
	probe icmpInTimestamps(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 13/ (1);

	/* A message of ICMP is received that tells the time. */
	probe icmpInTimestampReps(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 14/ (1);

	/* A message of ICMP is received that asks for the mask of addresses. */
	probe icmpInAddrMasks(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 17/ (1);

	/* A message of ICMP is received that tells the mask of addresses. */
	probe icmpInAddrMaskReps(int by)
		= rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_DATA[args[0]]] == 18/ (1);

	/* A message of ICMP is sent. */
	probe icmpOutMsgs(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] >= 0/ (1);

	/* A message of ICMP is sent that answers an echo. */
	probe icmpOutEchoReps(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 0/ (1);

	/* A message of ICMP is sent that something cannot be reached. */
	probe icmpOutDestUnreachs(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 3/ (1);

	/* A message of ICMP is sent that asks to send less. */
	probe icmpOutSrcQuenchs(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 4/ (1);

	/* A message of ICMP is sent that knows a better way. */
	probe icmpOutRedirects(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 5/ (1);

	/* A message of ICMP is sent that asks for an echo. */
	probe icmpOutEchos(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 8/ (1);

	/* A message of ICMP is sent that a packet was too long on its way. */
	probe icmpOutTimeExcds(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 11/ (1);

	/* A message of ICMP is sent that a header is wrong. */
	probe icmpOutParmProbs(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 12/ (1);

	/* A message of ICMP is sent that asks for the time. */
	probe icmpOutTimestamps(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 13/ (1);

	/* A message of ICMP is sent that tells the time. */
	probe icmpOutTimestampReps(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 14/ (1);

	/* A message of ICMP is sent that asks for the mask of addresses. */
	probe icmpOutAddrMasks(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 17/ (1);

	/* A message of ICMP is sent that tells the mask of addresses. */
	probe icmpOutAddrMaskReps(int by)
		= rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && ICMP_KIND[SKB_IP[args[0]]] == 18/ (1);

	/* A datagram of UDP comes for a port that nobody has. */
	probe udpNoPorts(int by)
		= rawtp:::kfree_skb /args[2] == SKB_DROP_REASON_NO_SOCKET && SKB_IS_IP[args[0]] && IP_CARRIES[SKB_IP[args[0]]] == IPPROTO_UDP/ (1);

	/* A datagram of UDP does not fit its sum. */
	probe udpInCksumErrs(int by)
		= rawtp:::kfree_skb /args[2] == SKB_DROP_REASON_UDP_CSUM/ (1);

	/* A packet of IP has a header that cannot be right. */
	probe ipInHdrErrors(int by)
		= rawtp:::kfree_skb /args[2] == SKB_DROP_REASON_IP_INHDR || args[2] == SKB_DROP_REASON_IP_CSUM/ (1);

	/* A packet of IP has a header that does not fit its sum. */
	probe ipInCksumErrs(int by)
		= rawtp:::kfree_skb /args[2] == SKB_DROP_REASON_IP_CSUM/ (1);

	/* A packet of IP carries what nobody here takes. */
	probe ipInUnknownProtos(int by)
		= rawtp:::kfree_skb /args[2] == SKB_DROP_REASON_IP_NOPROTO/ (1);

	/* A packet of IP is for where no way leads. */
	probe ipOutNoRoutes(int by)
		= rawtp:::kfree_skb /args[2] == SKB_DROP_REASON_IP_OUTNOROUTES/ (1);

	/* A segment is sent again: how many bytes it carries, with its headers if they are there yet. */
	probe tcpRetransBytes(int by)
		= rawtp:::tcp_retransmit_skb (args[1]->len);

	/* An answer did not come in time, and a segment is to be sent again. */
	probe tcpTimRetrans(int by)
		= fbt:vmlinux:tcp_retransmit_timer:entry (1);

	/* Parts of a packet of IP are put together: one has come. */
	probe ipReasmReqds(int by)
		= fbt:vmlinux:ip_defrag:entry (1);
};
