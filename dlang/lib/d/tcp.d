/* The Transmission Control Protocol. */

inline uint8_t TH_FIN = 0x01;
inline uint8_t TH_SYN = 0x02;
inline uint8_t TH_RST = 0x04;
inline uint8_t TH_PUSH = 0x08;
inline uint8_t TH_ACK = 0x10;
inline uint8_t TH_URG = 0x20;
inline uint8_t TH_ECE = 0x40;
inline uint8_t TH_CWR = 0x80;

/* The states of a connection, by the numbers of Linux. */
inline int TCP_STATE_ESTABLISHED = 1;
inline int TCP_STATE_SYN_SENT = 2;
inline int TCP_STATE_SYN_RECEIVED = 3;
inline int TCP_STATE_FIN_WAIT_1 = 4;
inline int TCP_STATE_FIN_WAIT_2 = 5;
inline int TCP_STATE_TIME_WAIT = 6;
inline int TCP_STATE_CLOSED = 7;
inline int TCP_STATE_CLOSE_WAIT = 8;
inline int TCP_STATE_LAST_ACK = 9;
inline int TCP_STATE_LISTEN = 10;
inline int TCP_STATE_CLOSING = 11;

/* The state of a sock: TCP_NEW_SYN_RECV (12) is that of a connection before it has a whole one. */
inline int SOCK_STATE[int n] = n == 12 ? TCP_STATE_SYN_RECEIVED : n;

inline string tcp_state_string[int state] =
    state == TCP_STATE_ESTABLISHED ? "state-established" : state == TCP_STATE_SYN_SENT ? "state-syn-sent" :
    state == TCP_STATE_SYN_RECEIVED ? "state-syn-received" : state == TCP_STATE_FIN_WAIT_1 ? "state-fin-wait-1" :
    state == TCP_STATE_FIN_WAIT_2 ? "state-fin-wait-2" : state == TCP_STATE_TIME_WAIT ? "state-time-wait" :
    state == TCP_STATE_CLOSED ? "state-closed" : state == TCP_STATE_CLOSE_WAIT ? "state-close-wait" :
    state == TCP_STATE_LAST_ACK ? "state-last-ack" : state == TCP_STATE_LISTEN ? "state-listen" :
    state == TCP_STATE_CLOSING ? "state-closing" : "<unknown>";

typedef struct tcpinfo {
	uint16_t tcp_sport;		/* from this port */
	uint16_t tcp_dport;		/* to this one */
	uint32_t tcp_seq;		/* number of the first byte */
	uint32_t tcp_ack;		/* number of the byte that is expected */
	uint8_t tcp_offset;		/* bytes of the header */
	uint8_t tcp_flags;		/* TH_SYN, … */
	uint16_t tcp_window;		/* bytes that may be sent */
	uint16_t tcp_checksum;
	uint16_t tcp_urgent;		/* end of what is urgent */
	struct tcphdr *tcp_hdr;		/* the header */
} tcpinfo_t;

typedef struct tcpsinfo {
	uintptr_t tcps_addr;		/* the sock */
	int tcps_local;			/* whether both ends are on this machine */
	int tcps_active;		/* whether this end began */
	uint16_t tcps_lport;		/* port of this end */
	uint16_t tcps_rport;		/* port of the other */
	string tcps_laddr;		/* address of this end, as text */
	string tcps_raddr;		/* address of the other */
	int32_t tcps_state;		/* TCP_STATE_ESTABLISHED, … */
	uint32_t tcps_suna;		/* first byte that is not acknowledged */
	uint32_t tcps_snxt;		/* next byte to send */
	uint32_t tcps_rnxt;		/* next byte to receive */
	uint32_t tcps_swnd;		/* bytes that may be sent */
	int32_t tcps_snd_ws;		/* by how much that is scaled */
	uint32_t tcps_rwnd;		/* bytes that may be received */
	int32_t tcps_rcv_ws;		/* by how much that is scaled */
	uint32_t tcps_cwnd;		/* congestion window, in bytes */
	uint32_t tcps_cwnd_ssthresh;	/* where slow start ends, in bytes; 0xffffffff: nowhere yet */
	uint32_t tcps_mss;		/* most bytes of a segment */
	int tcps_retransmit;		/* how often it was sent again */
	uint32_t tcps_srtt;		/* time of a round trip, smoothed, in us */
} tcpsinfo_t;

typedef struct tcplsinfo {
	int32_t tcps_state;		/* the state from which it comes */
} tcplsinfo_t;

translator tcpinfo_t < struct tcphdr *T > {
	tcp_sport = T == NULL ? 0 : ntohs(T->source);
	tcp_dport = T == NULL ? 0 : ntohs(T->dest);
	tcp_seq = T == NULL ? 0 : ntohl(T->seq);
	tcp_ack = T == NULL ? 0 : ntohl(T->ack_seq);
	tcp_offset = T == NULL ? 0 : T->doff * 4;
	tcp_flags = T == NULL ? 0 : *((uint8_t *)T + 13);
	tcp_window = T == NULL ? 0 : ntohs(T->window);
	tcp_checksum = T == NULL ? 0 : ntohs(T->check);
	tcp_urgent = T == NULL ? 0 : ntohs(T->urg_ptr);
	tcp_hdr = T;
};

