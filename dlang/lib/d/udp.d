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
