#!/usr/bin/env -S dscope trace -s
/*
 * tcpconnect.d - every TCP connection that this machine opens, as it is tried.
 *
 *	dscope trace -s tcpconnect.d
 */

#pragma D option quiet

inline int IPPROTO_TCP_ = 6;
inline int AF_INET_ = 2;
inline int SYN_SENT = 2;

dtrace:::BEGIN
{
	printf("%-20s %5s %7s %-16s %s\n", "TIME", "UID", "PID", "COMMAND", "TO");
}

sdt:::inet_sock_set_state
/args[2] == SYN_SENT && args[0]->sk_protocol == IPPROTO_TCP_/
{
	this->to = &args[0]->__sk_common;
	printf("%-20Y %5d %7d %-16s %s port %d\n", walltimestamp, uid, pid, execname,
	    this->to->skc_family == AF_INET_ ? inet_ntoa(&this->to->skc_daddr) : inet_ntoa6(&this->to->skc_v6_daddr),
	    ntohs(this->to->skc_dport));
}
