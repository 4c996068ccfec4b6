package machine

import "testing"

// TestWords holds the numbers of words to their names.
func TestWords(t *testing.T) {
	for _, tt := range []struct {
		machine string
		what    string
		got     []int
		want    []string
	}{
		{"amd64", "arguments of a system call", amd64.Syscall, []string{"di", "si", "dx", "r10", "r8", "r9"}},
		{"amd64", "arguments of a function", amd64.Call, []string{"di", "si", "dx", "cx", "r8", "r9"}},
		{"amd64", "others", []int{amd64.Result, amd64.SP, amd64.PC, amd64.Mode, amd64.Enter, amd64.Restart, int(amd64.Number / 8)},
			[]string{"ax", "sp", "ip", "cs", "ax", "orig_ax", "orig_ax"}},
		{"arm64", "arguments of a system call", arm64.Syscall, []string{"x0", "x1", "x2", "x3", "x4", "x5"}},
		{"arm64", "others", []int{arm64.Result, arm64.SP, arm64.PC, arm64.Mode, arm64.Enter, int(arm64.Number / 8)},
			[]string{"x0", "sp", "pc", "pstate", "x8", "syscallno"}},
	} {
		m := Of(tt.machine)
		for i, name := range tt.want {
			if m.Word(name) != tt.got[i] {
				t.Errorf("%s, %s: word %d for %s, which is word %d", tt.machine, tt.what, tt.got[i], name, m.Word(name))
			}
		}
		for n, name := range m.DWARF {
			if m.OfDWARF(n) < 0 {
				t.Errorf("%s: register %d, %s, is no word", tt.machine, n, name)
			}
		}
	}
	if Of("riscv64") != nil || amd64.OfDWARF(17) >= 0 || amd64.OfDWARF(-1) >= 0 || amd64.Register("cs") >= 0 || amd64.Register("di") != 14 {
		t.Error("knows what it cannot")
	}
}
