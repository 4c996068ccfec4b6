package perf

// An Event is what a counter counts.
type Event struct {
	Name   string
	Type   uint32 // of include/uapi/linux/perf_event.h
	Config uint64
	Steady bool   // whether it happens all the time
	Help   string // what is counted, in the plural
}

// Types of events, enum perf_type_id.
const (
	hardware = 0
	software = 1
	caches   = 3
)

// named are the events that the kernel has a number for, enum perf_hw_id and
// perf_sw_ids, with the other names that they go by.
var named = []struct {
	event Event
	also  []string
}{
	{Event{"perf_count_hw_cpu_cycles", hardware, 0, true, "cycles"}, []string{"cycles", "cpu_cycles", "PAPI_tot_cyc"}},
	{Event{"perf_count_hw_instructions", hardware, 1, true, "instructions"}, []string{"instructions", "PAPI_tot_ins"}},
	{Event{"perf_count_hw_cache_references", hardware, 2, true, "references to the last cache"}, []string{"cache_references", "PAPI_l3_tca"}},
	{Event{"perf_count_hw_cache_misses", hardware, 3, false, "misses of the last cache"}, []string{"cache_misses", "PAPI_l3_tcm"}},
	{Event{"perf_count_hw_branch_instructions", hardware, 4, true, "branches"}, []string{"branch_instructions", "branches", "PAPI_br_ins"}},
	{Event{"perf_count_hw_branch_misses", hardware, 5, false, "branches that were foreseen wrongly"}, []string{"branch_misses", "PAPI_br_msp"}},
	{Event{"perf_count_hw_bus_cycles", hardware, 6, true, "cycles of the bus"}, []string{"bus_cycles"}},
	{Event{"perf_count_hw_stalled_cycles_frontend", hardware, 7, true, "cycles without an instruction to begin"},
		[]string{"stalled_cycles_frontend", "idle_cycles_frontend", "PAPI_stl_icy"}},
	{Event{"perf_count_hw_stalled_cycles_backend", hardware, 8, true, "cycles in which no instruction could go on"},
		[]string{"stalled_cycles_backend", "idle_cycles_backend", "PAPI_res_stl"}},
	{Event{"perf_count_hw_ref_cpu_cycles", hardware, 9, true, "cycles at the nominal rate"}, []string{"ref_cycles", "PAPI_ref_cyc"}},

	{Event{"perf_count_sw_cpu_clock", software, 0, true, "ns of time"}, []string{"cpu_clock"}},
	{Event{"perf_count_sw_task_clock", software, 1, true, "ns of a running thread"}, []string{"task_clock"}},
	{Event{"perf_count_sw_page_faults", software, 2, false, "page faults"}, []string{"page_faults", "faults"}},
	{Event{"perf_count_sw_context_switches", software, 3, false, "changes of the running thread"}, []string{"context_switches", "cs"}},
	{Event{"perf_count_sw_cpu_migrations", software, 4, false, "moves of a thread to another CPU"}, []string{"cpu_migrations", "migrations"}},
	{Event{"perf_count_sw_page_faults_min", software, 5, false, "page faults that read nothing"}, []string{"minor_faults"}},
	{Event{"perf_count_sw_page_faults_maj", software, 6, false, "page faults that read from a disk"}, []string{"major_faults"}},
	{Event{"perf_count_sw_alignment_faults", software, 7, false, "accesses across a boundary that the kernel mended"}, []string{"alignment_faults"}},
	{Event{"perf_count_sw_emulation_faults", software, 8, false, "instructions that the kernel stood in for"}, []string{"emulation_faults"}},
	{Event{"perf_count_sw_cgroup_switches", software, 11, false, "changes to a thread of another control group"}, []string{"cgroup_switches"}},
}

// cached are the caches that can be counted, enum perf_hw_cache_id in its order.
var cached = [...]struct{ name, loads, what string }{
	{"l1_dcache", "loads", "of the first data cache"},
	{"l1_icache", "loads", "of the first instruction cache"},
	{"llc", "loads", "of the last cache"},
	{"dtlb", "loads", "of the table of data pages"},
	{"itlb", "loads", "of the table of code pages"},
	{"branch", "loads", "of the branch predictor"},
	{"node", "loads", "of this node's memory"},
}

// asked are the ways to ask a cache, enum perf_hw_cache_op_id in its order.
var asked = [...]struct{ all, misses string }{
	{"loads", "load_misses"},
	{"stores", "store_misses"},
	{"prefetches", "prefetch_misses"},
}

// papiCaches are PAPI's names of what some caches count.
var papiCaches = map[string]string{
	"l1_dcache_load_misses": "PAPI_l1_ldm", "l1_dcache_store_misses": "PAPI_l1_stm", "l1_icache_load_misses": "PAPI_l1_icm",
	"llc_load_misses": "PAPI_l3_ldm", "llc_store_misses": "PAPI_l3_stm",
	"dtlb_load_misses": "PAPI_tlb_dm", "itlb_load_misses": "PAPI_tlb_im",
	"l1_dcache_loads": "PAPI_ld_ins", "l1_dcache_stores": "PAPI_sr_ins",
}

// events returns every event under each of its names.
func events() []Event {
	var list []Event
	add := func(e Event, names ...string) {
		for _, n := range names {
			if n != "" {
				e.Name = n
				list = append(list, e)
			}
		}
	}
	for _, n := range named {
		add(n.event, append([]string{n.event.Name}, n.also...)...)
	}
	for id, c := range cached {
		for op, a := range asked {
			// The number of the cache, the operation and the result, from the lowest byte up.
			e := Event{Type: caches, Config: uint64(id) | uint64(op)<<8, Steady: op < 2, Help: a.all + " " + c.what}
			name := c.name + "_" + a.all
			add(e, name, papiCaches[name])
			e = Event{Type: caches, Config: e.Config | 1<<16, Help: "misses among the " + a.all + " " + c.what}
			name = c.name + "_" + a.misses
			add(e, name, papiCaches[name])
		}
	}
	return list
}
