/*
 * How long does it take to have data on the disk?
 *
 * Words:    fsync, sync, flush, fdatasync, commit, database slow, durable, slow writes
 * Area:     files
 * Attaches: begin and end of the system calls that wait for data to be written
 * Cost:     low – programs call them seldom
 */

syscall::fsync:entry,
syscall::fdatasync:entry,
syscall::sync_file_range:entry,
syscall::msync:entry,
syscall::syncfs:entry,
syscall::sync:entry
{
	self->ts = timestamp;
}

syscall::fsync:return,
syscall::fdatasync:return,
syscall::sync_file_range:return,
syscall::msync:return,
syscall::syncfs:return,
syscall::sync:return
/self->ts != 0/
{
	@latency[execname, probefunc] = quantize(timestamp - self->ts);
	self->ts = 0;
}