translator tcpsinfo_t < struct tcp_sock *T > {
	tcps_addr = (uintptr_t)T;
	tcps_lport = ((struct sock *)T)->__sk_common.skc_num;
	tcps_rport = ntohs(((struct sock *)T)->__sk_common.skc_dport);
	tcps_laddr = ((struct sock *)T)->__sk_common.skc_family == AF_INET ?
	    inet_ntoa(&((struct sock *)T)->__sk_common.skc_rcv_saddr) :
	    inet_ntoa6(&((struct sock *)T)->__sk_common.skc_v6_rcv_saddr);
	tcps_raddr = ((struct sock *)T)->__sk_common.skc_family == AF_INET ?
	    inet_ntoa(&((struct sock *)T)->__sk_common.skc_daddr) :
	    inet_ntoa6(&((struct sock *)T)->__sk_common.skc_v6_daddr);
	tcps_state = SOCK_STATE[((struct sock *)T)->__sk_common.skc_state];
	tcps_suna = T->snd_una;
	tcps_snxt = T->snd_nxt;
	tcps_rnxt = T->rcv_nxt;
	tcps_swnd = T->snd_wnd;
	tcps_snd_ws = T->rx_opt.snd_wscale;
	tcps_rwnd = T->rcv_wnd;
	tcps_rcv_ws = T->rx_opt.rcv_wscale;
	tcps_cwnd = T->snd_cwnd * T->mss_cache;
	tcps_cwnd_ssthresh = T->snd_ssthresh >= 0x7fffffff ? 0xffffffff : T->snd_ssthresh * T->mss_cache;
	tcps_mss = T->mss_cache;
	tcps_retransmit = T->total_retrans;
	tcps_srtt = T->srtt_us >> 3;
};

/* The flags of a segment. */
inline uint8_t TCP_FLAGS[struct iphdr *I] = *(uint8_t *)(IP_DATA[I] + 13);
inline uint8_t SKB_FLAGS[struct sk_buff *S] = *((uint8_t *)SKB_TCP[S] + 13);

/* Whether a sock is whole: those that wait for their first or their last segments are not (TCP_NEW_SYN_RECV is 12). */
inline int TCP_FULL[struct sock *S] = S != NULL && S->__sk_common.skc_state != TCP_STATE_TIME_WAIT && S->__sk_common.skc_state != 12;

/* Whether a sock of IPv6 has a peer of IPv4. */
inline int SOCK_MAPPED[struct sock *S] = S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[0] == 0 &&
    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[1] == 0 && S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[2] == htonl(0xffff);

/* Whether both ends are on this machine, as far as the addresses tell. */
inline int TCP_LOCAL[struct sock *S] = S->__sk_common.skc_family == AF_INET ?
    S->__sk_common.skc_daddr == S->__sk_common.skc_rcv_saddr || (S->__sk_common.skc_daddr & 0xff) == 127 :
    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[0] == S->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[0] &&
    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[1] == S->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[1] &&
    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[2] == S->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[2] &&
    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[3] == S->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[3];

/* A packet, if it is one that a connection has received; else nothing. */
inline struct sk_buff *TCP_OF[struct sk_buff *S, struct sock *K] = (struct sk_buff *)(S != NULL &&
    SKB_TCP[S]->source == K->__sk_common.skc_dport &&
    (K->__sk_common.skc_num == 0 || ntohs(SKB_TCP[S]->dest) == K->__sk_common.skc_num) ? (uintptr_t)S : 0);

/* The sock of a packet, unless it is that by which the kernel answers for nobody: its port is the number of the protocol. */
inline struct sock *TCP_SOCK[struct sk_buff *S] = (struct sock *)(S->sk == NULL ||
    S->sk->__sk_common.skc_num == IPPROTO_TCP && S->sk->__sk_common.skc_dport == 0 ? 0 : (uintptr_t)S->sk);

/* Where the kernel keeps the socks that have a local port, or 0 if no sock has it. */
uintptr_t TCP_PORT(struct net *net, int port)
{
	struct inet_hashinfo *h = net->ipv4.tcp_death_row.hashinfo;
	uintptr_t at = (uintptr_t)h->bhash[(port + net->hash_mix) & (h->bhash_size - 1)].chain.first;
	for (int i = 0; i < 16; i++) {
		struct inet_bind_bucket *b = (struct inet_bind_bucket *)(at - offsetof(struct inet_bind_bucket, node));
		if (at == 0 || b->port == port && b->ib_net.net == net)
			return at == 0 ? 0 : (uintptr_t)b;
		at = (uintptr_t)b->node.next;
	}
	return 0;
}

/*
 * The first of them, or the one that comes after one: all in one list, or from 6.8 on in
 * a list for each local address, of which group is the next.
 */
