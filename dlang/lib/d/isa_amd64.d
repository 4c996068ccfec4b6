/* What differs between machines. */

inline uint64_t TIF_COMPAT = 1UL << 29;		/* TIF_ADDR32 */

inline chipid_t CPU_CHIP[processorid_t C] =
    ((struct cpuinfo_x86 *)((uintptr_t)&`cpu_info + `__per_cpu_offset[C]))->topo.pkg_id;
