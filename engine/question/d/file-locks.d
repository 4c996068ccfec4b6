/*
 * How long do programs wait for locks on files?
 *
 * Words:    flock, fcntl, lockf, file lock, database locked, stuck, lock contention
 * Area:     locks
 * Attaches: begin and end of flock(2), and of fcntl(2) where it waits for a lock
 * Cost:     low – one firing for each
 */

/* the commands of fcntl that wait: F_SETLKW, and F_OFD_SETLKW */
inline int F_SETLKW = 7;
inline int F_OFD_SETLKW = 38;

syscall::flock:entry
{
	self->ts = timestamp;
}

syscall::fcntl:entry
/arg1 == F_SETLKW || arg1 == F_OFD_SETLKW/
{
	self->ts = timestamp;
}

syscall::flock:return,
syscall::fcntl:return
/self->ts != 0/
{
	@wait[execname, probefunc] = quantize(timestamp - self->ts);
	self->ts = 0;
}