inline uintptr_t PORT_GROUP[uintptr_t P] = (uintptr_t)((struct inet_bind_bucket *)P)->bhash2.first;
inline uintptr_t PORT_GROUP[uintptr_t P] = (uintptr_t)&((struct inet_bind_bucket *)P)->owners;
inline uintptr_t GROUP_FIRST[uintptr_t G] =
    (uintptr_t)((struct inet_bind2_bucket *)(G - offsetof(struct inet_bind2_bucket, bhash_node)))->owners.first;
inline uintptr_t GROUP_FIRST[uintptr_t G] = (uintptr_t)((struct hlist_head *)G)->first;
inline uintptr_t GROUP_NEXT[uintptr_t G] =
    (uintptr_t)((struct inet_bind2_bucket *)(G - offsetof(struct inet_bind2_bucket, bhash_node)))->bhash_node.next;
inline uintptr_t GROUP_NEXT[uintptr_t G] = 0;

/*
 * The sock of a packet that has come: that of the connection, or the only one that listens
 * there; 0 if there is none, and where too many share the port for looking at them all.
 */
uintptr_t TCP_OWNER(struct sk_buff *S, struct iphdr *I, struct tcphdr *T)
{
	uintptr_t port = TCP_PORT(S->dev->nd_net.net, ntohs(T->dest)), link = 0, connected = 0, listens = 0;
	uintptr_t group = port == 0 ? 0 : PORT_GROUP[port];
	int64_t others = -1;
	for (int i = 0; i < 48; i++) {
		if (link == 0) {
			if (group == 0)
				return connected | listens & ~UNLESS[connected] & ~UNLESS[others];
			link = GROUP_FIRST[group];
			group = GROUP_NEXT[group];
			continue;
		}
		uintptr_t owner = link - offsetof(struct sock_common, skc_bind_node);
		struct sock_common *s = (struct sock_common *)owner;
		link = (uintptr_t)s->skc_bind_node.next;
		connected |= owner & ~UNLESS[ENDS_DIFFER[s, I, T->source]];
		uint64_t other = UNLESS[(s->skc_state ^ TCP_STATE_LISTEN) | WAITS_ELSEWHERE[s, I]];
		listens |= owner & ~other;
		others += ~other & 1;
	}
	return connected;
}

/* The sock that the kernel knows already to be that of a packet, or the one that it will find. */
inline struct sock *SKB_OWNER[struct sk_buff *S] = (struct sock *)(S->sk != NULL ? (uintptr_t)S->sk :
    TCP_OWNER(S, SKB_DATA[S], (struct tcphdr *)IP_DATA[SKB_DATA[S]]));

translator tcpsinfo_t < struct sock *S > {
	tcps_addr = (uintptr_t)S;
	tcps_local = S == NULL ? 0 : TCP_LOCAL[S];
	tcps_lport = S == NULL ? 0 : S->__sk_common.skc_num;
	tcps_rport = S == NULL ? 0 : ntohs(S->__sk_common.skc_dport);
	tcps_laddr = S == NULL ? "<null>" : xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_laddr;
	tcps_raddr = S == NULL ? "<null>" : xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_raddr;
	tcps_state = S == NULL ? TCP_STATE_CLOSED : SOCK_STATE[S->__sk_common.skc_state];
	tcps_suna = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_suna : 0;
	tcps_snxt = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_snxt : 0;
	tcps_rnxt = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_rnxt : 0;
	tcps_swnd = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_swnd : 0;
	tcps_snd_ws = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_snd_ws : 0;
	tcps_rwnd = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_rwnd : 0;
	tcps_rcv_ws = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_rcv_ws : 0;
	tcps_cwnd = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_cwnd : 0;
	tcps_cwnd_ssthresh = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_cwnd_ssthresh : 0;
	tcps_mss = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_mss : 0;
	tcps_retransmit = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_retransmit : 0;
	tcps_srtt = TCP_FULL[S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_srtt : 0;
};

/* Of tcp:::state-change, whose arg6 is the state that the sock is about to have. */
translator tcpsinfo_t < struct inet_sock *S > {
	tcps_addr = (uintptr_t)S;
	tcps_local = TCP_LOCAL[(struct sock *)S];
	tcps_lport = ((struct sock *)S)->__sk_common.skc_num;
	tcps_rport = ntohs(((struct sock *)S)->__sk_common.skc_dport);
	tcps_laddr = xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_laddr;
	tcps_raddr = xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_raddr;
	tcps_state = (int)arg6;
	tcps_suna = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_suna : 0;
	tcps_snxt = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_snxt : 0;
	tcps_rnxt = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_rnxt : 0;
	tcps_swnd = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_swnd : 0;
	tcps_snd_ws = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_snd_ws : 0;
	tcps_rwnd = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_rwnd : 0;
	tcps_rcv_ws = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_rcv_ws : 0;
	tcps_cwnd = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_cwnd : 0;
	tcps_cwnd_ssthresh = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_cwnd_ssthresh : 0;
	tcps_mss = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_mss : 0;
	tcps_retransmit = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_retransmit : 0;
	tcps_srtt = TCP_FULL[(struct sock *)S] ? xlate <tcpsinfo_t> ((struct tcp_sock *)S).tcps_srtt : 0;
};

translator tcplsinfo_t < int I > {
	tcps_state = I;
};
