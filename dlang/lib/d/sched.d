/* Processors. */

typedef struct cpuinfo {
	processorid_t cpu_id;		/* its number */
	psetid_t cpu_pset;		/* Linux has no processor sets: 0 */
	chipid_t cpu_chip;		/* the chip that it is on */
	lgrp_id_t cpu_lgrp;		/* its locality group: the NUMA node */
} cpuinfo_t;

typedef cpuinfo_t *cpuinfo_t_p;

translator cpuinfo_t < processorid_t C > {
	cpu_id = C;
	cpu_pset = 0;
	cpu_chip = CPU_CHIP[C];
	cpu_lgrp = *(int *)((uintptr_t)&`numa_node + ((uintptr_t *)&`__per_cpu_offset)[C]);
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (cpu);
#pragma D attributes Stable/Stable/Common curcpu

inline chipid_t chip = curcpu->cpu_chip;
#pragma D attributes Stable/Stable/Common chip

inline lgrp_id_t lgrp = curcpu->cpu_lgrp;
#pragma D attributes Stable/Stable/Common lgrp
