package elsewhere

// The tables follow what is published of the kernels: sys/thread.h, sys/proc.h, sys/user.h,
// sys/cred.h, sys/sobject.h, sys/stream.h, inet/tcp.h and sys/systm.h of illumos, sys/proc.h of FreeBSD, bsd/sys/proc_internal.h
// of macOS; and Linux's sched.h, cred.h, signal.h.

// A spelling is how Linux calls something. In what stands for a member, BASE is what
// it is selected from.
type spelling struct{ linux, note string }

// Module is Linux's own module.
const Module = "vmlinux"

// modules are what other kernels call the module of the kernel itself.
var modules = []string{"genunix", "unix", "kernel", "mach_kernel"}

const (
	lowIsHigh = "on Linux a low number is a high priority"
	ofLeader  = "a process is its first thread, a struct task_struct too"
	ofInode   = "a struct inode stands for a vnode"
	noMount   = "an inode does not know where it is mounted: fds[] and the fileinfo_t of io have fi_mount"
	noPath    = "an inode has no name: that of a struct dentry is d_name.name, args[1]->d_name.name in probes of vfs"
	noZones   = "Linux has no zones: zonename is always global"
	asSymbol  = "the kernel must list its variables (CONFIG_KALLSYMS_ALL)"
	noHz      = "Linux has no variable for it: the kernel is built for a number of ticks a second (CONFIG_HZ); use timestamp"
)

// whole are chains that are known with what they begin with.
var whole = map[string]spelling{
	"curthread->t_cpu":                        {"curcpu", ""},
	"curthread->t_cpu->cpu_id":                {"cpu", ""},
	"curthread->t_procp->p_user.u_psargs":     {"curpsinfo->pr_psargs", ""},
	"curthread->t_procp->p_user.u_comm":       {"curpsinfo->pr_fname", ""},
	"curthread->t_procp->p_user.u_cdir":       {"cwd", "a string, and not a vnode"},
	"curthread->t_procp->p_pidp->pid_id":      {"pid", ""},
	"curthread->t_procp->p_ppid":              {"ppid", ""},
	"curthread->t_procp->p_zone->zone_name":   {"zonename", noZones},
	"curthread->t_procp->p_zone->zone_id":     {"0", noZones},
	"curthread->t_procp->p_cred->cr_uid":      {"curpsinfo->pr_euid", ""},
	"curthread->t_procp->p_cred->cr_ruid":     {"uid", ""},
	"curthread->t_procp->p_cred->cr_gid":      {"curpsinfo->pr_egid", ""},
	"curthread->t_procp->p_cred->cr_rgid":     {"gid", ""},
	"curthread->t_tid":                        {"tid", ""},
	"curthread->td_tid":                       {"tid", ""},
	"curthread->td_name":                      {"execname", ""},
	"curthread->td_proc->p_comm":              {"curpsinfo->pr_fname", ""},
	"curthread->td_proc->p_pid":               {"pid", ""},
	"curthread->td_proc->p_pptr->p_pid":       {"ppid", ""},
	"curthread->td_ucred->cr_prison->pr_name": {"zonename", noZones},
	"curthread->td_oncpu":                     {"cpu", ""},
	"curthread->sched_pri":                    {"curthread->prio", lowIsHigh},
	"curthread->thread_id":                    {"tid", ""},
	"`utsname.nodename":                       {"curthread->nsproxy->uts_ns->name.nodename", "of the container, if the process is in one"},
	"`utsname.sysname":                        {"curthread->nsproxy->uts_ns->name.sysname", ""},
	"`utsname.release":                        {"curthread->nsproxy->uts_ns->name.release", ""},
	"`utsname.version":                        {"curthread->nsproxy->uts_ns->name.version", ""},
	"`utsname.machine":                        {"curthread->nsproxy->uts_ns->name.machine", ""},
}

