package kinst_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"dscope.dev/probes"
	"dscope.dev/probes/kernel"
	"dscope.dev/probes/kernel/kerneltest"
	"dscope.dev/probes/kinst"
)

// inlined is a kernel with functions that are inlined: one within another, one that
// also has code of its own, and copies in two static functions of one name. The marks
// are instructions that nothing else has: where they stand is known by their code.
const (
	common = `
struct file { long pos, flags; };
#define APART __attribute__((noinline, noclone))
#define ALWAYS static inline __attribute__((always_inline))
#define MARK(n) __asm__ volatile("movl $0x5eed000" #n ", %%eax" ::: "eax", "memory")
ALWAYS void alone(void) { MARK(9); }
static APART void same(void) { MARK(7); alone(); MARK(8); }
`
	inlined = common + `
ALWAYS void deep(struct file *f) { MARK(1); if (f->flags < 0) { MARK(2); f->pos++; } MARK(3); }
ALWAYS long outer(struct file *f, int n) { MARK(4); deep(f); MARK(5); return f->pos + n; }
long partly(struct file *f) { MARK(6); return f->flags; }
APART long reads(struct file *f) { MARK(7); long v = outer(f, 7); MARK(8); return v; }
APART long writes(struct file *f) { MARK(7); long v = outer(f, -7); MARK(8); v += outer(f, v); MARK(8); return v; }
APART long calls(struct file *f) { MARK(7); long v = partly(f); MARK(8); return v; }
APART void htab_map_lookup_elem(struct file *f) { MARK(7); deep(f); MARK(8); }
ALWAYS void early(struct file *f) { MARK(5); if (f->flags < 0) return; MARK(6); if (f->pos > 9) return; f->pos++; MARK(9); }
APART void shared(struct file *f, int n) { MARK(7); if (n) early(f); MARK(8); }
void uses(void) { MARK(7); same(); MARK(8); }
`
	start   = `void _stext(void) { __asm__ volatile("nop"); }`
	another = common + `void too(void) { MARK(7); same(); MARK(8); }
`
)

// TestCopies finds where functions were inlined, and checks each place by the
// instructions that stand there.
func TestCopies(t *testing.T) {
	opened, p := compiled(t)
	for _, tt := range []struct {
		function, name string
		want           map[string]int // functions, and how many places each has
		mark           byte           // what the place, or the next instructions, are
	}{
		{"outer", "entry", map[string]int{"reads": 1, "writes": 2}, 4},
		{"deep", "entry", map[string]int{"reads": 1, "writes": 2}, 1},
		{"partly", "entry", map[string]int{"calls": 1}, 6},
		{"alone", "entry", map[string]int{"same": 2}, 9},
	} {
		pat := probes.Pattern{Provider: "kinst", Function: tt.function, Name: tt.name}
		got := map[string]int{}
		for _, s := range sitesOf(t, p, pat) {
			got[s.Probe.Function]++
			if mark := marked(t, opened, s); mark != tt.mark {
				t.Errorf("%s: %s (%s+%d) is at mark %d, want %d", pat, s.Probe, s.Hook.Target, s.Hook.Offset, mark, tt.mark)
			}
		}
		for f, n := range tt.want {
			if got[f] != n {
				t.Errorf("%s: %d places in %s, want %d", pat, got[f], f, n)
			}
		}
	}
	left := p.LeftOut(probes.Pattern{Provider: "kinst", Function: "deep", Name: "entry"})
	if len(left) == 0 || !strings.Contains(left[0], "deep in htab_map_lookup_elem: programs call it") {
		t.Errorf("left out: %q", left)
	}
	if left := p.LeftOut(probes.Pattern{Provider: "kinst", Function: "outer", Name: "entry"}); len(left) > 0 {
		t.Errorf("of what others have asked for: %q", left)
	}
}

// sitesOf returns the places that a description covers.
func sitesOf(t *testing.T, p *kinst.Provider, pat probes.Pattern) (all []*probes.Site) {
	t.Helper()
	text, err := match(p, pat)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		part := strings.Split(strings.TrimSpace(line), ":")
		sites, err := p.SitesAs(probes.Probe{Provider: part[0], Module: part[1], Function: part[2], Name: part[3]}, pat)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sites...)
	}
	return all
}

