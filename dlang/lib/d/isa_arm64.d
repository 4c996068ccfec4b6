/* What differs between machines. */

inline uint64_t TIF_COMPAT = 1UL << 22;		/* TIF_32BIT */

inline chipid_t CPU_CHIP[processorid_t C] = `cpu_topology[C].package_id;
