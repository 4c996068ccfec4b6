/* Processes and threads, by the names of proc(5) on Solaris. */

typedef struct timestruc {
	time_t tv_sec;			/* seconds */
	long tv_nsec;			/* and nanoseconds */
} timestruc_t;

translator timestruc_t < int64_t ns > {
	tv_sec = ns / 1000000000;
	tv_nsec = ns % 1000000000;
};

typedef struct lwpsinfo {
	int pr_flag;			/* flags of the thread */
	id_t pr_lwpid;			/* number of the thread */
	uintptr_t pr_addr;		/* its task_struct */
	uintptr_t pr_wchan;		/* what it waits for */
	char pr_stype;			/* how it waits */
	char pr_state;			/* its state: SSLEEP, SRUN, … */
	char pr_sname;			/* the same as a letter */
	char pr_nice;			/* its nice value */
	short pr_syscall;		/* the system call that it is in */
	char pr_oldpri;			/* priority; the low are high */
	char pr_cpu;			/* its use of the processor */
	int pr_pri;			/* priority */
	ushort_t pr_pctcpu;		/* share of recent time */
	ushort_t pr_pad;
	timestruc_t pr_start;		/* when it began, by the wall clock */
	timestruc_t pr_time;		/* how long it has run */
	char pr_clname[8];		/* its scheduling class */
	char pr_name[16];		/* its name */
	processorid_t pr_onpro;		/* the processor that it last ran on */
	processorid_t pr_bindpro;	/* the processor that it is bound to */
	psetid_t pr_bindpset;		/* the set of processors */
	lgrp_id_t pr_lgrp;		/* its locality group */
} lwpsinfo_t;

typedef struct psinfo {
	int pr_flag;			/* flags of the process */
	int pr_nlwp;			/* how many threads it has */
	pid_t pr_pid;			/* its number */
	pid_t pr_ppid;			/* that of its parent */
	pid_t pr_pgid;			/* that of the leader of its group */
	pid_t pr_sid;			/* that of the leader of its session */
	uid_t pr_uid;			/* real user */
	uid_t pr_euid;			/* effective user */
	gid_t pr_gid;			/* real group */
	gid_t pr_egid;			/* effective group */
	uintptr_t pr_addr;		/* its task_struct */
	size_t pr_size;			/* its size, in KiB */
	size_t pr_rssize;		/* what is in memory, in KiB */
	struct tty_struct *pr_ttydev;	/* its terminal, or -1 */
	ushort_t pr_pctcpu;		/* share of recent time */
	ushort_t pr_pctmem;		/* share of memory */
	timestruc_t pr_start;		/* when it began, by the wall clock */
	timestruc_t pr_time;		/* how long it has run */
	timestruc_t pr_ctime;		/* how long its children have */
	char pr_fname[16];		/* name of the file that it executes */
	char pr_psargs[80];		/* what it was started with */
	int pr_wstat;			/* its status for wait(2) */
	int pr_argc;			/* how many arguments */
	uintptr_t pr_argv;		/* where they are, in the process */
	uintptr_t pr_envp;		/* where its environment is */
	char pr_dmodel;			/* PR_MODEL_LP64 or PR_MODEL_ILP32 */
	taskid_t pr_taskid;		/* Linux has none of these: 0 */
	projid_t pr_projid;
	int pr_nzomb;
	poolid_t pr_poolid;
	zoneid_t pr_zoneid;
	ctid_t pr_contract;
	lwpsinfo_t pr_lwp;		/* the thread that fired */
} psinfo_t;

inline char PR_MODEL_ILP32 = 1;
inline char PR_MODEL_LP64 = 2;

inline int PIDTYPE_PID = 0;
inline int PIDTYPE_TGID = 1;
inline int PIDTYPE_PGID = 2;
inline int PIDTYPE_SID = 3;

inline int PR_STOPPED = 0x00000001;
inline int PR_ISTOP = 0x00000002;
inline int PR_DSTOP = 0x00000004;
inline int PR_ASLEEP = 0x00000008;
inline int PR_ISSYS = 0x00001000;
inline int PR_IDLE = 0x10000000;

