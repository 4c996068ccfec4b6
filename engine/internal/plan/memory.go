package plan

import (
	"fmt"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/codegen"
	"dscope.dev/probes"
)

// A machine that is short of memory kills whoever asks for too much, without a word. So
// what a script will take is estimated before it is taken, and what is more than the
// machine, or the control group that dscope is in, has left is refused with the remedy.

// What the parts of a run take, in bytes, as measured.
const (
	probeMemory    = 1400 // a probe of many: its entry in lists, its site and its hook, while a script is compiled
	functionMemory = 320  // one of many functions that are hooked at once: its address and cookie, twice, and what the function tracer keeps of it
	entryMemory    = 48   // what a table of the kernel keeps of an entry beside key and value
	readerMemory   = 16 << 20
)

// A TooLarge says that a script takes more memory than there is.
type TooLarge struct {
	What       string // what takes it
	Takes, Has int64  // bytes
	Remedy     string
}

func (t *TooLarge) Error() string {
	return fmt.Sprintf("%s would take about %s of memory, and %s are left", t.What, megabytes(t.Takes), megabytes(t.Has))
}

// Hint says what to do instead.
func (t *TooLarge) Hint() string { return t.Remedy }

func megabytes(n int64) string { return fmt.Sprintf("%d MB", (n+1<<20-1)>>20) }

// AffordsProbes returns nil, or that so many probes take more memory than there is.
func (m *Machine) AffordsProbes(text string, n int) error {
	if n < BulkFrom {
		return nil
	}
	takes, has := int64(n)*probeMemory, m.Kernel.MemoryLeft()
	if takes <= has {
		return nil
	}
	return &TooLarge{fmt.Sprintf("to enable the %d probes of %s", n, text), takes, has, "name fewer: a module, a family of functions, or entry alone"}
}

// Affords returns nil, or that the tables and programs of a script take more memory
// than there is.
func (m *Machine) Affords(c *Plan) error {
	takes := c.Memory(len(m.Facts.Possible))
	if m.Most > 0 && takes > m.Most {
		return fmt.Errorf("to run this script would take about %s of memory, and its asker may take %s: lower bufsize (%s for each CPU), aggsize or dynvarsize",
			megabytes(takes), megabytes(m.Most), megabytes(int64(c.Object.Buf)))
	}
	if has := m.Kernel.MemoryLeft(); takes > has {
		return fmt.Errorf("%w: enable fewer probes, or lower bufsize (%s for each CPU), aggsize or dynvarsize",
			&TooLarge{What: "to run this script", Takes: takes, Has: has}, megabytes(int64(c.Object.Buf)))
	}
	return nil
}

// Memory estimates how many bytes a run of c takes on so many CPUs.
func (c *Plan) Memory(cpus int) int64 {
	takes := int64(readerMemory) + int64(cpus)*int64(c.Object.Buf)
	for _, spec := range c.Object.Spec.Maps {
		takes += mapMemory(spec, cpus)
	}
	for _, u := range c.Object.Units {
		takes += hookMemory(u)
	}
	return takes
}

// mapMemory estimates what a table takes.
func mapMemory(m *ebpf.MapSpec, cpus int) int64 {
	value := int64(m.ValueSize+7) &^ 7
	if m.Type == ebpf.PerCPUArray || m.Type == ebpf.PerCPUHash {
		value *= int64(cpus)
	}
	entry := value
	if m.Type != ebpf.Array && m.Type != ebpf.PerCPUArray {
		entry += int64(m.KeySize+7)&^7 + entryMemory
	}
	const grows = 1 << 0 // BPF_F_NO_PREALLOC: entries are made as they are needed
	switch {
	case m.Type == ebpf.RingBuf:
		return int64(m.MaxEntries)
	case m.Type == ebpf.TaskStorage || m.Flags&grows != 0:
		return 0
	}
	return int64(m.MaxEntries) * entry
}

// hookMemory estimates what the attachment of a unit takes.
func hookMemory(u *codegen.Unit) int64 {
	if u.Hook.Kind != probes.Function {
		return 0
	}
	return int64(len(u.Hooks)) * functionMemory
}
