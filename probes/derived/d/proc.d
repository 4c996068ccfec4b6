/* the lives of processes and threads: creation, exec, exit, signals */
provider proc {
	/* A process has made the one that the argument tells. */
	probe create(struct task_struct *T) : (psinfo_t *T)
		= rawtp:::sched_process_fork /args[1]->pid == args[1]->tgid/ (args[1]);

	/* A thread has made the one that the arguments tell: the first of a process too. */
	probe lwp-create(struct task_struct *T) : (lwpsinfo_t *T, psinfo_t *T)
		= rawtp:::sched_process_fork (args[1]);

	/* A new process begins, and this is it. */
	probe start()
		= fbt:vmlinux:schedule_tail:return /curthread->pid == curthread->tgid/
		| syscall:vmlinux:clone:return /arg1 == 0 && curthread->pid == curthread->tgid/
		+ syscall:vmlinux:clone3:return /arg1 == 0 && curthread->pid == curthread->tgid/
		+ syscall:vmlinux:fork:return /arg1 == 0/
		+ syscall:vmlinux:vfork:return /arg1 == 0/;

	/* A new thread begins, and this is it. */
	probe lwp-start()
		= fbt:vmlinux:schedule_tail:return
		| syscall:vmlinux:clone:return /arg1 == 0/
		+ syscall:vmlinux:clone3:return /arg1 == 0/
		+ syscall:vmlinux:fork:return /arg1 == 0/
		+ syscall:vmlinux:vfork:return /arg1 == 0/;

	/* The process is about to run another program, of this path. */
	probe exec(user char *path) : (string path)
		= syscall:vmlinux:execve:entry (arg0)
		+ syscall:vmlinux:execveat:entry (arg1);

	/* The process has become another program. */
	probe exec-success()
		= rawtp:::sched_process_exec;

	/*
	 * The process could not run another program. arg0 is the error as Solaris tells it, ENOENT;
	 * args[0] as Linux does, below 0: -ENOENT.
	 */
	probe exec-failure(int error, int result) : (int result)
		= syscall:vmlinux:execve:return /(int)arg1 < 0/ (-(int)arg1, (int)arg1)
		+ syscall:vmlinux:execveat:return /(int)arg1 < 0/ (-(int)arg1, (int)arg1);

	/*
	 * The process ends: CLD_EXITED, CLD_KILLED, CLD_DUMPED. Where the kernel does not
	 * tell which thread is the last, its first thread ends.
	 */
	probe exit(int reason)
		= rawtp:::sched_process_exit /args[1]/
		    (args[0]->exit_code & 0x7f ? args[0]->exit_code & 0x80 ? 3 : 2 : 1)
		| rawtp:::sched_process_exit /args[0]->pid == args[0]->tgid/
		    (args[0]->exit_code & 0x7f ? args[0]->exit_code & 0x80 ? 3 : 2 : 1);

	/* The thread ends. */
	probe lwp-exit()
		= rawtp:::sched_process_exit;

	/* A signal is sent to the thread that the arguments tell. */
	probe signal-send(struct task_struct *T, int signal) : (lwpsinfo_t *T, psinfo_t *T, int signal)
		= rawtp:::signal_generate (args[2], args[0]);

	/* A signal that was sent is thrown away, because it is ignored. */
	probe signal-discard(struct task_struct *T, int signal) : (lwpsinfo_t *T, psinfo_t *T, int signal)
		= rawtp:::signal_generate /args[4] == 1/ (args[2], args[0]);

	/*
	 * The thread is about to do what a signal asks for. The kernel ends the threads of
	 * a process by SIGKILL: that counts as the signal that ended the process, and
	 * not at all where the process ended by itself or runs another program.
	 */
	probe signal-handle(int signal, siginfo_t *info, void *handler)
		= rawtp:::signal_deliver
		    /args[0] != 9 || curthread->signal->group_exit_code & 0x7f ||
		    (!(curthread->signal->flags & 4) && curthread->signal->group_exec_task == NULL)/
		    (args[0] == 9 && curthread->signal->group_exit_code & 0x7f ? curthread->signal->group_exit_code & 0x7f : args[0],
		    (siginfo_t *)args[1], (void *)args[2]->sa.sa_handler);

	/* A signal that was waited for is taken without a handler. */
	probe signal-clear(int signal)
		= syscall:vmlinux:rt_sigtimedwait:return /(int)arg1 > 0/ (arg1);

	/*
	 * The thread has done what the machine does not allow. The first argument is a
	 * fault of proc(5): FLTILL 1, FLTBPT 3, FLTTRACE 4, FLTACCESS 5, FLTBOUNDS 6,
	 * FLTIZDIV 8, FLTFPE 9.
	 */
	probe fault(int fault, siginfo_t *info)
		= rawtp:::signal_generate /(uintptr_t)args[1] > 1 && args[1]->si_code > 0 && args[1]->si_code < 0x80 &&
		    (args[0] == 4 || args[0] == 5 || args[0] == 7 || args[0] == 8 || args[0] == 11) && args[2] == curthread/
		    (args[0] == 4 ? 1 : args[0] == 5 ? (args[1]->si_code == 2 ? 4 : 3) : args[0] == 7 ? 5 :
		    args[0] == 8 ? (args[1]->si_code == 1 ? 8 : 9) : args[1]->si_code == 1 ? 6 : 5,
		    (siginfo_t *)args[1]);
};
