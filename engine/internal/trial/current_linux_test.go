package trial

import (
	"os"
	"testing"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/probes/kernel"
)

// TestCurrentTasks finds where the CPUs have their current tasks, which agrees has compared with
// what the helper says, on each kernel that can be asked.
func TestCurrentTasks(t *testing.T) {
	if err := Smallest(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("CI must be able to trace: %v", err)
		}
		t.Skip(err)
	}
	k := kernel.Open()
	defer k.Close()
	facts, err := k.Facts()
	if err != nil {
		t.Fatal(err)
	}
	c := CurrentTasks(k, facts)
	canCast := facts.AtLeast(6, 2)
	if want := facts.Arch == "amd64" && canCast && !inLine(infoOf(asm.FnGetCurrentTask)); c.Known() != want {
		t.Fatalf("found %+v on %s, want that: %v", c, facts.Arch, want)
	}
	if c.Known() && !agrees(c, facts.Online) {
		t.Errorf("%x no longer agrees with the helper", c.At)
	}
	for cpu := range c.At {
		c.At[cpu] += 8
	}
	if c.Known() && agrees(c, facts.Online) {
		t.Errorf("%x, which is beside them, agrees as well", c.At)
	}
}

func TestLoadOfCPU(t *testing.T) {
	const at = 0xffffffff_81000000
	for _, tt := range []struct {
		name, code string
		addr       uint64
		ok         bool
	}{
		{"nothing", "", 0, false},
		{"relative", "\x65\x48\x8b\x05\x10\x00\x00\x00\xc3", at + 8 + 0x10, true},
		{"relative, below", "\x65\x48\x8b\x05\xf0\xff\xff\xff\xc3", at + 8 - 0x10, true},
		{"behind what may be traced", "\xf3\x0f\x1e\xfa\x0f\x1f\x44\x00\x00\x65\x48\x8b\x05\x10\x00\x00\x00\xc3", at + 9 + 8 + 0x10, true},
		{"absolute", "\x65\x48\x8b\x04\x25\xc0\x32\x03\x00\xc3", 0x332c0, true},
		{"of another register", "\x65\x48\x8b\x0d\x10\x00\x00\x00\xc3", 0, false},
		{"of the task", "\x48\x8b\x05\x10\x00\x00\x00\xc3\xc3\xc3", 0, false},
		{"cut off", "\x65\x48\x8b\x05\x10\x00\x00", 0, false},
	} {
		if addr, ok := loadOfCPU([]byte(tt.code), at); addr != tt.addr || ok != tt.ok {
			t.Errorf("%s: got %#x, %v, want %#x, %v", tt.name, addr, ok, tt.addr, tt.ok)
		}
	}
}
