/*
 * What does this process wait for, and who wakes its threads?
 *
 * Words:    process waits, waker, woken, off cpu, blocked, my program, stuck, slow, follow
 * Area:     programs
 * Attaches: each switch between threads, and each wakeup
 * Cost:     high – a firing for each of the machine; stacks of the process and its wakers only
 * Needs:    a process
 *
 * The sum of nanoseconds that they were off the CPU, by thread and by where in the kernel and in
 * the program they left it; and which threads woke them, by where those were. Wakeups from
 * interrupts are told of the thread that was interrupted.
 */

struct signal_struct *process;

sched:::off-cpu
/pid == $target/
{
	process = curthread->signal;
	self->ts = timestamp;
}

sched:::on-cpu
/self->ts != 0/
{
	@off[tid, stack(), ustack()] = sum(timestamp - self->ts);
	self->ts = 0;
}

sched:::wakeup
/process != NULL && ((struct task_struct *)args[0]->pr_addr)->signal == process/
{
	@wakers[execname, pid, tid, stack()] = count();
}
