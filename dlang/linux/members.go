package linux

// A Member is a member of a struct of the kernel that some function of D reads.
type Member int

// The members.
const (
	TaskPID Member = iota // number of the thread
	TaskTGID
	TaskComm
	TaskStart
	TaskLeader
	TaskParent
	TaskMemory
	TaskFS
	TaskFiles
	TaskCred
	TaskThreadPID

	ArgStart // of the arguments that a process was started with
	ArgEnd
	MemoryFlags

	CredUID
	CredEUID
	CredSUID
	CredGID
	CredEGID
	CredSGID
	CredPermitted

	PIDNumbers
	PIDSpaceInode

	RootDir // struct path
	WorkDir
	FilePath
	OpenFiles
	OpenMost
	OpenList

	DentryParent
	DentryName
	DentryFS
	DentryInode
	DentryHashed // null once the file has been removed
	DentryAlias  // by which an inode lists its names

	InodeNumber
	InodeNames
	InodeFS

	FSMagic
	FSRoot
	FSMounts // the first of the file system's mounts

	MountPublic // the struct vfsmount
	MountParent
	MountPoint
	MountSpace // of the process that sees it; none, or a number of an error, if nobody does
	MountShown // the dentry that it shows as its root
	MountNext  // the next of its file system; of type struct list_head by its older name
	MountRoot  // the same as MountShown, as struct vfsmount has it

	MutexOwner

	memberCount
)

// A row says where a member is found: a member of a member is written with a point.
type row struct {
	of, name string
	older    string // what kernels of before call it; "" if they do not differ
	size     int    // bytes that are read of it
}

// The names are those of Linux 7.2; older ones are back to 5.17.
var members = [memberCount]row{
	TaskPID:       {of: "task_struct", name: "pid", size: 4},
	TaskTGID:      {of: "task_struct", name: "tgid", size: 4},
	TaskComm:      {of: "task_struct", name: "comm", size: CommSize},
	TaskStart:     {of: "task_struct", name: "start_time", size: 8},
	TaskLeader:    {of: "task_struct", name: "group_leader", size: 8},
	TaskParent:    {of: "task_struct", name: "real_parent", size: 8},
	TaskMemory:    {of: "task_struct", name: "mm", size: 8},
	TaskFS:        {of: "task_struct", name: "fs", size: 8},
	TaskFiles:     {of: "task_struct", name: "files", size: 8},
	TaskCred:      {of: "task_struct", name: "real_cred", size: 8},
	TaskThreadPID: {of: "task_struct", name: "thread_pid", size: 8},

	ArgStart:    {of: "mm_struct", name: "arg_start", size: 8},
	ArgEnd:      {of: "mm_struct", name: "arg_end", size: 8},
	MemoryFlags: {of: "mm_struct", name: "flags", size: 8},

	CredUID:       {of: "cred", name: "uid", size: 4},
	CredEUID:      {of: "cred", name: "euid", size: 4},
	CredSUID:      {of: "cred", name: "suid", size: 4},
	CredGID:       {of: "cred", name: "gid", size: 4},
	CredEGID:      {of: "cred", name: "egid", size: 4},
	CredSGID:      {of: "cred", name: "sgid", size: 4},
	CredPermitted: {of: "cred", name: "cap_permitted", size: 8},

	PIDNumbers:    {of: "pid", name: "numbers", size: UPIDSize},
	PIDSpaceInode: {of: "pid_namespace", name: "ns.inum", size: 4},

	RootDir:   {of: "fs_struct", name: "root", size: PathSize},
	WorkDir:   {of: "fs_struct", name: "pwd", size: PathSize},
	FilePath:  {of: "file", name: "f_path", size: PathSize},
	OpenFiles: {of: "files_struct", name: "fdt", size: 8},
	OpenMost:  {of: "fdtable", name: "max_fds", size: 4},
	OpenList:  {of: "fdtable", name: "fd", size: 8},

	DentryParent: {of: "dentry", name: "d_parent", size: 8},
	DentryName:   {of: "dentry", name: "d_name.name", size: 8},
	DentryFS:     {of: "dentry", name: "d_sb", size: 8},
	DentryInode:  {of: "dentry", name: "d_inode", size: 8},
	DentryHashed: {of: "dentry", name: "d_hash.pprev", size: 8},
	DentryAlias:  {of: "dentry", name: "d_alias", older: "d_u", size: 16}, // in a union with a name, before 7.2

	InodeNumber: {of: "inode", name: "i_ino", size: 8},
	InodeNames:  {of: "inode", name: "i_dentry", size: 8},
	InodeFS:     {of: "inode", name: "i_sb", size: 8},

	FSMagic:  {of: "super_block", name: "s_magic", size: 8},
	FSRoot:   {of: "super_block", name: "s_root", size: 8},
	FSMounts: {of: "super_block", name: "s_mounts", size: 8},

	MountPublic: {of: "mount", name: "mnt"},
	MountParent: {of: "mount", name: "mnt_parent", size: 8},
	MountPoint:  {of: "mount", name: "mnt_mountpoint", size: 8},
	MountSpace:  {of: "mount", name: "mnt_ns", size: 8},
	MountShown:  {of: "mount", name: "mnt.mnt_root", size: 8},
	MountNext:   {of: "mount", name: "mnt_next_for_sb", older: "mnt_instance", size: 8}, // a list, before 6.18
	MountRoot:   {of: "vfsmount", name: "mnt_root", size: 8},

	MutexOwner: {of: "mutex", name: "owner", size: 8},
}

// Members returns all of them.
func Members() (list []Member) {
	for m := range memberCount {
		list = append(list, m)
	}
	return list
}

// String returns what a complaint calls a member: struct dentry keeps d_parent.
func (m Member) String() string { return "struct " + members[m].of + " keeps " + members[m].name }

// Size returns how many bytes of a member are read.
func (m Member) Size() int { return members[m].size }
