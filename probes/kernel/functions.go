package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cilium/ebpf/btf"
)

// A Function is a function of the kernel that can be traced. Of several that
// bear one name in one module there is one Function: they are traced together.
type Function struct {
	Module, Name string
	Copies       int // how many functions there are by that name
}

// A Spared function is one that the kernel would let us trace, and that we had
// better not.
type Spared struct {
	Function
	Why string
}

// Functions are the traceable functions.
type Functions struct {
	List   []Function // vmlinux first, then module by module; by name
	Spared []Spared   // those that are left out, in the same order
}

// Find returns the function of that module and name.
func (f *Functions) Find(module, name string) (Function, bool) {
	i, ok := slices.BinarySearchFunc(f.List, Function{Module: module, Name: name}, compareFunctions)
	if !ok {
		return Function{}, false
	}
	return f.List[i], true
}

func compareFunctions(a, b Function) int { return inOrder(a.Module, a.Name, b.Module, b.Name) }

// vmlinux is the kernel itself, as a module.
const vmlinux = "vmlinux"

// Functions lists what can be traced of the kernel's functions: those that the
// kernel's function tracer can patch, or, on kernels without it, those of the
// symbols that are functions by BTF.
func (k *Kernel) Functions() (*Functions, error) { return k.functions() }

func (k *Kernel) loadFunctions() (*Functions, error) {
	k.listing.Do(func() { k.inFirst, _ = k.LiveModules() }) // before: what comes meanwhile is looked at twice
	all, err := k.patchable()
	if err != nil {
		if all, err = k.symbolFunctions(err); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, compareFunctions)
	denied := k.denied()
	f := &Functions{List: make([]Function, 0, len(all))}
	for i := 0; i < len(all); {
		one := all[i]
		for one.Copies = 0; i < len(all) && all[i].Name == one.Name && all[i].Module == one.Module; i++ {
			one.Copies++
		}
		if why := unsafeToTrace(one, denied); why != "" {
			f.Spared = append(f.Spared, Spared{one, why})
			continue
		}
		f.List = append(f.List, one)
	}
	return f, nil
}

// patchable reads the functions that the kernel's function tracer can patch. A
// line is a name, and the module in brackets if it is one.
func (k *Kernel) patchable() ([]Function, error) {
	data, err := k.readTracing("available_filter_functions", "list of functions")
	if err != nil {
		return nil, err
	}
	all := make([]Function, 0, bytes.Count(data, []byte("\n")))
	text := string(data) // names are parts of it
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		name, rest, _ := strings.Cut(line, " ")
		module := vmlinux
		if i := strings.IndexByte(rest, '['); i >= 0 {
			module = strings.TrimRight(rest[i+1:], "]")
		}
		if name == "" || strings.HasPrefix(name, "__ftrace_invalid_address__") {
			continue // a function that was discarded after the kernel had started
		}
		all = append(all, Function{Module: module, Name: name})
	}
	if len(all) == 0 {
		return nil, &Missing{What: "list of functions", Why: "available_filter_functions in tracefs is empty"}
	}
	return all, nil
}

// symbolFunctions does without the function tracer: a kprobe can stand at any
// symbol that is a function.
func (k *Kernel) symbolFunctions(why error) ([]Function, error) {
	syms, err := k.symbols()
	if err != nil {
		return nil, errors.Join(why, err)
	}
	spec, err := k.vmlinux()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for t, err := range spec.All() {
		if err != nil {
			return nil, fmt.Errorf("read the kernel's types: %w", err)
		}
		if f, ok := t.(*btf.Func); ok {
			known[f.Name] = true
		}
	}
	var all []Function
	for i := range syms.Len() {
		if s := syms.symbol(i); isText(s.Kind) && s.Module == vmlinux && known[s.Name] {
			all = append(all, Function{Module: s.Module, Name: s.Name})
		}
	}
	return all, nil
}

// IsText reports whether a symbol is code.
func (s Symbol) IsText() bool { return isText(s.Kind) }

// isText reports whether a symbol is code.
func isText(kind byte) bool { return strings.IndexByte("tTwW", kind) >= 0 }

