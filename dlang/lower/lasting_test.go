package lower_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir/interp"
	"dscope.dev/dlang/lower/gen"
)

// TestLasting asks of which arrays no element is ever given back.
func TestLasting(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{`syscall::read:entry { n[pid]++; }`, "n"},
		{`syscall::read:entry { ++n[pid]; n[1] += arg0; n[2] |= 4; }`, "n"},
		{`syscall::read:entry { n[pid]++; } syscall::read:return { n[pid]--; }`, ""},
		{`syscall::read:entry { n[pid]++; } syscall::read:return { n[pid] -= 1; }`, ""},
		{`syscall::read:entry { n[pid]++; } syscall::read:return { n[1] = 0; }`, ""},
		{`syscall::read:entry { n[pid] = arg0; }`, ""},
		{`syscall::read:entry /!seen[pid]/ { seen[pid] = 1; n[pid] = 2; n[pid] &= 1; }`, "seen"},
		{`syscall::read:entry { at[execname] = timestamp; on[execname] = vtimestamp; }`, "at"},
		{`syscall::read:entry { self->m[arg0]++; self->n[arg0] = 0; }`, "self->m"},
		{`syscall::read:entry { (n[pid])++; who[pid] = execname; trace(n[2]); }`, "n"},
		{`syscall::read:entry { mine[tid] = 1; }`, ""},
		{`int none[int]; syscall::read:entry { trace(none[1]); }`, ""},
	} {
		p := checked(t, tt.script, check.Options{})
		var list []string
		for _, v := range optimised(t, p, gen.Units(p), 2).IR.Vars {
			if v.Lasts {
				list = append(list, v.Name)
			}
		}
		if got := strings.Join(list, " "); got != tt.want {
			t.Errorf("%s: %q last, not %q", tt.script, got, tt.want)
		}
	}
}

// TestLastingMeanwhile has another CPU make the element between the search for it and its
// making: the program writes that one, and counts no drop.
func TestLastingMeanwhile(t *testing.T) {
	p := checked(t, `int64_t n[int]; syscall::read:entry { n[1] += 5; trace(n[1]); }`, check.Options{})
	for level := range 3 {
		res := optimised(t, p, gen.Units(p), level)
		m := interp.New(res.IR)
		var others []byte
		firing := gen.Firings([]gen.Shot{{Hook: "entry"}})[0]
		firing.Full = func(what string) bool {
			if what == "assoc" {
				others = []byte{7, 7, 0, 0, 0, 0, 0, 0}
				m.Assoc[0][string([]byte{1, 0, 0, 0, 0, 0, 0, 0})] = others
			}
			return false
		}
		for _, fn := range res.IR.Funcs {
			if fn.Unit < 0 {
				continue
			}
			if err := m.Run(fn, firing); err != nil {
				t.Fatal(err)
			}
		}
		if others == nil || others[0] != 5 || others[1] != 0 || len(m.Assoc[0]) != 1 {
			t.Errorf("-O%d: the other's element holds %v, of %d", level, others, len(m.Assoc[0]))
		}
		for _, o := range m.Out {
			if o.Kind != "record" {
				t.Errorf("-O%d: %+v", level, o)
			}
		}
	}
}
