/* The User Datagram Protocol. */

typedef struct udpinfo {
	uint16_t udp_sport;		/* from this port */
	uint16_t udp_dport;		/* to this one */
	uint16_t udp_length;		/* bytes, with the header */
	uint16_t udp_checksum;
	struct udphdr *udp_hdr;		/* the header */
} udpinfo_t;

typedef struct udpsinfo {
	uintptr_t udps_addr;		/* the sock */
	uint16_t udps_lport;		/* port of this end */
	uint16_t udps_rport;		/* port of the other */
	string udps_laddr;		/* address of this end, as text */
	string udps_raddr;		/* address of the other */
} udpsinfo_t;

inline uintptr_t UDP_TABLE[struct net *N] = (uintptr_t)N->ipv4.udp_table;
inline uintptr_t UDP_TABLE[struct net *N] = (uintptr_t)&`udp_table;

/*
 * The sock of a datagram that has come: one that has its ends, or the only one that waits
 * there; 0 if there is none, if it goes to several, and where too many share the port's
 * list for looking at them all.
 */
uintptr_t UDP_OWNER(struct sk_buff *S, struct iphdr *I, struct udphdr *U)
{
	struct net *net = S->dev->nd_net.net;
	struct udp_table *t = (struct udp_table *)UDP_TABLE[net];
	uint64_t port = ntohs(U->dest);
	uintptr_t link = (uintptr_t)t->hash[(port + net->hash_mix) & t->mask].head.first, connected = 0, awaits = 0;
	int64_t others = -1;
	for (int i = 0; i < 48; i++) {
		if (link == 0 || link & 1) /* where lists end */
			return connected | awaits & ~UNLESS[connected] & ~UNLESS[others];
		uintptr_t owner = link - offsetof(struct sock_common, skc_node);
		struct sock_common *s = (struct sock_common *)owner;
		link = (uintptr_t)s->skc_node.next;
		uint64_t elsewhere = (s->skc_num ^ port) | ((uintptr_t)s->skc_net.net ^ (uintptr_t)net);
		connected |= owner & ~UNLESS[elsewhere | ENDS_DIFFER[s, I, U->source]];
		uint64_t other = UNLESS[elsewhere | WAITS_ELSEWHERE[s, I]];
		awaits |= owner & ~other;
		others += ~other & 1;
	}
	return connected;
}

/* The sock that the kernel knows already to be that of a datagram, or the one that it will find. */
inline struct sock *UDP_SOCK[struct sk_buff *S, struct iphdr *I] = (struct sock *)(S->sk != NULL ? (uintptr_t)S->sk :
    UDP_OWNER(S, I, (struct udphdr *)IP_DATA[I]));

translator udpinfo_t < struct udphdr *U > {
	udp_sport = U == NULL ? 0 : ntohs(U->source);
	udp_dport = U == NULL ? 0 : ntohs(U->dest);
	udp_length = U == NULL ? 0 : ntohs(U->len);
	udp_checksum = U == NULL ? 0 : ntohs(U->check);
	udp_hdr = U;
};

translator udpsinfo_t < struct sock *S > {
	udps_addr = (uintptr_t)S;
	udps_lport = S == NULL ? 0 : S->__sk_common.skc_num;
	udps_rport = S == NULL ? 0 : ntohs(S->__sk_common.skc_dport);
	udps_laddr = S == NULL ? "<null>" : S->__sk_common.skc_family == AF_INET ?
	    inet_ntoa(&S->__sk_common.skc_rcv_saddr) : inet_ntoa6(&S->__sk_common.skc_v6_rcv_saddr);
	udps_raddr = S == NULL ? "<null>" : S->__sk_common.skc_family == AF_INET ?
	    inet_ntoa(&S->__sk_common.skc_daddr) : inet_ntoa6(&S->__sk_common.skc_v6_daddr);
};
