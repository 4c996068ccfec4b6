/* What differs between machines. */

inline chipid_t CPU_CHIP[processorid_t C] =
    ((struct cpuinfo_x86 *)((uintptr_t)&`cpu_info + ((uintptr_t *)&`__per_cpu_offset)[C]))->topo.pkg_id;

/* Flags of open(2) that differ. */
inline int O_DIRECT = 040000;
inline int O_LARGEFILE = 0100000;
inline int O_DIRECTORY = 0200000;
inline int O_NOFOLLOW = 0400000;
inline int O_TMPFILE = 020200000;

#pragma D binding "1.1" O_DIRECT
#pragma D binding "1.1" O_LARGEFILE
#pragma D binding "1.1" O_DIRECTORY
#pragma D binding "1.1" O_NOFOLLOW
#pragma D binding "1.1" O_TMPFILE
