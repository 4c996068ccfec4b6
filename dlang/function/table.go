package function

import (
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// The functions of the DTrace guides, and our own.
const (
	None ID = iota // no function of D: one of the script, or a wrong name

	Trace
	Printf
	Exit
	Tracemem
	Stack
	Ustack
	Jstack
	Setopt
	Sym
	Func
	Mod
	Usym
	Ufunc
	Umod
	Uaddr

	Printa
	Clear
	Trunc
	Normalize
	Denormalize

	Speculation
	Speculate
	Commit
	Discard

	Chill
	Freopen
	Ftruncate
	Pcap
	Print
	Raise
	Stop
	System
	Breakpoint
	Panic

	Alloca
	Bcopy
	Basename
	Copyin
	Copyinstr
	Copyinto
	Cleanpath
	Dirname
	Htonl
	Htonll
	Htons
	Index
	Json
	Lltostr
	Ntohl
	Ntohll
	Ntohs
	Rand
	Rindex
	Strchr
	Strjoin
	Strlen
	Strrchr
	Strstr
	Strtoll
	Substr
	Strtok
	Tolower
	Toupper

	AddrKind
	DPath
	FiPathname
	Getf
	Getmajor
	Getminor
	InetNtoa
	InetNtoa6
	InetNtop
	InodeDir
	InodeMount
	InodePath
	LinkNtop
	MutexOwned
	MutexOwner
	MutexTypeAdaptive
	MutexTypeSpin
	Progenyof
	RwIswriter
	RwReadHeld
	RwWriteHeld
	Copyout
	Copyoutstr

	DdiPathname
	Memref
	Msgdsize
	Msgsize
	Toutf8
	Typeref
	Vmregs
	Printm
	Printt

	Count // one more than the last
)

// Why some functions are refused.
const (
	noKernel = "stock Linux gives no way to do it"
	alien    = "Linux has no such thing"
)

var sizeT = &types.Typedef{Name: "size_t", Under: types.ULong}

var table = complete([Count]Function{
	// Actions that record.
	Trace: {Proto: "trace(value)", Help: "records a value",
		Action: true, Records: true, Params: []Want{Any}, Min: 1, Code: diag.TraceVoid},
	Printf: {Proto: "printf(string format, …)", Help: "records values and prints them by a format",
		Action: true, Records: true, Params: []Want{String}, Min: 1, Rest: true, Format: true},
	Exit: {Proto: "exit(int status)", Help: "ends tracing",
		Action: true, Records: true, Params: []Want{Int}, Min: 1, Stops: true},
	Tracemem: {Proto: "tracemem(addr, size_t size[, size_t limit])", Help: "records memory and dumps it",
		Action: true, Records: true, Params: []Want{Addr, Int, Int}, Min: 2, Code: diag.TracememAddr},
	Stack: {Proto: "stack([int frames])", Help: "records the kernel stack",
		Action: true, Records: true, Params: []Want{Int}, Key: KeyStack, About: Kernel},
	Ustack: {Proto: "ustack([int frames[, int strsize]])", Help: "records the user stack",
		Action: true, Records: true, Params: []Want{Int, Int}, Key: KeyUstack, About: Process},
	Jstack: {Proto: "jstack([int frames[, int strsize]])", Help: "records the user stack",
		Action: true, Records: true, Params: []Want{Int, Int}, Key: KeyUstack, About: Process},
	Setopt: {Proto: "setopt(string option[, string value])", Help: "sets an option while tracing",
		Action: true, Records: true, Params: []Want{String, String}, Min: 1, Since: "1.2"},
	Sym: {Proto: "sym(addr)", Help: "names the kernel symbol at an address",
		Action: true, Records: true, Params: []Want{Addr}, Min: 1, Result: types.UInt64, Key: KeySym, Since: "1.2", About: Kernel},
	Func: {Proto: "func(addr)", Help: "names the kernel function at an address",
		Action: true, Records: true, Params: []Want{Addr}, Min: 1, Result: types.UInt64, Key: KeySym, Since: "1.2", About: Kernel},
	Mod: {Proto: "mod(addr)", Help: "names the kernel module at an address",
		Action: true, Records: true, Params: []Want{Addr}, Min: 1, Result: types.UInt64, Key: KeyMod, Since: "1.2", About: Kernel},
	Usym: {Proto: "usym(addr)", Help: "names the symbol of the process at an address",
		Action: true, Records: true, Params: []Want{Addr}, Min: 1, Result: types.UInt64, Key: KeyUsym, Since: "1.2", About: Process},
	Ufunc: {Proto: "ufunc(addr)", Help: "names the function of the process at an address",
		Action: true, Records: true, Params: []Want{Addr}, Min: 1, Result: types.UInt64, Key: KeyUsym, Since: "1.2", About: Process},
	Umod: {Proto: "umod(addr)", Help: "names the library of the process at an address",
		Action: true, Records: true, Params: []Want{Addr}, Min: 1, Result: types.UInt64, Key: KeyUmod, Since: "1.2", About: Process},
	Uaddr: {Proto: "uaddr(addr)", Help: "names the place of the process at an address",
		Action: true, Records: true, Params: []Want{Addr}, Min: 1, Result: types.UInt64, Key: KeyUaddr, Since: "1.2", About: Process},

	// Actions on aggregations.
	Printa: {Proto: "printa([string format,] @agg, …)", Help: "prints aggregations",
		Action: true, Records: true, Params: []Want{Any}, Min: 1, Rest: true},
	Clear: {Proto: "clear(@agg)", Help: "sets the values of an aggregation to zero",
		Action: true, Records: true, Params: []Want{Agg}, Min: 1, Code: diag.ClearAgg},
	Trunc: {Proto: "trunc(@agg[, int64_t n])", Help: "keeps the n highest keys of an aggregation, or the lowest if n < 0",
		Action: true, Records: true, Params: []Want{Agg, Int}, Min: 1, Code: diag.TruncAgg},
	Normalize: {Proto: "normalize(@agg, uint64_t by)", Help: "shows the values of an aggregation divided by a number",
		Action: true, Records: true, Params: []Want{Agg, Int}, Min: 2, Code: diag.NormalizeAgg},
	Denormalize: {Proto: "denormalize(@agg)", Help: "undoes normalize()",
		Action: true, Records: true, Params: []Want{Agg}, Min: 1, Code: diag.NormalizeAgg},

	// Speculative tracing. Its actions leave no record of the clause.
	Speculation: {Proto: "speculation()", Help: "opens a speculation and gives its number, or 0 if none is free",
		Result: types.IntType, Speculates: true},
	Speculate: {Proto: "speculate(int id)", Help: "makes what the clause records wait for commit()",
		Action: true, Params: []Want{Int}, Min: 1, Speculates: true},
	Commit: {Proto: "commit(int id)", Help: "lets what was recorded speculatively into the output",
		Action: true, Params: []Want{Int}, Min: 1, Speculates: true},
	Discard: {Proto: "discard(int id)", Help: "throws away what was recorded speculatively",
		Action: true, Params: []Want{Int}, Min: 1, Speculates: true},

	// Actions that reach beyond tracing, or that print what they find in a form of their
	// own: they act on the process, on the file that output goes to, or show packets and
	// whole structs.
	Chill: {Proto: "chill(int ns)", Help: "spins for a while, to see what a delay does",
		Action: true, Records: true, Params: []Want{Int}, Min: 1, Destructive: true, Irrevocable: true, About: Kernel},
	Freopen: {Proto: "freopen(string path, …)", Help: "sends the output to a file, or with \"\" back again",
		Action: true, Records: true, Params: []Want{String}, Min: 1, Rest: true, Format: true, Destructive: true, Since: "1.1"},
	Ftruncate: {Proto: "ftruncate()", Help: "empties the file that the output goes to",
		Action: true, Records: true},
	Pcap: {Proto: "pcap(struct sk_buff *, int protocol)", Help: "captures a packet",
		Action: true, Records: true, Params: []Want{Pointer, Int}, Min: 2, Since: "1.6.4", About: Kernel},
	Print: {Proto: "print(void *addr)", Help: "prints what a pointer points to by its type",
		Action: true, Records: true, Params: []Want{Any}, Min: 1, Since: "2.0"},
	Raise: {Proto: "raise(int signal)", Help: "sends a signal to the process",
		Action: true, Records: true, Params: []Want{Int}, Min: 1, Destructive: true, Irrevocable: true, About: Process},
	Stop: {Proto: "stop()", Help: "stops the process as SIGSTOP does",
		Action: true, Records: true, Destructive: true, Irrevocable: true, About: Process},
	System: {Proto: "system(string command, …)", Help: "runs a command of the shell",
		Action: true, Records: true, Params: []Want{String}, Min: 1, Rest: true, Format: true, Destructive: true},
	Breakpoint: {Proto: "breakpoint()", Help: "stops in the kernel's debugger",
		Action: true, Records: true, Why: noKernel, Destructive: true, Irrevocable: true},
	Panic: {Proto: "panic()", Help: "panics the kernel",
		Action: true, Records: true, Why: noKernel, Destructive: true, Irrevocable: true},

	// Subroutines.
	Alloca: {Proto: "alloca(size_t size)", Help: "gives scratch memory until the clause ends",
		Params: []Want{Int}, Min: 1, Result: types.VoidPtr, Scratch: true},
	Bcopy: {Proto: "bcopy(void *from, void *to, size_t size)", Help: "copies into scratch memory",
		Params: []Want{Addr, Pointer, Int}, Min: 3, OrString: true, To: 1, Size: 2},
	Basename: {Proto: "basename(string path)", Help: "gives the last part of a path",
		Params: []Want{String}, Min: 1, Result: types.StrType},
	Copyin: {Proto: "copyin(addr, size_t size)", Help: "copies memory of the process",
		Params: []Want{Addr, Int}, Min: 2, Result: types.VoidPtr, Scratch: true, About: Process},
	Copyinstr: {Proto: "copyinstr(addr[, size_t max])", Help: "copies a string of the process",
		Params: []Want{Addr, Int}, Min: 1, Result: types.StrType, About: Process},
	Copyinto: {Proto: "copyinto(addr, size_t size, void *to)", Help: "copies memory of the process to scratch memory",
		Params: []Want{Addr, Int, Pointer}, Min: 3, To: 2, Size: 1, About: Process},
	Cleanpath: {Proto: "cleanpath(string path)", Help: "gives a path without empty parts, . and ..",
		Params: []Want{String}, Min: 1, Result: types.StrType},
	Dirname: {Proto: "dirname(string path)", Help: "gives a path without its last part",
		Params: []Want{String}, Min: 1, Result: types.StrType},
	Htonl: {Proto: "htonl(uint32_t)", Help: "swaps to the byte order of the network",
		Params: []Want{Int}, Min: 1, Result: types.UInt32, Since: "1.3"},
	Htonll: {Proto: "htonll(uint64_t)", Help: "swaps to the byte order of the network",
		Params: []Want{Int}, Min: 1, Result: types.UInt64, Since: "1.3"},
	Htons: {Proto: "htons(uint16_t)", Help: "swaps to the byte order of the network",
		Params: []Want{Int}, Min: 1, Result: types.UInt16, Since: "1.3"},
	Index: {Proto: "index(string s, string part[, int from])", Help: "finds where a string holds another, or -1",
		Params: []Want{String, String, Int}, Min: 2, Result: types.IntType, Since: "1.1"},
	Json: {Proto: "json(string text, string element)", Help: "gives an element of JSON text, such as a.b[2], or NULL",
		Params: []Want{String, String}, Min: 2, Result: types.StrType, MayBeNull: true, Home: Illumos},
	Lltostr: {Proto: "lltostr(int64_t n[, int base])", Help: "spells a number",
		Params: []Want{Int, Int}, Min: 1, Result: types.StrType},
	Ntohl: {Proto: "ntohl(uint32_t)", Help: "swaps from the byte order of the network",
		Params: []Want{Int}, Min: 1, Result: types.UInt32, Since: "1.3"},
	Ntohll: {Proto: "ntohll(uint64_t)", Help: "swaps from the byte order of the network",
		Params: []Want{Int}, Min: 1, Result: types.UInt64, Since: "1.3"},
	Ntohs: {Proto: "ntohs(uint16_t)", Help: "swaps from the byte order of the network",
		Params: []Want{Int}, Min: 1, Result: types.UInt16, Since: "1.3"},
	Rand: {Proto: "rand()", Help: "gives a random number",
		Result: types.IntType},
	Rindex: {Proto: "rindex(string s, string part[, int from])", Help: "finds where a string last holds another, or -1",
		Params: []Want{String, String, Int}, Min: 2, Result: types.IntType, Since: "1.1"},
	Strchr: {Proto: "strchr(string s, char c)", Help: "gives a string from a character on",
		Params: []Want{String, Int}, Min: 2, Result: types.StrType, MayBeNull: true, Since: "1.1"},
	Strjoin: {Proto: "strjoin(string a, string b)", Help: "joins two strings",
		Params: []Want{String, String}, Min: 2, Result: types.StrType},
	Strlen: {Proto: "strlen(string s)", Help: "gives the length of a string",
		Params: []Want{String}, Min: 1, Result: sizeT},
	Strrchr: {Proto: "strrchr(string s, char c)", Help: "gives a string from the last of a character on",
		Params: []Want{String, Int}, Min: 2, Result: types.StrType, MayBeNull: true, Since: "1.1"},
	Strstr: {Proto: "strstr(string s, string part)", Help: "gives a string from another on",
		Params: []Want{String, String}, Min: 2, Result: types.StrType, MayBeNull: true, Since: "1.1"},
	Strtoll: {Proto: "strtoll(string s[, int base])", Help: "reads a number",
		Params: []Want{String, Int}, Min: 1, Result: types.Int64, Home: Illumos},
	Substr: {Proto: "substr(string s, int from[, int length])", Help: "gives a part of a string",
		Params: []Want{String, Int, Int}, Min: 2, Result: types.StrType, Since: "1.1"},
	Strtok: {Proto: "strtok(string s, string ends)", Help: "gives the next part of a string; of the same one if s is NULL",
		Params: []Want{String, String}, Min: 2, Result: types.StrType, MayBeNull: true, Remembers: true, Since: "1.1"},
	Tolower: {Proto: "tolower(string s)", Help: "gives a string in small letters",
		Params: []Want{String}, Min: 1, Result: types.StrType, Home: Illumos},
	Toupper: {Proto: "toupper(string s)", Help: "gives a string in capital letters",
		Params: []Want{String}, Min: 1, Result: types.StrType, Home: Illumos},

	// Subroutines that look at structures of the kernel or of the network, or write to
	// the process. Those that take a pointer want it to point to what they read, or to
	// void.
	AddrKind: {Proto: "addr_kind(addr)", Help: "gives the number below 8 that the probe has added to an address to say what lies there; known when the script is compiled",
		Params: []Want{Addr}, Min: 1, Result: types.IntType, Home: Nowhere},
	DPath: {Proto: "d_path(struct path *path)", Help: "gives the path of a file",
		Params: []Want{Pointer}, Min: 1, Result: types.StrType, Behind: "struct path", Home: Oracle, About: Kernel},
	FiPathname: {Proto: "fi_pathname(int fd)", Help: "gives the path of a file that the process has open",
		Params: []Want{Int}, Min: 1, Result: types.StrType, Home: Nowhere, About: Kernel},
	Getf: {Proto: "getf(int fd)", Help: "gives the struct file * that the process has open, or 0",
		Params: []Want{Int}, Min: 1, Result: types.VoidPtr, Struct: "file", Home: Illumos, About: Kernel},
	Getmajor: {Proto: "getmajor(dev_t)", Help: "gives the number of the driver of a device",
		Params: []Want{Int}, Min: 1, Result: types.UInt32},
	Getminor: {Proto: "getminor(dev_t)", Help: "gives the number of a device at its driver",
		Params: []Want{Int}, Min: 1, Result: types.UInt32},
	InetNtoa: {Proto: "inet_ntoa(ipaddr_t *addr)", Help: "spells an IPv4 address",
		Params: []Want{Pointer}, Min: 1, Result: types.StrType, Behind: "ipaddr_t", Since: "1.5"},
	InetNtoa6: {Proto: "inet_ntoa6(struct in6_addr *addr[, int strict])", Help: "spells an IPv6 address",
		Params: []Want{Pointer, Int}, Min: 1, Result: types.StrType, Behind: "struct in6_addr", Since: "1.5"},
	InetNtop: {Proto: "inet_ntop(int family, void *addr)", Help: "spells an address of a family",
		Params: []Want{Int, Pointer}, Min: 2, Result: types.StrType, Since: "1.5"},
	InodeDir: {Proto: "inode_dir(struct inode *inode[, struct path *path])", Help: "gives the directory that inode_path() is in",
		Params: []Want{Pointer, Pointer}, Min: 1, Result: types.StrType, Behind: "struct inode", Home: Nowhere, About: Kernel},
	InodeMount: {Proto: "inode_mount(struct inode *inode[, struct path *path])", Help: "gives the path where the file system of inode_path() is mounted",
		Params: []Want{Pointer, Pointer}, Min: 1, Result: types.StrType, Behind: "struct inode", Home: Nowhere, About: Kernel},
	InodePath: {Proto: "inode_path(struct inode *inode[, struct path *path])", Help: "gives a path of the file of an inode, or the one that is known; <none> if it has no name any more",
		Params: []Want{Pointer, Pointer}, Min: 1, Result: types.StrType, Behind: "struct inode", Home: Nowhere, About: Kernel},
	LinkNtop: {Proto: "link_ntop(int type, void *addr)", Help: "spells the address of a network card",
		Params: []Want{Int, Pointer}, Min: 2, Result: types.StrType, Since: "1.5", Home: Oracle},
	MutexOwned: {Proto: "mutex_owned(struct mutex *m)", Help: "says whether this thread has a mutex",
		Params: []Want{Pointer}, Min: 1, Result: types.IntType, Behind: "struct mutex", About: Kernel},
	MutexOwner: {Proto: "mutex_owner(struct mutex *m)", Help: "gives the thread that has a mutex",
		Params: []Want{Pointer}, Min: 1, Result: types.VoidPtr, Behind: "struct mutex", Struct: "task_struct", About: Kernel},
	MutexTypeAdaptive: {Proto: "mutex_type_adaptive(struct mutex *m)", Help: "says whether a mutex may sleep: 1",
		Params: []Want{Pointer}, Min: 1, Result: types.IntType, Behind: "struct mutex"},
	MutexTypeSpin: {Proto: "mutex_type_spin(struct mutex *m)", Help: "says whether a mutex only spins: 0",
		Params: []Want{Pointer}, Min: 1, Result: types.IntType, Behind: "struct mutex"},
	Progenyof: {Proto: "progenyof(pid_t pid)", Help: "says whether the process is pid or descends from it",
		Params: []Want{Int}, Min: 1, Result: types.IntType, About: Process},
	RwIswriter: {Proto: "rw_iswriter(rwlock_t *l)", Help: "says whether a writer has a lock or waits for it",
		Params: []Want{Pointer}, Min: 1, Result: types.IntType, Behind: "rwlock_t", About: Kernel},
	RwReadHeld: {Proto: "rw_read_held(rwlock_t *l)", Help: "says whether readers have a lock",
		Params: []Want{Pointer}, Min: 1, Result: types.IntType, Behind: "rwlock_t", About: Kernel},
	RwWriteHeld: {Proto: "rw_write_held(rwlock_t *l)", Help: "says whether a writer has a lock",
		Params: []Want{Pointer}, Min: 1, Result: types.IntType, Behind: "rwlock_t", About: Kernel},
	Copyout: {Proto: "copyout(void *from, addr, size_t size)", Help: "writes memory of the process",
		Params: []Want{Pointer, Addr, Int}, Min: 3, Destructive: true, Irrevocable: true, OrString: true, About: Process},
	Copyoutstr: {Proto: "copyoutstr(string s, addr, size_t max)", Help: "writes a string to memory of the process",
		Params: []Want{String, Addr, Int}, Min: 3, Destructive: true, Irrevocable: true, About: Process},

	// What the guides have and this compiler has not. Their arguments are checked all
	// the same.
	DdiPathname: {Proto: "ddi_pathname(void *, int64_t)",
		Params: []Want{Pointer, Int}, Min: 2, Result: types.Bad, Why: alien},
	Memref: {Proto: "memref(void *, size_t)",
		Params: []Want{Pointer, Int}, Min: 2, Result: types.Bad, Why: alien},
	Msgdsize: {Proto: "msgdsize(mblk_t *)",
		Params: []Want{Addr}, Min: 1, Result: types.Bad, Why: alien},
	Msgsize: {Proto: "msgsize(mblk_t *)",
		Params: []Want{Addr}, Min: 1, Result: types.Bad, Why: alien},
	Toutf8: {Proto: "toutf8(…)",
		Rest: true, Result: types.Bad, Why: alien},
	Typeref: {Proto: "typeref(…)",
		Rest: true, Result: types.Bad, Why: alien},
	Vmregs: {Proto: "vmregs(…)",
		Rest: true, Result: types.Bad, Why: alien},
	Printm: {Proto: "printm(…)",
		Action: true, Records: true, Rest: true, Result: types.Bad, Why: alien},
	Printt: {Proto: "printt(…)",
		Action: true, Records: true, Rest: true, Result: types.Bad, Why: alien},
})