// compiled returns a kernel that was compiled of what is inlined, and the provider of its
// instructions.
func compiled(t *testing.T) (*kernel.Kernel, *kinst.Provider) {
	t.Helper()
	k := kerneltest.Read(t, "linux-6.18-amd64")
	k.Compile(t, start, inlined, another)
	opened := k.Open(t)
	return opened, kinst.New(opened, can)
}

// marked returns the mark of the first marked instruction at or behind a site.
func marked(t *testing.T, k *kernel.Kernel, s *probes.Site) byte {
	t.Helper()
	syms, err := k.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	anchor, ok := syms.Find(s.Hook.Module, s.Hook.Target)
	if !ok {
		t.Fatalf("no symbol %s", s.Hook.Target)
	}
	memory, err := k.Memory()
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	code, err := memory.Read(anchor.Addr+s.Hook.Offset, 64)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4; i < len(code); i++ {
		if code[i] == 0x5e && code[i-1] == 0xed && code[i-2] == 0 {
			return code[i-3]
		}
	}
	return 0
}

// TestEnds finds where a copy ends: behind its last mark, before the next of its
// caller.
func TestEnds(t *testing.T) {
	opened, p := compiled(t)
	entries := sitesOf(t, p, probes.Pattern{Provider: "kinst", Function: "partly", Name: "entry"})
	ends := sitesOf(t, p, probes.Pattern{Provider: "kinst", Function: "partly", Name: "return"})
	if len(entries) != 1 || len(ends) != 1 || ends[0].Hook.Offset <= entries[0].Hook.Offset {
		t.Fatalf("it is entered at %+v and left at %+v", entries, ends)
	}
	if mark := marked(t, opened, ends[0]); mark != 8 {
		t.Errorf("behind the end comes mark %d", mark)
	}
	both, err := match(p, probes.Pattern{Provider: "kinst", Function: "alone"})
	if err != nil || strings.Count(both, "\n") < 1 {
		t.Errorf("all of a function without code of its own: %q, %v", both, err)
	}
}

// TestEarly finds the ends of a copy that is left by several ways, to where its caller
// also goes without it: jumps then count if they are taken.
func TestEarly(t *testing.T) {
	_, p := compiled(t)
	jumps, others := 0, 0
	pat := probes.Pattern{Provider: "kinst", Function: "early", Name: "return"}
	for _, s := range sitesOf(t, p, pat) {
		if s.Jump != 0 {
			jumps++
		} else {
			others++
		}
	}
	if jumps != 2 || others != 1 {
		t.Errorf("%d jumps and %d others", jumps, others)
	}
	if left := p.LeftOut(pat); len(left) > 0 {
		t.Errorf("left out: %q", left)
	}
}

// TestArguments gives a copy's arguments, where it has kept them.
func TestArguments(t *testing.T) {
	_, p := compiled(t)
	constants := map[int64]int{}
	for _, s := range sitesOf(t, p, probes.Pattern{Provider: "kinst", Function: "outer", Name: "entry"}) {
		if len(s.Args) != 2 || s.Raw != 2 || len(s.Operands) != 2 || s.Args[0].Type.String() != "struct file *" || s.Args[1].Name != "n" || s.Args[0].User {
			t.Fatalf("%s: %+v", s.Probe, s.Args)
		}
		const di = 14 // the word of the first argument of a call
		if o := s.Operands[0]; o.Kind != probes.Value || s.Probe.Function == "reads" && o.Base.Word != di {
			t.Errorf("%s: the file is in %+v", s.Probe, o)
		}
		if o := s.Operands[1]; o.Kind == probes.Value && o.Base.Size == 0 {
			constants[o.Disp]++
		}
	}
	if constants[7] != 1 || constants[-7] != 1 {
		t.Errorf("constants: %v", constants)
	}
}