// denied reads the functions in which the kernel allows no kprobe. debugfs may not
// be mounted; the kernel then refuses them one by one.
func (k *Kernel) denied() map[string]bool {
	data, err := fs.ReadFile(k.roots.Sys, "kernel/debug/kprobes/blacklist")
	if err != nil {
		return nil
	}
	denied := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			name, _, _ = strings.Cut(name, " ")
			denied[name] = true
		}
	}
	return denied
}

// A danger is a family of functions that must not be traced: by their names, in
// which a star stands for anything.
type danger struct {
	why   string
	names []string
}

// dangers are what the kernel lists as traceable and its own tests leave out
// (get_syms in tools/testing/selftests/bpf), and what calls our programs: a firing
// in the middle of that would only be counted as missed, at a price.
var dangers = []danger{
	{"it runs where the CPU idles and RCU does not watch",
		[]string{"arch_cpu_idle", "default_idle*", "acpi_idle_*", "intel_idle*", "mwait_idle*"}},
	{"every firing calls it, or it runs where RCU does not watch",
		[]string{"rcu_*", "__rcu_*", "ct_*", "__ct_*", "context_tracking_*"}},
	{"every firing calls it",
		[]string{"migrate_disable", "migrate_enable", "preempt_count_add", "preempt_count_sub", "__this_cpu_preempt_check", "is_endbr"}},
	{"it is part of the function tracer",
		[]string{"ftrace_*", "__ftrace_*", "arch_ftrace_*", "prepare_ftrace_return", "function_graph_*", "return_to_handler"}},
	{"it is part of what calls the probes of functions",
		[]string{"bsearch", "bpf_kprobe_multi_*", "__bpf_kprobe_multi_*", "fprobe_*", "__fprobe_*", "rethook_*", "arch_rethook_*", "objpool_*",
			"kprobe_*", "kretprobe_*", "__kretprobe_*", "opt_pre_handler", "aggr_pre_handler", "setup_detour_execution"}},
	{"it is part of what calls programs",
		[]string{"__bpf_prog_enter*", "__bpf_prog_exit*", "__bpf_tramp_*", "bpf_trampoline_*", "kprobe_multi_*",
			"bpf_dispatcher_*_func", "bpf_get_attach_cookie*", "trace_call_bpf", "perf_trace_run_bpf_submit", "bpf_trace_run*"}},
	{"programs call it to keep what they find",
		[]string{"htab_*", "__htab_*", "alloc_htab_elem", "lookup_elem_raw", "lookup_nulls_elem_raw", "pcpu_freelist_*", "__pcpu_freelist_*",
			"bpf_map_*_elem", "bpf_percpu_*", "array_map_*", "percpu_array_map_*", "array_of_map_*",
			"bpf_ringbuf_*", "__bpf_ringbuf_*", "bpf_task_storage_*", "bpf_local_storage_*", "__bpf_local_storage_*", "bpf_selem_*"}},
	{"programs call it to learn what happens",
		[]string{"bpf_get_current_*", "bpf_ktime_*", "ktime_get_mono_fast_ns", "bpf_probe_read_*", "copy_from_kernel_nofault*", "copy_from_user_nofault",
			"bpf_get_stack*", "__bpf_get_stack*", "bpf_get_smp_processor_id", "bpf_get_func_ip*", "bpf_task_pt_regs", "bpf_user_rnd_u32"}},
}

// dangersBy has the patterns of dangers by what they begin with, because tens of
// thousands of names are compared with them.
var dangersBy = func() (by [256][]struct{ pattern, why string }) {
	for _, d := range dangers {
		for _, pattern := range d.names {
			by[pattern[0]] = append(by[pattern[0]], struct{ pattern, why string }{pattern, d.why})
		}
	}
	return by
}()

// unsafeToTrace says why a function is left out, or nothing.
func unsafeToTrace(f Function, denied map[string]bool) string {
	if f.Module != vmlinux || f.Name == "" {
		return ""
	}
	if denied[f.Name] {
		return "the kernel allows no kprobe in it"
	}
	for _, d := range dangersBy[f.Name[0]] {
		if covers(d.pattern, f.Name) {
			return d.why
		}
	}
	return ""
}

// covers matches a name against one that may have a star, once.
func covers(pattern, name string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return name == pattern
	}
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}