// members are chains of members of threads and processes, whatever they begin with.
var members = map[string]spelling{
	// threads of illumos
	"->t_procp":                    {"->group_leader", ofLeader},
	"->t_procp->p_pidp->pid_id":    {"->tgid", ""},
	"->t_procp->p_ppid":            {"->real_parent->tgid", ""},
	"->t_procp->p_parent":          {"->real_parent", ""},
	"->t_procp->p_user.u_comm":     {"->group_leader->comm", ""},
	"->t_procp->p_user.u_psargs":   {"xlate <psinfo_t *> (BASE)->pr_psargs", "of another process than the one that fired it is the name alone"},
	"->t_procp->p_lwpcnt":          {"->signal->nr_threads", ""},
	"->t_procp->p_zone->zone_name": {"zonename", noZones},
	"->t_procp->p_zone->zone_id":   {"0", noZones},
	"->t_procp->p_cred->cr_uid":    {"->cred->euid.val", ""},
	"->t_procp->p_cred->cr_ruid":   {"->real_cred->uid.val", ""},
	"->t_procp->p_cred->cr_gid":    {"->cred->egid.val", ""},
	"->t_procp->p_cred->cr_rgid":   {"->real_cred->gid.val", ""},
	"->t_cred->cr_uid":             {"->cred->euid.val", ""},
	"->t_cred->cr_ruid":            {"->real_cred->uid.val", ""},
	"->t_cred->cr_gid":             {"->cred->egid.val", ""},
	"->t_cred->cr_rgid":            {"->real_cred->gid.val", ""},
	"->t_cred":                     {"->cred", ""},
	"->t_tid":                      {"->pid", ""},
	"->t_pri":                      {"->prio", lowIsHigh},
	"->t_epri":                     {"->prio", lowIsHigh},
	"->t_cpu->cpu_id":              {"->thread_info.cpu", ""},
	"->t_state":                    {"->__state", "the states are others: TASK_INTERRUPTIBLE is 1, and 0 runs"},
	"->t_start":                    {"(BASE->start_time / 1000000000)", "in seconds since the machine started"},
	"->t_stk":                      {"->stack", ""},
	"->t_wchan":                    {"", "Linux does not note what a thread sleeps on: trace(stack()) in sched:::off-cpu"},
	"->t_lwp":                      {"", "Linux has one struct for a thread, struct task_struct"},
	"->t_cpu":                      {"", "Linux has no struct of a CPU: ->thread_info.cpu is its number"},

	// processes of illumos
	"->p_pidp->pid_id":    {"->tgid", ""},
	"->p_ppid":            {"->real_parent->tgid", ""},
	"->p_user.u_comm":     {"->comm", ""},
	"->p_user.u_psargs":   {"xlate <psinfo_t *> (BASE)->pr_psargs", "of another process than the one that fired it is the name alone"},
	"->p_parent":          {"->real_parent", ""},
	"->p_lwpcnt":          {"->signal->nr_threads", ""},
	"->p_cred->cr_uid":    {"->cred->euid.val", ""},
	"->p_cred->cr_ruid":   {"->real_cred->uid.val", ""},
	"->p_zone->zone_name": {"zonename", noZones},

	// FreeBSD
	"->td_proc":                 {"->group_leader", ofLeader},
	"->td_proc->p_comm":         {"->group_leader->comm", ""},
	"->td_proc->p_pid":          {"->tgid", ""},
	"->td_proc->p_pptr":         {"->real_parent", ""},
	"->td_proc->p_pptr->p_pid":  {"->real_parent->tgid", ""},
	"->td_proc->p_pptr->p_comm": {"->real_parent->comm", ""},
	"->td_proc->p_numthreads":   {"->signal->nr_threads", ""},
	"->td_name":                 {"->comm", ""},
	"->td_tid":                  {"->pid", ""},
	"->td_priority":             {"->prio", lowIsHigh},
	"->td_oncpu":                {"->thread_info.cpu", ""},
	"->td_ucred->cr_uid":        {"->cred->euid.val", ""},
	"->td_ucred->cr_ruid":       {"->real_cred->uid.val", ""},
	"->td_kstack":               {"->stack", ""},
	"->p_comm":                  {"->comm", ""},
	"->p_pid":                   {"->tgid", ""},
	"->p_pptr":                  {"->real_parent", ""},
	"->p_numthreads":            {"->signal->nr_threads", ""},

	// files: vnodes of illumos, FreeBSD and macOS
	"->v_mount":                        {"->i_sb", ofInode},
	"->v_mount->mnt_vfc->vfc_name":     {"->i_sb->s_type->name", ofInode},
	"->v_mount->mnt_stat.f_fstypename": {"->i_sb->s_type->name", ofInode},
	"->v_mount->mnt_stat.f_mntonname":  {"", noMount},
	"->v_vfsp":                         {"->i_sb", ofInode},
	"->v_op->vnop_name":                {"->i_sb->s_type->name", ofInode},
	"->v_op":                           {"->i_op", ofInode},
	"->v_data":                         {"->i_private", ofInode + "; most file systems lay it out around the inode instead"},
	"->v_rdev":                         {"->i_rdev", ofInode},
	"->v_count":                        {"->i_count.counter", ofInode},
	"->v_usecount":                     {"->i_count.counter", ofInode},
	"->v_type":                         {"", "an inode has it in i_mode: (i_mode & 0170000) is 0100000 for VREG, 040000 for VDIR, 0120000 for VLNK"},
	"->v_path":                         {"", noPath},
	"->v_name":                         {"", noPath},
}

