package linux

// Sizes of what has been so for ever.
const (
	CommSize = 16 // task_struct.comm (TASK_COMM_LEN)
	UPIDSize = 16 // struct upid: a number and its namespace

	// struct path: the mount, then the name.
	PathSize = 16
	PathName = 8
)

// The kernel keeps the owner of a mutex in its first word, with flags in the
// lowest three bits (kernel/locking/mutex.c), and the state of a queued lock for
// readers and writers likewise: the writers' 9 bits, of which the lower 8 say that
// one has it, then the number of readers (asm-generic/qrwlock.h).
const (
	MutexFlags = 7
	WriterMask = 0x1ff
	WriterHas  = 0xff
)

// The magic numbers of file systems whose files have no path but a number, or are
// all called the same (linux/magic.h).
const (
	Pipefs = 0x50495045
	Sockfs = 0x534f434b
	Anonfs = 0x09041934
)

// What Linux calls the families of addresses (linux/socket.h) and the kinds of links
// (linux/if_arp.h).
const (
	AFInet           = 2
	AFInet6          = 10
	ARPHRDEther      = 1
	ARPHRDInfiniband = 32
)

// MinorBits is how many low bits of a dev_t are the minor number (linux/kdev_t.h).
const MinorBits = 20

// Errors is how many of the highest addresses are of no memory, but numbers of errors
// (MAX_ERRNO and 0 of linux/err.h).
const Errors = 4096

// The two lowest bits of mm_struct.flags say whether the memory of a process may be looked
// at: 1 is that it may (MMF_DUMPABLE_MASK, SUID_DUMP_USER of linux/mm_types.h).
const (
	DumpMask = 3
	DumpUser = 1
)

// PerCPUMost is the most bytes that one entry of a per-CPU map can hold
// (PCPU_MIN_UNIT_SIZE of linux/percpu.h).
const PerCPUMost = 32 << 10
