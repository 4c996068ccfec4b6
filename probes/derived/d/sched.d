/* what the scheduler does with threads: on and off the processors, asleep, awake */
provider sched {
	/* The thread leaves the processor; the arguments are the thread that comes. */
	probe off-cpu(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T)
		= rawtp:::sched_switch /args[1] != args[2]/ (args[2]);

	/* The thread has come onto the processor. */
	probe on-cpu()
		= rawtp:::sched_exit_tp /args[0]/
		| fbt:vmlinux:finish_task_switch:entry
		| fbt:vmlinux:finish_task_switch.isra.0:entry;

	/* The scheduler ran, and the thread stays on the processor. */
	probe remain-cpu()
		= rawtp:::sched_exit_tp /!args[0]/;

	/* The thread has to leave the processor though it could go on. */
	probe preempt()
		= rawtp:::sched_switch /args[1] != args[2] && (args[0] || args[3] == 0) && args[1]->pid != 0/;

	/* The thread leaves the processor to wait for something. */
	probe sleep()
		= rawtp:::sched_switch /!args[0] && args[3] != 0/;

	/* The thread wakes the one that the arguments tell. */
	probe wakeup(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T)
		= rawtp:::sched_waking (args[0]);

	/* The thread offers the processor to others by itself. */
	probe surrender(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T)
		= syscall:vmlinux:sched_yield:entry (curthread);

	/* The clock ticks on a processor; the arguments are the thread that runs there. */
	probe tick(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T)
		= fbt:vmlinux:sched_tick:entry (curthread)
		| fbt:vmlinux:scheduler_tick:entry (curthread)
		| rawtp:::hrtimer_expire_entry /(uintptr_t)args[0]->function == (uintptr_t)&`tick_nohz_handler/ (curthread)
		| rawtp:::hrtimer_expire_entry /(uintptr_t)args[0]->function == (uintptr_t)&`tick_sched_timer/ (curthread);

	/*
	 * A thread that can run is put into the queue of a processor. Without function
	 * probes: of those, the threads that are woken or new.
	 */
	probe enqueue(struct task_struct *T, int cpu) : (lwpsinfo_t *T, psinfo_t *T, cpuinfo_t *cpu)
		= fbt:vmlinux:enqueue_task_fair:entry (args[1], args[0]->cpu)
		+ fbt:vmlinux:enqueue_task_rt:entry (args[1], args[0]->cpu)
		+ fbt:vmlinux:enqueue_task_dl:entry (args[1], args[0]->cpu)
		+ fbt:vmlinux:enqueue_task_stop:entry (args[1], args[0]->cpu)
		| rawtp:::sched_wakeup (args[0], args[0]->thread_info.cpu)
		+ rawtp:::sched_wakeup_new (args[0], args[0]->thread_info.cpu);

	/*
	 * A thread is taken out of the queue of a processor. Without function probes: of
	 * those, the threads that go to sleep.
	 */
	probe dequeue(struct task_struct *T, int cpu, int asleep) : (lwpsinfo_t *T, psinfo_t *T, cpuinfo_t *cpu, int asleep)
		= fbt:vmlinux:dequeue_task_fair:entry (args[1], args[0]->cpu, args[2] & 1)
		+ fbt:vmlinux:dequeue_task_rt:entry (args[1], args[0]->cpu, args[2] & 1)
		+ fbt:vmlinux:dequeue_task_dl:entry (args[1], args[0]->cpu, args[2] & 1)
		+ fbt:vmlinux:dequeue_task_stop:entry (args[1], args[0]->cpu, args[2] & 1)
		| rawtp:::sched_switch /!args[0] && args[3] != 0/ (args[1], cpu, 1);

	/* The priority of a thread is about to change to the last argument. */
	probe change-pri(struct task_struct *T, int pri) : (lwpsinfo_t *T, psinfo_t *T, int pri)
		= fbt:vmlinux:set_user_nice:entry (args[0], 120 + args[1])
		+ rawtp:::sched_pi_setprio (args[0], args[1] == NULL ? args[0]->normal_prio :
		    args[1]->prio < args[0]->normal_prio ? args[1]->prio : args[0]->normal_prio)
		| rawtp:::sched_pi_setprio (args[0], args[1] == NULL ? args[0]->normal_prio :
		    args[1]->prio < args[0]->normal_prio ? args[1]->prio : args[0]->normal_prio);
};