// types are the kernels' names of what Linux has, too; what is in it has other names mostly.
var types = map[string]spelling{
	"kthread_t":       {"struct task_struct", ""},
	"proc_t":          {"struct task_struct", ofLeader},
	"struct _kthread": {"struct task_struct", ""},
	"struct thread":   {"struct task_struct", ""},
	"struct proc":     {"struct task_struct", ofLeader},
	"lwpid_t":         {"pid_t", ""},

	"cred_t":       {"struct cred", ""},
	"struct ucred": {"struct cred", ""},

	"vnode_t":      {"struct inode", ofInode},
	"struct vnode": {"struct inode", ofInode},
	"vfs_t":        {"struct super_block", ""},
	"off64_t":      {"loff_t", ""},
	"timespec_t":   {"timestruc_t", ""},

	"kmutex_t":  {"struct mutex", ""},
	"krwlock_t": {"struct rw_semaphore", ""},

	"in6_addr_t":   {"struct in6_addr", ""},
	"in_addr_t":    {"ipaddr_t", ""},
	"in_port_t":    {"uint16_t", ""},
	"mblk_t":       {"struct sk_buff", ""},
	"struct mbuf":  {"struct sk_buff", ""},
	"tcp_t":        {"struct tcp_sock", ""},
	"struct tcpcb": {"struct tcp_sock", ""},
	"conn_t":       {"struct inet_sock", ""},
	"struct inpcb": {"struct inet_sock", ""},
	"struct ifnet": {"struct net_device", ""},
	"buf_t":        {"struct bio", ""},
	"struct buf":   {"struct bio", ""},
}

const noWait = "pr_stype is always 0: Linux does not note what a thread sleeps on; trace(stack()) in sched:::off-cpu"

// words are constants of the kernels that stand by themselves.
var words = map[string]spelling{
	"SOBJ_NONE":    {"", noWait},
	"SOBJ_MUTEX":   {"", noWait},
	"SOBJ_RWLOCK":  {"", noWait},
	"SOBJ_CV":      {"", noWait},
	"SOBJ_SEMA":    {"", noWait},
	"SOBJ_USER":    {"", noWait},
	"SOBJ_USER_PI": {"", noWait},
	"SOBJ_SHUTTLE": {"", noWait},
}

// symbols are variables of the kernels.
var symbols = map[string]spelling{
	"`hp_avenrun[]":  {"(((unsigned long *)&`avenrun)[] << 5)", asSymbol},
	"`lbolt":         {"*(unsigned long *)&`jiffies", asSymbol + "; it begins below zero, five minutes before it would overflow"},
	"`freemem":       {"*(long *)&`vm_zone_stat", asSymbol},
	"`physmem":       {"*(unsigned long *)&`_totalram_pages", asSymbol},
	"`physinstalled": {"*(unsigned long *)&`_totalram_pages", asSymbol},
	"`nproc":         {"*(int *)&`nr_threads", asSymbol + "; Linux counts threads"},
	"`ncpus_online":  {"*(unsigned int *)&`__num_online_cpus", asSymbol},
	"`ncpus":         {"*(unsigned int *)&`nr_cpu_ids", asSymbol},
	"`max_nprocs":    {"*(int *)&`max_threads", asSymbol + "; Linux counts threads"},
	"`hz":            {"", noHz},
	"`nsec_per_tick": {"", noHz},
}
