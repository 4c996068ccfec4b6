/*
 * How long do programs wait for messages?
 *
 * Words:    recv, socket latency, slow network, waiting for reply, receive, blocked on network
 * Area:     network
 * Attaches: begin and end of the system calls that receive
 * Cost:     medium – two firings for each of the calls
 */

syscall::recvfrom:entry,
syscall::recvmsg:entry,
syscall::recvmmsg:entry,
syscall::accept:entry,
syscall::accept4:entry
{
	self->ts = timestamp;
}

syscall::recvfrom:return,
syscall::recvmsg:return,
syscall::recvmmsg:return,
syscall::accept:return,
syscall::accept4:return
/self->ts != 0/
{
	@latency[execname, probefunc] = quantize(timestamp - self->ts);
	self->ts = 0;
}