// TestModule finds copies in a module, whose sections lie elsewhere than its file says,
// and in the kernel as well if no module is named.
func TestModule(t *testing.T) {
	k := kerneltest.Read(t, "linux-6.18-amd64")
	k.Compile(t, start, inlined, another)
	k.CompileModule(t, "odd_name", common+`
int before(int n) { return n; }
void opens(void) { MARK(7); alone(); MARK(8); }
`)
	opened := k.Open(t)
	for _, tt := range []struct{ module, want string }{
		{"odd_name", "kinst:odd_name:opens:5\n"},
		{"odd*", "kinst:odd_name:opens:5\n"},
		{"vmlinux", "kinst:vmlinux:same:5\n"},
		{"", "kinst:vmlinux:same:5\nkinst:odd_name:opens:5\n"},
	} {
		got, err := match(kinst.New(opened, can), probes.Pattern{Provider: "kinst", Module: tt.module, Function: "alone", Name: "entry"})
		if got != tt.want || err != nil {
			t.Errorf("%q: got %q, %v; want %q", tt.module, got, err, tt.want)
		}
	}
	if err := os.RemoveAll(filepath.Join(k.Files, "usr/lib/debug/lib")); err != nil {
		t.Fatal(err)
	}
	_, err := match(kinst.New(k.Open(t), can), probes.Pattern{Provider: "kinst", Module: "odd_name", Function: "alone", Name: "entry"})
	if err == nil || !strings.Contains(err.Error(), "no debug information of odd_name: none of these is there: ") || !strings.Contains(err.Error(), "/kernel/net/odd_name.ko") {
		t.Errorf("without the file: %v", err)
	}
}

// TestDelegates hands functions with code of their own to fbt, beside their copies.
func TestDelegates(t *testing.T) {
	_, p := compiled(t)
	for _, tt := range []struct {
		pat  probes.Pattern
		want probes.Pattern // zero if none
	}{
		{probes.Pattern{Provider: "kinst", Function: "partly", Name: "entry"}, probes.Pattern{Provider: "fbt", Module: "vmlinux", Function: "partly", Name: "entry"}},
		{probes.Pattern{Provider: "kinst", Function: "reads", Name: "return"}, probes.Pattern{Provider: "fbt", Module: "vmlinux", Function: "reads", Name: "return"}},
		{probes.Pattern{Provider: "kinst", Function: "outer", Name: "entry"}, probes.Pattern{}},
		{probes.Pattern{Provider: "kinst", Function: "reads", Name: "4"}, probes.Pattern{}},
		{probes.Pattern{Provider: "kinst", Function: "reads"}, probes.Pattern{}},
		{probes.Pattern{Function: "reads", Name: "entry"}, probes.Pattern{}},
	} {
		got, ok := p.Delegates(tt.pat)
		if ok != (tt.want != probes.Pattern{}) || ok && got != tt.want {
			t.Errorf("%s: %v %s, want %s", tt.pat, ok, got, tt.want)
		}
	}
}

// TestNoImage says where vmlinux is looked for, and refuses that of another kernel.
func TestNoImage(t *testing.T) {
	k := kerneltest.Read(t, "linux-6.18-amd64")
	file := k.Compile(t, start, inlined, another)
	pat := probes.Pattern{Provider: "kinst", Function: "outer", Name: "entry"}
	hidden := filepath.Join(k.Files, "elsewhere")
	if err := os.Rename(file, hidden); err != nil {
		t.Fatal(err)
	}
	opened := k.Open(t)
	_, err := match(kinst.New(opened, can), pat)
	var missing *kernel.Missing
	if !errors.As(err, &missing) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"outer is no function with code of its own", "/usr/lib/debug/boot/vmlinux-6.18.44", "/usr/lib/debug/.build-id/", "linux-image-6.18.44-dbg", "-x vmlinux=PATH"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if _, err := match(kinst.New(opened, can), probes.Pattern{Provider: "kinst", Function: "partly", Name: "entry"}); err != nil {
		t.Errorf("a function with code of its own needs no debug information: %v", err)
	}
	opened.UseImage("")
	told := kinst.New(opened, can)
	partly := probes.Pattern{Provider: "kinst", Function: "partly", Name: "entry"}
	if _, err := match(told, partly); err != nil || !strings.Contains(strings.Join(told.LeftOut(partly), "\n"), "left out of kinst::partly:entry: where it was inlined is not known: no debug information") {
		t.Errorf("left out: %q, %v", told.LeftOut(partly), err)
	}
	opened.UseImage("/elsewhere")
	if text, err := match(kinst.New(opened, can), pat); err != nil || strings.Count(text, "\n") != 3 {
		t.Errorf("with the file named: %q, %v", text, err)
	}
	notes := slices.Clone(k.Sys["kernel/notes"].Data)
	notes[len(notes)-1]++
	k.Sys["kernel/notes"] = &fstest.MapFile{Data: notes}
	other := k.Open(t)
	other.UseImage("/elsewhere")
	if _, err := match(kinst.New(other, can), pat); err == nil || !strings.Contains(err.Error(), "it is not of the kernel that runs: its build id is") {
		t.Errorf("the file of another kernel: %v", err)
	}
}
