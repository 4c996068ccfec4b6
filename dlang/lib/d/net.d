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
