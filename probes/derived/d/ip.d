/* packets of the Internet Protocol, as this machine sends and receives them */
provider ip {
	/* A packet is sent. Without function probes: by each device that it goes through. */
	probe send(struct sk_buff *S, struct sock *K, struct void_ip *I, struct net_device *N, struct iphdr *I4, struct ipv6hdr *I6)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, ifinfo_t *N, ipv4info_t *I4, ipv6info_t *I6)
		= fbt:vmlinux:ip_finish_output:entry
		    (args[2], args[2]->sk, SKB_IP[args[2]], args[2]->dev, SKB_IP[args[2]], NULL)
		+ fbt:vmlinux:ip6_finish_output:entry
		    (args[2], args[2]->sk, SKB_IP[args[2]], args[2]->dev, NULL, SKB_IP6[args[2]])
		| rawtp:::net_dev_queue /SKB_IS_IP[args[0]]/
		    (args[0], args[0]->sk, SKB_IP[args[0]], args[0]->dev, IP_IF4[SKB_IP[args[0]]], IP_IF6[SKB_IP[args[0]]]);

	/* A packet is received. Without function probes: those that are handed on too. */
	probe receive(struct sk_buff *S, struct sock *K, struct void_ip *I, struct net_device *N, struct iphdr *I4, struct ipv6hdr *I6)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, ifinfo_t *N, ipv4info_t *I4, ipv6info_t *I6)
		= fbt:vmlinux:ip_local_deliver:entry
		    (args[0], args[0]->sk, SKB_IP[args[0]], args[0]->dev, SKB_IP[args[0]], NULL)
		+ fbt:vmlinux:ip6_input:entry
		    (args[0], args[0]->sk, SKB_IP[args[0]], args[0]->dev, NULL, SKB_IP6[args[0]])
		| rawtp:::netif_receive_skb /SKB_IS_IP[args[0]]/
		    (args[0], args[0]->sk, SKB_DATA[args[0]], args[0]->dev, IP_IF4[SKB_DATA[args[0]]], IP_IF6[SKB_DATA[args[0]]]);
};
