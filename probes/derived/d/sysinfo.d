/* what the kernel counts of a CPU, as mpstat(1M) does; arg0 is by how much a counter grows */
provider sysinfo {
	/* A CPU changes from one thread to another. */
	probe pswitch(int by)
		= rawtp:::sched_switch (1);

	/* A thread has to leave the CPU though it could go on. */
	probe inv_swtch(int by)
		= rawtp:::sched_switch /(args[0] || args[3] == 0) && args[1]->pid != 0/ (1);

	/* A CPU has nothing to do. */
	probe idlethread(int by)
		= rawtp:::sched_switch /args[2]->pid == 0/ (1);

	/* One CPU makes others do something. */
	probe xcalls(int by)
		= rawtp:::ipi_send_cpumask (1)
		+ rawtp:::ipi_send_cpu (1)
		| rawtp:::ipi_raise (1);

	/* A device interrupts a CPU. */
	probe intr(int by)
		= rawtp:::irq_handler_entry (1);

	/* A program asks for a read. */
	probe sysread(int by)
		= syscall:vmlinux:read:entry (1)
		+ syscall:vmlinux:readv:entry (1)
		+ syscall:vmlinux:pread64:entry (1)
		+ syscall:vmlinux:preadv:entry (1)
		+ syscall:vmlinux:preadv2:entry (1);

	/* Bytes have been read: how many. */
	probe readch(long by)
		= syscall:vmlinux:read:return /args[1] > 0/ (args[1])
		+ syscall:vmlinux:readv:return /args[1] > 0/ (args[1])
		+ syscall:vmlinux:pread64:return /args[1] > 0/ (args[1])
		+ syscall:vmlinux:preadv:return /args[1] > 0/ (args[1])
		+ syscall:vmlinux:preadv2:return /args[1] > 0/ (args[1]);

	/* A program asks for a write. */
	probe syswrite(int by)
		= syscall:vmlinux:write:entry (1)
		+ syscall:vmlinux:writev:entry (1)
		+ syscall:vmlinux:pwrite64:entry (1)
		+ syscall:vmlinux:pwritev:entry (1)
		+ syscall:vmlinux:pwritev2:entry (1);

	/* Bytes have been written: how many. */
	probe writech(long by)
		= syscall:vmlinux:write:return /args[1] > 0/ (args[1])
		+ syscall:vmlinux:writev:return /args[1] > 0/ (args[1])
		+ syscall:vmlinux:pwrite64:return /args[1] > 0/ (args[1])
		+ syscall:vmlinux:pwritev:return /args[1] > 0/ (args[1])
		+ syscall:vmlinux:pwritev2:return /args[1] > 0/ (args[1]);

	/* A process becomes another program. */
	probe sysexec(int by)
		= rawtp:::sched_process_exec (1);

	/* A process is made. */
	probe sysfork(int by)
		= rawtp:::sched_process_fork /args[1]->pid == args[1]->tgid/ (1);

	/* A thread is made. */
	probe nthreads(int by)
		= rawtp:::sched_process_fork /args[1]->pid != args[1]->tgid/ (1);

	/* A block is read from a disk. */
	probe bread(int by)
		= rawtp:::block_bio_queue /BIO_READS[args[0]]/ (1);

	/* A block is written to a disk. */
	probe bwrite(int by)
		= rawtp:::block_bio_queue /BIO_WRITES[args[0]]/ (1);

	/* A block is written to a disk, and nobody waits for it. */
	probe bawrite(int by)
		= rawtp:::block_bio_queue /BIO_WRITES[args[0]] && !(args[0]->bi_opf & REQ_SYNC)/ (1);

	/* A program sends or receives a message of System V. */
	probe msg(int by)
		= syscall:vmlinux:msgsnd:entry (1)
		+ syscall:vmlinux:msgrcv:entry (1);

	/* A program uses a semaphore of System V. */
	probe sema(int by)
		= syscall:vmlinux:semop:entry (1)
		+ syscall:vmlinux:semtimedop:entry (1);

	/* A mutex of the kernel is not free when a thread wants it. */
	probe mutex_adenters(int by)
		= rawtp:::contention_begin /args[1] == 33/ (1);

	/* A lock for reading and writing is not free when a thread wants to read. */
	probe rw_rdfails(int by)
		= rawtp:::contention_begin /args[1] == 2 || args[1] == 3/ (1);

	/* A lock for reading and writing is not free when a thread wants to write. */
	probe rw_wrfails(int by)
		= rawtp:::contention_begin /args[1] == 4 || args[1] == 5/ (1);

	/* A module is loaded. */
	probe modload(int by)
		= rawtp:::module_load (1);

	/* A module is unloaded. */
	probe modunload(int by)
		= rawtp:::module_free (1);

	/* A process does what traps it into the kernel: a page fault. */
	probe trap(int by)
		= rawtp:::page_fault_user (1)
		| fbt:vmlinux:handle_mm_fault:entry (1);

	/* A path is looked up. */
	probe namei(int by)
		= fbt:vmlinux:path_lookupat:entry (1)
		+ fbt:vmlinux:path_openat:entry (1);
};
