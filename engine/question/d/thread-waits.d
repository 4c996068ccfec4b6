/*
 * What does this thread wait for, and who wakes it?
 *
 * Words:    thread waits, waker, woken, off cpu, blocked, stuck, slow thread, follow
 * Area:     scheduler
 * Attaches: each switch between threads, and each wakeup
 * Cost:     high – a firing for each of the machine; stacks of the thread and its wakers only
 * Needs:    a thread
 *
 * The sum of nanoseconds that it was off the CPU, by where in the kernel and in its program it
 * left it; and which threads woke it, by where they were. Wakeups from interrupts are told of
 * the thread that was interrupted. One that is not woken at all waits for its turn alone.
 */

struct task_struct *thread;

sched:::off-cpu
/tid == $target/
{
	thread = curthread;
	self->ts = timestamp;
}

sched:::on-cpu
/self->ts != 0/
{
	@off[stack(), ustack()] = sum(timestamp - self->ts);
	self->ts = 0;
}

sched:::wakeup
/thread != NULL && args[0]->pr_addr == (uintptr_t)thread/
{
	@wakers[execname, pid, tid, stack()] = count();
}
