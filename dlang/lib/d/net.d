/* What the network providers share: packets, connections, interfaces. */

typedef struct pktinfo {
	uintptr_t pkt_addr;		/* the sk_buff */
} pktinfo_t;

typedef struct csinfo {
	uintptr_t cs_addr;		/* the sock */
	uint64_t cs_cid;		/* a number of the connection */
	pid_t cs_pid;			/* the process that fired */
	zoneid_t cs_zoneid;		/* Linux has no zones: 0 */
} csinfo_t;

typedef struct ifinfo {
	string if_name;			/* eth0 */
	int8_t if_local;		/* whether packets go to this machine */
	uint64_t if_ipstack;		/* number of the network namespace */
	uintptr_t if_addr;		/* the net_device */
} ifinfo_t;

inline int AF_UNIX = 1;
inline int AF_INET = 2;
inline int AF_INET6 = 10;

/* Kinds of links, for link_ntop(). */
inline int ARPHRD_ETHER = 1;
inline int ARPHRD_INFINIBAND = 32;
inline int ARPHRD_LOOPBACK = 772;

inline int IPPROTO_IP = 0;
inline int IPPROTO_ICMP = 1;
inline int IPPROTO_IGMP = 2;
inline int IPPROTO_TCP = 6;
inline int IPPROTO_UDP = 17;
inline int IPPROTO_IPV6 = 41;
inline int IPPROTO_ICMPV6 = 58;
inline int IPPROTO_SCTP = 132;

/* Where the headers of a packet are. */
inline struct iphdr *SKB_IP[struct sk_buff *S] = (struct iphdr *)(S->head + S->network_header);
inline struct ipv6hdr *SKB_IP6[struct sk_buff *S] = (struct ipv6hdr *)(S->head + S->network_header);
inline struct tcphdr *SKB_TCP[struct sk_buff *S] = (struct tcphdr *)(S->head + S->transport_header);
inline struct udphdr *SKB_UDP[struct sk_buff *S] = (struct udphdr *)(S->head + S->transport_header);

/* Where a packet begins that a device has just handed over: its headers are not known yet. */
inline struct iphdr *SKB_DATA[struct sk_buff *S] = (struct iphdr *)S->data;

/* Whether a packet is one of IP: 0x0800 or 0x86dd, as bytes of the network. */
inline int SKB_IS_IP[struct sk_buff *S] = ntohs(S->protocol) == 0x0800 || ntohs(S->protocol) == 0x86dd;

/* How many packets one was made of, or will be. */
inline int SKB_GSO[struct skb_shared_info *I] = I->gso_segs ? I->gso_segs : 1;
inline int SKB_PARTS[struct sk_buff *S] = SKB_GSO[(struct skb_shared_info *)(S->head + S->end)];

/* What a packet of IP carries, and where; headers between are not passed over. */
inline int IP_CARRIES[struct iphdr *I] = I->version == 4 ? (int)I->protocol : (int)((struct ipv6hdr *)I)->nexthdr;
inline uintptr_t IP_DATA[struct iphdr *I] = (uintptr_t)I + (I->version == 4 ? I->ihl * 4 : 40);
/* The kind of a message of ICMP, or -1 of what is none. */
inline int ICMP_KIND[struct iphdr *I] = I->version == 4 && I->protocol == IPPROTO_ICMP ? (int)*(uint8_t *)((uintptr_t)I + I->ihl * 4) : -1;

inline struct iphdr *IP_IF4[struct iphdr *I] = (struct iphdr *)(I->version == 4 ? (uintptr_t)I : 0);
inline struct ipv6hdr *IP_IF6[struct iphdr *I] = (struct ipv6hdr *)(I->version == 6 ? (uintptr_t)I : 0);

/*
 * What stands in loops makes do without conditions, as the kernel follows all ways that
 * they make through a program: UNLESS is 0 where X is 0, and else -1; SIX is that of a packet
 * of IPv4, or of IPv6. A packet of IPv4 has no addresses of IPv6; they are read, and not used.
 */
inline uint64_t UNLESS[uint64_t X] = (uint64_t)((int64_t)(X | -X) >> 63);
inline uint64_t SIX[struct iphdr *I] = UNLESS[(uint64_t)I->version ^ 4];
inline uint64_t IN6_DIFFER[struct in6_addr *A, struct in6_addr *B] =
    (*(uint64_t *)A ^ *(uint64_t *)B) | (*((uint64_t *)A + 1) ^ *((uint64_t *)B + 1));
inline uint64_t IN6_SOME[struct in6_addr *A] = *(uint64_t *)A | *((uint64_t *)A + 1);

/* 0 if the ends of a sock are those of a packet that has come from a port to this machine. */
inline uint64_t ENDS_DIFFER[struct sock_common *K, struct iphdr *I, uint64_t FROM] = (K->skc_dport ^ FROM) |
    (((K->skc_daddr ^ I->saddr) | (K->skc_rcv_saddr ^ I->daddr)) & ~SIX[I]) |
    ((IN6_DIFFER[&K->skc_v6_daddr, &((struct ipv6hdr *)I)->saddr] |
    IN6_DIFFER[&K->skc_v6_rcv_saddr, &((struct ipv6hdr *)I)->daddr]) & SIX[I]);

/* 0 if a sock that has no peer waits where a packet has come to: at that address, or at all. */
inline uint64_t WAITS_ELSEWHERE[struct sock_common *K, struct iphdr *I] = K->skc_dport |
    (((uint64_t)K->skc_rcv_saddr * (K->skc_rcv_saddr ^ I->daddr) | (uint64_t)(K->skc_family ^ AF_INET) * K->skc_ipv6only) & ~SIX[I]) |
    (((UNLESS[IN6_SOME[&K->skc_v6_rcv_saddr]] & UNLESS[IN6_DIFFER[&K->skc_v6_rcv_saddr, &((struct ipv6hdr *)I)->daddr]]) |
    (uint64_t)(K->skc_family ^ AF_INET6)) & SIX[I]);

translator pktinfo_t < struct sk_buff *S > {
	pkt_addr = (uintptr_t)S;
};

translator csinfo_t < struct sock *S > {
	cs_addr = (uintptr_t)S;
	cs_cid = (uint64_t)S;
	cs_pid = pid;
	cs_zoneid = 0;
};

translator ifinfo_t < struct net_device *N > {
	if_name = N == NULL ? "<null>" : stringof(N->name);
	if_local = N == NULL ? 1 : (N->flags & 8) != 0;		/* IFF_LOOPBACK */
	if_ipstack = N == NULL ? 0 : N->nd_net.net->ns.inum;
	if_addr = (uintptr_t)N;
};
