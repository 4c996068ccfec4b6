/* connections and segments of TCP */
provider tcp {
	/* A segment is sent. */
	probe send(struct sk_buff *S, struct sock *K, struct void_ip *I, struct sock *P, struct tcphdr *T)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, tcpsinfo_t *P, tcpinfo_t *T)
		= fbt:vmlinux:ip_finish_output:entry /IP_CARRIES[SKB_IP[args[2]]] == IPPROTO_TCP/
		    (args[2], TCP_SOCK[args[2]], SKB_IP[args[2]], TCP_SOCK[args[2]], IP_DATA[SKB_IP[args[2]]])
		+ fbt:vmlinux:ip6_finish_output:entry /IP_CARRIES[SKB_IP[args[2]]] == IPPROTO_TCP/
		    (args[2], TCP_SOCK[args[2]], SKB_IP[args[2]], TCP_SOCK[args[2]], IP_DATA[SKB_IP[args[2]]])
		| rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_IP[args[0]]] == IPPROTO_TCP/
		    (args[0], TCP_SOCK[args[0]], SKB_IP[args[0]], TCP_SOCK[args[0]], IP_DATA[SKB_IP[args[0]]]);

	/*
	 * A segment is received, for the connection that the kernel finds, or for the socket that
	 * listens. Without function probes it is looked for among the first forty of the port.
	 */
	probe receive(struct sk_buff *S, struct sock *K, struct void_ip *I, struct sock *P, struct tcphdr *T)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, tcpsinfo_t *P, tcpinfo_t *T)
		= fbt:vmlinux:tcp_v4_rcv:entry /args[0]->sk != NULL/
		    (args[0], args[0]->sk, SKB_IP[args[0]], args[0]->sk, SKB_DATA[args[0]])
		+ fbt:vmlinux:tcp_v6_rcv:entry /args[0]->sk != NULL/
		    (args[0], args[0]->sk, SKB_IP[args[0]], args[0]->sk, SKB_DATA[args[0]])
		+ fbt:vmlinux:__inet_lookup_established:return /self->segment != NULL && args[1] != NULL/
		    (self->segment, args[1], SKB_IP[self->segment], args[1], SKB_TCP[self->segment]) { self->segment = NULL; }
		+ fbt:vmlinux:__inet6_lookup_established:return /self->segment != NULL && args[1] != NULL/
		    (self->segment, args[1], SKB_IP[self->segment], args[1], SKB_TCP[self->segment]) { self->segment = NULL; }
		+ fbt:vmlinux:__inet_lookup_listener:return /self->segment != NULL/
		    (self->segment, args[1], SKB_IP[self->segment], args[1], SKB_TCP[self->segment]) { self->segment = NULL; }
		+ fbt:vmlinux:inet6_lookup_listener:return /self->segment != NULL/
		    (self->segment, args[1], SKB_IP[self->segment], args[1], SKB_TCP[self->segment]) { self->segment = NULL; }
		| rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_DATA[args[0]]] == IPPROTO_TCP/
		    (args[0], SKB_OWNER[args[0]], SKB_DATA[args[0]], SKB_OWNER[args[0]], IP_DATA[SKB_DATA[args[0]]]);

	/* This side asks for a connection; the segment is the first SYN or a later one. */
	probe connect-request(struct sk_buff *S, struct sock *K, struct void_ip *I, struct sock *P, struct tcphdr *T)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, tcpsinfo_t *P, tcpinfo_t *T)
		= fbt:vmlinux:ip_finish_output:entry /IP_CARRIES[SKB_IP[args[2]]] == IPPROTO_TCP && (TCP_FLAGS[SKB_IP[args[2]]] & (TH_SYN | TH_ACK)) == TH_SYN/
		    (args[2], TCP_SOCK[args[2]], SKB_IP[args[2]], TCP_SOCK[args[2]], IP_DATA[SKB_IP[args[2]]])
		+ fbt:vmlinux:ip6_finish_output:entry /IP_CARRIES[SKB_IP[args[2]]] == IPPROTO_TCP && (TCP_FLAGS[SKB_IP[args[2]]] & (TH_SYN | TH_ACK)) == TH_SYN/
		    (args[2], TCP_SOCK[args[2]], SKB_IP[args[2]], TCP_SOCK[args[2]], IP_DATA[SKB_IP[args[2]]])
		| rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_IP[args[0]]] == IPPROTO_TCP && (TCP_FLAGS[SKB_IP[args[0]]] & (TH_SYN | TH_ACK)) == TH_SYN/
		    (args[0], TCP_SOCK[args[0]], SKB_IP[args[0]], TCP_SOCK[args[0]], IP_DATA[SKB_IP[args[0]]]);

	/* This side has the connection that it asked for; the segment is what it was answered. */
	probe connect-established(struct sk_buff *S, struct sock *K, struct void_ip *I, struct sock *P, struct tcphdr *T)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, tcpsinfo_t *P, tcpinfo_t *T)
		= fbt:vmlinux:tcp_rcv_state_process:entry /args[0]->__sk_common.skc_state == TCP_STATE_SYN_SENT && (SKB_FLAGS[args[1]] & (TH_SYN | TH_ACK | TH_RST)) == (TH_SYN | TH_ACK)/
		    (args[1], args[0], SKB_IP[args[1]], args[0], SKB_TCP[args[1]])
		| rawtp:::inet_sock_set_state /args[1] == TCP_STATE_SYN_SENT && args[2] == TCP_STATE_ESTABLISHED && args[0]->sk_protocol == IPPROTO_TCP/
		    (TCP_OF[self->packet, args[0]], args[0], TCP_OF[self->packet, args[0]] == NULL ? NULL : SKB_IP[self->packet],
		    args[0], TCP_OF[self->packet, args[0]] == NULL ? NULL : SKB_TCP[self->packet]);

	/* The connection that this side asked for is refused; the segment is the RST. */
	probe connect-refused(struct sk_buff *S, struct sock *K, struct void_ip *I, struct sock *P, struct tcphdr *T)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, tcpsinfo_t *P, tcpinfo_t *T)
		= fbt:vmlinux:tcp_rcv_state_process:entry /args[0]->__sk_common.skc_state == TCP_STATE_SYN_SENT && (SKB_FLAGS[args[1]] & TH_RST) != 0/
		    (args[1], args[0], SKB_IP[args[1]], args[0], SKB_TCP[args[1]])
		| rawtp:::inet_sock_set_state /args[1] == TCP_STATE_SYN_SENT && args[2] == TCP_STATE_CLOSED && args[0]->sk_protocol == IPPROTO_TCP &&
		    TCP_OF[self->packet, args[0]] != NULL && (SKB_FLAGS[self->packet] & TH_RST) != 0/
		    (TCP_OF[self->packet, args[0]], args[0], TCP_OF[self->packet, args[0]] == NULL ? NULL : SKB_IP[self->packet],
		    args[0], TCP_OF[self->packet, args[0]] == NULL ? NULL : SKB_TCP[self->packet]);

	/* This side has accepted a connection; the segment is the one that completes it. */
	probe accept-established(struct sk_buff *S, struct sock *K, struct void_ip *I, struct sock *P, struct tcphdr *T)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, tcpsinfo_t *P, tcpinfo_t *T)
		= fbt:vmlinux:tcp_rcv_state_process:entry /args[0]->__sk_common.skc_state == TCP_STATE_SYN_RECEIVED && (SKB_FLAGS[args[1]] & (TH_SYN | TH_ACK | TH_RST)) == TH_ACK/
		    (args[1], args[0], SKB_IP[args[1]], args[0], SKB_TCP[args[1]])
		| rawtp:::inet_sock_set_state /args[1] == TCP_STATE_SYN_RECEIVED && args[2] == TCP_STATE_ESTABLISHED && args[0]->sk_protocol == IPPROTO_TCP/
		    (TCP_OF[self->packet, args[0]], args[0], TCP_OF[self->packet, args[0]] == NULL ? NULL : SKB_IP[self->packet],
		    args[0], TCP_OF[self->packet, args[0]] == NULL ? NULL : SKB_TCP[self->packet]);

	/* This side refuses a connection; the segment is the RST that it sends. */
	probe accept-refused(struct sk_buff *S, struct sock *K, struct void_ip *I, struct sock *P, struct tcphdr *T)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, tcpsinfo_t *P, tcpinfo_t *T)
		= fbt:vmlinux:ip_finish_output:entry /IP_CARRIES[SKB_IP[args[2]]] == IPPROTO_TCP && (TCP_FLAGS[SKB_IP[args[2]]] & (TH_RST | TH_ACK)) == (TH_RST | TH_ACK) && ((struct tcphdr *)IP_DATA[SKB_IP[args[2]]])->seq == 0/
		    (args[2], TCP_SOCK[args[2]], SKB_IP[args[2]], TCP_SOCK[args[2]], IP_DATA[SKB_IP[args[2]]])
		+ fbt:vmlinux:ip6_finish_output:entry /IP_CARRIES[SKB_IP[args[2]]] == IPPROTO_TCP && (TCP_FLAGS[SKB_IP[args[2]]] & (TH_RST | TH_ACK)) == (TH_RST | TH_ACK) && ((struct tcphdr *)IP_DATA[SKB_IP[args[2]]])->seq == 0/
		    (args[2], TCP_SOCK[args[2]], SKB_IP[args[2]], TCP_SOCK[args[2]], IP_DATA[SKB_IP[args[2]]])
		| rawtp:::net_dev_queue /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_IP[args[0]]] == IPPROTO_TCP && (TCP_FLAGS[SKB_IP[args[0]]] & (TH_RST | TH_ACK)) == (TH_RST | TH_ACK) && ((struct tcphdr *)IP_DATA[SKB_IP[args[0]]])->seq == 0/
		    (args[0], TCP_SOCK[args[0]], SKB_IP[args[0]], TCP_SOCK[args[0]], IP_DATA[SKB_IP[args[0]]]);

	/* A connection goes into another state; the last argument is the one before. */
	probe state-change(struct sk_buff *S, struct sock *K, struct void_ip *I, struct inet_sock *P, struct tcphdr *T, int old, int new)
	    : (pktinfo_t *S, csinfo_t *K, ipinfo_t *I, tcpsinfo_t *P, tcpinfo_t *T, tcplsinfo_t *old)
		= fbt:vmlinux:tcp_v4_syn_recv_sock:return /args[1] != NULL/
		    (NULL, args[1], NULL, (struct inet_sock *)args[1], NULL, TCP_STATE_LISTEN, TCP_STATE_SYN_RECEIVED)
		+ fbt:vmlinux:tcp_v6_syn_recv_sock:return /args[1] != NULL && !SOCK_MAPPED[args[1]]/
		    (NULL, args[1], NULL, (struct inet_sock *)args[1], NULL, TCP_STATE_LISTEN, TCP_STATE_SYN_RECEIVED)
		+ fbt:vmlinux:tcp_time_wait:entry /args[1] == TCP_STATE_TIME_WAIT/
		    (NULL, args[0], NULL, (struct inet_sock *)args[0], NULL, args[0]->__sk_common.skc_state, args[1])
		+ fbt:vmlinux:tcp_timewait_state_process:return /self->waits != NULL && self->waits->tw_substate == TCP_STATE_TIME_WAIT/
		    (NULL, (struct sock *)self->waits, NULL, (struct inet_sock *)self->waits, NULL, TCP_STATE_FIN_WAIT_2, TCP_STATE_TIME_WAIT)
		+ rawtp:::inet_sock_set_state /args[0]->sk_protocol == IPPROTO_TCP && (args[1] != TCP_STATE_LISTEN || args[2] != TCP_STATE_SYN_RECEIVED)/
		    (NULL, args[0], NULL, (struct inet_sock *)args[0], NULL, args[1], args[2])
		| rawtp:::inet_sock_set_state /args[0]->sk_protocol == IPPROTO_TCP/
		    (NULL, args[0], NULL, (struct inet_sock *)args[0], NULL, args[1], args[2]);

	/*
	 * Of what waits for the last segments there is no sock any more but a shorter
	 * structure, which goes from FIN-WAIT-2 to TIME-WAIT by itself.
	 */
	fbt:vmlinux:tcp_timewait_state_process:entry {
		self->waits = (struct inet_timewait_sock *)(args[0]->tw_substate == TCP_STATE_FIN_WAIT_2 ? (uintptr_t)args[0] : 0);
	}

	/* The segment that the kernel is about to find the connection of. */
	fbt:vmlinux:tcp_v4_rcv:entry /args[0]->sk == NULL/ { self->segment = args[0]; }
	fbt:vmlinux:tcp_v6_rcv:entry /args[0]->sk == NULL/ { self->segment = args[0]; }

	/* The packet that the CPU is about to make out whose it is. */
	rawtp:::netif_receive_skb /SKB_IS_IP[args[0]] && IP_CARRIES[SKB_DATA[args[0]]] == IPPROTO_TCP/ { self->packet = args[0]; }
};