inline char SSLEEP = 1;
inline char SRUN = 2;
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SIDL = 5;
inline char SONPROC = 6;
inline char SWAIT = 7;

inline int CLD_EXITED = 1;
inline int CLD_KILLED = 2;
inline int CLD_DUMPED = 3;
inline int CLD_TRAPPED = 4;
inline int CLD_STOPPED = 5;
inline int CLD_CONTINUED = 6;

/*
 * The memory of a process can be read while it runs: what lies there is told
 * of the process that fired, and of no other. Its stack begins with the number
 * of its arguments, their addresses, a zero, and the addresses of the variables
 * of its environment.
 */
translator psinfo_t < struct task_struct *T > {
	pr_nlwp = T->signal->nr_threads;
	pr_pid = T->tgid;
	pr_ppid = T->real_parent->tgid;
	pr_pgid = T->signal->pids[PIDTYPE_PGID]->numbers[0].nr;
	pr_sid = T->signal->pids[PIDTYPE_SID]->numbers[0].nr;
	pr_uid = T->real_cred->uid.val;
	pr_euid = T->real_cred->euid.val;
	pr_gid = T->real_cred->gid.val;
	pr_egid = T->real_cred->egid.val;
	pr_addr = (uintptr_t)T;
	pr_ttydev = T->signal->tty ? T->signal->tty : (struct tty_struct *)-1;
	pr_start = xlate <timestruc_t> ((int64_t)(walltimestamp - (timestamp - T->group_leader->start_time)));
	pr_fname = T->comm;
	pr_psargs = T->mm != NULL && T->mm == curthread->mm ? execargs : stringof(T->comm);
	pr_wstat = T->exit_code;
	pr_argc = T->mm != NULL && T->mm == curthread->mm ? *(int *)copyin(T->mm->start_stack, 4) : 0;
	pr_argv = T->mm != NULL ? T->mm->start_stack + 8 : 0;
	pr_envp = T->mm != NULL && T->mm == curthread->mm ?
	    T->mm->start_stack + 8 * (2 + *(int *)copyin(T->mm->start_stack, 4)) : 0;
	pr_dmodel = T->mm != NULL && T->mm->task_size <= 0x100000000 ? PR_MODEL_ILP32 : PR_MODEL_LP64;
	pr_taskid = 0;
	pr_projid = 0;
	pr_nzomb = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
	pr_lwp = xlate <lwpsinfo_t> (T);
};

translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = (T->__state & 0x0004 ? PR_STOPPED : T->__state & 0x0001 ? PR_ASLEEP : 0) |
	    (T->flags & 0x00200000 ? PR_ISSYS : 0);
	pr_lwpid = T->pid;
	pr_addr = (uintptr_t)T;
	pr_wchan = 0;
	pr_stype = 0;
	pr_state = T->__state & 0x0003 ? SSLEEP :
	    T->__state & 0x000c ? SSTOP :
	    T->exit_state | T->__state & 0x0080 ? SZOMB : SRUN;
	pr_sname = T->__state & 0x0003 ? 'S' :
	    T->__state & 0x000c ? 'T' :
	    T->exit_state | T->__state & 0x0080 ? 'Z' : 'R';
	pr_pri = T->prio;
	pr_start = xlate <timestruc_t> ((int64_t)(walltimestamp - (timestamp - T->start_time)));
	pr_time = xlate <timestruc_t> ((int64_t)T->se.sum_exec_runtime);
	pr_clname = T->policy == 0 ? "TS" : T->policy == 1 ? "FF" : T->policy == 2 ? "RR" :
	    T->policy == 3 ? "B" : T->policy == 5 ? "IDL" : T->policy == 6 ? "DLN" : "?";
	pr_name = T->comm;
	pr_onpro = T->thread_info.cpu;
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> (curthread);
#pragma D attributes Stable/Stable/Common curpsinfo

/* Linux has no zones; what runs in a container is told apart by its namespaces. */
inline string zonename = "global";
#pragma D attributes Stable/Stable/Common zonename

inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> (curthread);
#pragma D attributes Stable/Stable/Common curlwpsinfo
