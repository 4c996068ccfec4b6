/* The Internet Protocol, versions 4 and 6. */

typedef struct ipinfo {
	uint8_t ip_ver;			/* 4 or 6 */
	uint32_t ip_plength;		/* bytes behind the header */
	string ip_saddr;		/* from, as text */
	string ip_daddr;		/* to, as text */
} ipinfo_t;

typedef struct ipv4info {
	uint8_t ipv4_ver;		/* version: 4 */
	uint8_t ipv4_ihl;		/* bytes of the header */
	uint8_t ipv4_tos;		/* type of service */
	uint16_t ipv4_length;		/* bytes, with the header */
	uint16_t ipv4_ident;		/* number of the datagram */
	uint8_t ipv4_flags;		/* whether it may be and was cut: 4 it may not, 2 more follows */
	uint16_t ipv4_offset;		/* where a part of it begins, in bytes */
	uint8_t ipv4_ttl;		/* how many hops it has left */
	uint8_t ipv4_protocol;		/* IPPROTO_TCP, … */
	string ipv4_protostr;		/* the same as text */
	uint16_t ipv4_checksum;
	ipaddr_t ipv4_src;		/* from */
	ipaddr_t ipv4_dst;		/* to */
	string ipv4_saddr;		/* the same as text */
	string ipv4_daddr;
	struct iphdr *ipv4_hdr;		/* the header */
} ipv4info_t;

typedef struct ipv6info {
	uint8_t ipv6_ver;		/* version: 6 */
	uint8_t ipv6_tclass;		/* class of the traffic */
	uint32_t ipv6_flow;		/* label of the flow */
	uint16_t ipv6_plen;		/* bytes behind the header */
	uint8_t ipv6_nexthdr;		/* what comes next: IPPROTO_TCP, … */
	string ipv6_nextstr;		/* the same as text */
	uint8_t ipv6_hlim;		/* how many hops it has left */
	struct in6_addr *ipv6_src;	/* from */
	struct in6_addr *ipv6_dst;	/* to */
	string ipv6_saddr;		/* the same as text */
	string ipv6_daddr;
	struct ipv6hdr *ipv6_hdr;	/* the header */
} ipv6info_t;

inline string IP_PROTOCOL[int n] = n == 6 ? "TCP" : n == 17 ? "UDP" : n == 1 ? "ICMP" : n == 58 ? "ICMPV6" :
    n == 2 ? "IGMP" : n == 41 ? "IPV6" : n == 132 ? "SCTP" : lltostr((uint64_t)n);

/* A header of either version. */
typedef struct void_ip {
	uint8_t ip_first;		/* its first byte begins with the version */
} void_ip_t;

translator ipinfo_t < struct void_ip *I > {
	ip_ver = I == NULL ? 0 : ((struct iphdr *)I)->version;
	ip_plength = I == NULL ? 0 : ((struct iphdr *)I)->version == 4 ?
	    ntohs(((struct iphdr *)I)->tot_len) - ((struct iphdr *)I)->ihl * 4 : ntohs(((struct ipv6hdr *)I)->payload_len);
	ip_saddr = I == NULL ? "<null>" : ((struct iphdr *)I)->version == 4 ?
	    inet_ntoa(&((struct iphdr *)I)->saddr) : inet_ntoa6(&((struct ipv6hdr *)I)->saddr);
	ip_daddr = I == NULL ? "<null>" : ((struct iphdr *)I)->version == 4 ?
	    inet_ntoa(&((struct iphdr *)I)->daddr) : inet_ntoa6(&((struct ipv6hdr *)I)->daddr);
};

translator ipinfo_t < struct iphdr *I > {
	ip_ver = 4;
	ip_plength = ntohs(I->tot_len) - I->ihl * 4;
	ip_saddr = inet_ntoa(&I->saddr);
	ip_daddr = inet_ntoa(&I->daddr);
};

translator ipinfo_t < struct ipv6hdr *I > {
	ip_ver = 6;
	ip_plength = ntohs(I->payload_len);
	ip_saddr = inet_ntoa6(&I->saddr);
	ip_daddr = inet_ntoa6(&I->daddr);
};

translator ipinfo_t < struct sk_buff *S > {
	ip_ver = SKB_IP[S]->version;
	ip_plength = SKB_IP[S]->version == 4 ? ntohs(SKB_IP[S]->tot_len) - SKB_IP[S]->ihl * 4 : ntohs(SKB_IP6[S]->payload_len);
	ip_saddr = SKB_IP[S]->version == 4 ? inet_ntoa(&SKB_IP[S]->saddr) : inet_ntoa6(&SKB_IP6[S]->saddr);
	ip_daddr = SKB_IP[S]->version == 4 ? inet_ntoa(&SKB_IP[S]->daddr) : inet_ntoa6(&SKB_IP6[S]->daddr);
};

translator ipv4info_t < struct iphdr *I > {
	ipv4_ver = I == NULL ? 0 : I->version;
	ipv4_ihl = I == NULL ? 0 : I->ihl * 4;
	ipv4_tos = I == NULL ? 0 : I->tos;
	ipv4_length = I == NULL ? 0 : ntohs(I->tot_len);
	ipv4_ident = I == NULL ? 0 : ntohs(I->id);
	ipv4_flags = I == NULL ? 0 : ntohs(I->frag_off) >> 12;
	ipv4_offset = I == NULL ? 0 : (ntohs(I->frag_off) & 0x1fff) * 8;
	ipv4_ttl = I == NULL ? 0 : I->ttl;
	ipv4_protocol = I == NULL ? 0 : I->protocol;
	ipv4_protostr = I == NULL ? "<null>" : IP_PROTOCOL[I->protocol];
	ipv4_checksum = I == NULL ? 0 : ntohs(I->check);
	ipv4_src = I == NULL ? 0 : I->saddr;
	ipv4_dst = I == NULL ? 0 : I->daddr;
	ipv4_saddr = I == NULL ? "<null>" : inet_ntoa(&I->saddr);
	ipv4_daddr = I == NULL ? "<null>" : inet_ntoa(&I->daddr);
	ipv4_hdr = I;
};

translator ipv6info_t < struct ipv6hdr *I > {
	ipv6_ver = I == NULL ? 0 : I->version;
	ipv6_tclass = I == NULL ? 0 : I->priority << 4 | I->flow_lbl[0] >> 4;
	ipv6_flow = I == NULL ? 0 : (I->flow_lbl[0] & 0xf) << 16 | I->flow_lbl[1] << 8 | I->flow_lbl[2];
	ipv6_plen = I == NULL ? 0 : ntohs(I->payload_len);
	ipv6_nexthdr = I == NULL ? 0 : I->nexthdr;
	ipv6_nextstr = I == NULL ? "<null>" : IP_PROTOCOL[I->nexthdr];
	ipv6_hlim = I == NULL ? 0 : I->hop_limit;
	ipv6_src = I == NULL ? NULL : &I->saddr;
	ipv6_dst = I == NULL ? NULL : &I->daddr;
	ipv6_saddr = I == NULL ? "<null>" : inet_ntoa6(&I->saddr);
	ipv6_daddr = I == NULL ? "<null>" : inet_ntoa6(&I->daddr);
	ipv6_hdr = I;
};
