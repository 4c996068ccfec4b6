/*
 * How long do programs wait for any of their descriptors?
 *
 * Words:    poll, epoll, select, event loop, idle servers, waiting
 * Area:     network
 * Attaches: begin and end of the system calls that wait for descriptors
 * Cost:     medium – two firings for each of the calls
 */

/* Some of these x86 has alone. */
#pragma D option zdefs

syscall::poll:entry,
syscall::ppoll:entry,
syscall::select:entry,
syscall::pselect6:entry,
syscall::epoll_wait:entry,
syscall::epoll_pwait:entry
{
	self->ts = timestamp;
}

syscall::poll:return,
syscall::ppoll:return,
syscall::select:return,
syscall::pselect6:return,
syscall::epoll_wait:return,
syscall::epoll_pwait:return
/self->ts != 0/
{
	@latency[execname, probefunc] = quantize(timestamp - self->ts);
	self->ts = 0;
}
