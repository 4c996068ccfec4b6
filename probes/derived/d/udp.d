/* datagrams of UDP */
provider udp {
	/* A datagram is sent. */
	probe send(struct sk_buff *S, struct sock *K, struct void_ip *I, struct sock *P, struct udphdr *U)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, udpsinfo_t *P, udpinfo_t *U)
		= fbt:vmlinux:ip_finish_output:entry /IP_CARRIES[SKB_IP[args[2]]] == IPPROTO_UDP/
		    (args[2], args[2]->sk, SKB_IP[args[2]], args[2]->sk, IP_DATA[SKB_IP[args[2]]])
		+ fbt:vmlinux:ip6_finish_output:entry /IP_CARRIES[SKB_IP[args[2]]] == IPPROTO_UDP/
		    (args[2], args[2]->sk, SKB_IP[args[2]], args[2]->sk, IP_DATA[SKB_IP[args[2]]])
		| rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_IP[args[0]]] == IPPROTO_UDP/
		    (args[0], args[0]->sk, SKB_IP[args[0]], args[0]->sk, IP_DATA[SKB_IP[args[0]]]);

	/* A datagram is received, for the socket that is looked for among the first forty that it may be. */
	probe receive(struct sk_buff *S, struct sock *K, struct void_ip *I, struct sock *P, struct udphdr *U)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, udpsinfo_t *P, udpinfo_t *U)
		= fbt:vmlinux:udp_rcv:entry
		    (args[0], UDP_SOCK[args[0], SKB_IP[args[0]]], SKB_IP[args[0]], UDP_SOCK[args[0], SKB_IP[args[0]]], SKB_DATA[args[0]])
		+ fbt:vmlinux:udpv6_rcv:entry
		    (args[0], UDP_SOCK[args[0], SKB_IP[args[0]]], SKB_IP[args[0]], UDP_SOCK[args[0], SKB_IP[args[0]]], SKB_DATA[args[0]])
		| rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_DATA[args[0]]] == IPPROTO_UDP/
		    (args[0], UDP_SOCK[args[0], SKB_DATA[args[0]]], SKB_DATA[args[0]], UDP_SOCK[args[0], SKB_DATA[args[0]]],
		    IP_DATA[SKB_DATA[args[0]]]);
};
