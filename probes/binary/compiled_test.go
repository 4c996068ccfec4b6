package binary

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dscope.dev/dlang/types"
)

// source is what tests compile: static, inlined and recursive functions, all kinds
// of types, and parameters in registers and on the stack.
const source = `struct point { int x; unsigned y:3; unsigned z:5; char *name; struct { long q; }; };
enum color { RED, GREEN = -2, BLUE = 7 };
typedef struct point point_t;
union number { int i; double d; };
static inline __attribute__((always_inline)) int inner(int a, point_t *p) { return a * p->x + (int)p->y; }
static inline __attribute__((always_inline)) int middle(int a, point_t *p) {
	return inner(a + 1, p) + 3;
}
__attribute__((noinline)) int add(int a, long b, point_t *p, enum color c, double d, union number *u, point_t v, int h[2], int s7) {
	return middle(a, p) + b + c + (int)d + u->i + v.x + h[1] + s7;
}
static __attribute__((noinline)) long hidden(short s) { volatile short t = s; return t; }
__attribute__((noinline)) int down(int n) { return n == 0 ? (int)hidden(n) : down(n - 1) + (int)hidden(n); }
int main(int argc, char **argv) {
	point_t p = {argc, 2, 3, argv[0]};
	union number u = {4};
	int h[2] = {1, 2};
	return add(argc, 5, &p, BLUE, 2.5, &u, p, h, 9) + down(argc);
}
`

// build compiles source with flags and returns where the program is.
func build(t testing.TB, compiler, ext, text string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("no compiler:", err)
	}
	dir := t.TempDir()
	src, out := filepath.Join(dir, "prog"+ext), filepath.Join(dir, "prog")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(compiler, append(flags, "-o", out, src)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	return out
}

// debugOf opens the debug information of a program.
func debugOf(t testing.TB, name string) (*File, *Debug) {
	t.Helper()
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	d, err := Root{}.DebugOf(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return f, d
}

// variants are the ways in which the test program is compiled.
var variants = [][]string{
	{"-g", "-O0"}, {"-g", "-O2"}, {"-gdwarf-4", "-O2"}, {"-gdwarf-2", "-O1"}, {"-g", "-O2", "-gz"},
	{"-g", "-O2", "-fdebug-types-section"}, {"-gdwarf-5", "-gdwarf64", "-O2"},
}

func TestParams(t *testing.T) {
	for _, flags := range variants {
		_, d := debugOf(t, build(t, "gcc", ".c", source, flags...))
		funcs, err := d.Functions("add")
		if err != nil || len(funcs) != 1 {
			t.Errorf("%v: %v, %v", flags, funcs, err)
			continue
		}
		params, result, err := funcs[0].Params()
		if err != nil || result.String() != "int" {
			t.Errorf("%v: result %v, %v", flags, result, err)
		}
		var got []string
		for _, p := range params {
			where := RegisterName(d.f.Machine(), p.Where.Reg)
			switch p.Where.Kind {
			case AtRegister:
				where = fmt.Sprintf("[%s+%d]", where, p.Where.Off)
			case Nowhere:
				where = "?"
			}
			got = append(got, fmt.Sprintf("%s %s %s", p.Type, p.Name, where))
		}
		want := "int a di, long int b si, point_t * p dx, enum color c cx, double d ?, union number * u r8, point_t v [sp+8], int * h r9, int s7 [sp+32]"
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%v: %s\nwant %s", flags, s, want)
		}
		if f := funcs[0]; !strings.HasSuffix(f.File, "prog.c") || f.Line != 9 || !f.External {
			t.Errorf("%v: declared at %s:%d, external %v", flags, f.File, f.Line, f.External)
		}
	}
}

func TestTypes(t *testing.T) {
	for _, flags := range variants {
		_, d := debugOf(t, build(t, "gcc", ".c", source, flags...))
		p, err := d.Type("struct", "point")
		if err != nil {
			t.Errorf("%v: %v", flags, err)
			continue
		}
		var got []string
		for _, f := range p.(*types.Struct).Fields() {
			got = append(got, fmt.Sprintf("%s:%d:%d", f.Name, f.Off, f.Bits))
		}
		if s := strings.Join(got, " "); s != "x:0:0 y:32:3 z:35:5 name:64:0 :128:0" || p.Size() != 24 || p.Align() != 8 {
			t.Errorf("%v: members %s, size %d, align %d", flags, s, p.Size(), p.Align())
		}
		if m, ok := p.(*types.Struct).Member("q"); !ok || m.Off != 128 || m.Type.Size() != 8 {
			t.Errorf("%v: member of an anonymous struct: %v, %v", flags, m, ok)
		}
		c, err := d.Type("enum", "color")
		if err != nil || fmt.Sprint(c.(*types.Enum).Values) != "[{RED 0} {GREEN -2} {BLUE 7}]" || !c.(*types.Enum).Signed {
			t.Errorf("%v: %v, %v", flags, c, err)
		}
		if td, err := d.Type("", "point_t"); err != nil || types.Resolve(td) != p {
			t.Errorf("%v: typedef %v, %v", flags, td, err)
		}
		if _, err := d.Type("struct", "nothing"); err == nil {
			t.Errorf("%v: a type that there is not", flags)
		}
	}
}

func TestInlined(t *testing.T) {
	for _, flags := range variants[1:] {
		_, d := debugOf(t, build(t, "gcc", ".c", source, flags...))
		copies, err := d.Copies("inner")
		if err != nil || len(copies) != 1 {
			t.Fatalf("%v: %v, %v", flags, copies, err)
		}
		c := copies[0]
		if c.Into.Name != "add" || c.Depth != 2 || c.Line != 7 || c.Func.Name != "inner" {
			t.Errorf("%v: %s into %s, depth %d, line %d", flags, c.Func.Name, c.Into.Name, c.Depth, c.Line)
		}
		var chain []string
		for _, call := range d.Chain(c.Ranges[0].Low) {
			chain = append(chain, fmt.Sprintf("%s:%d", call.Func, call.Line))
		}
		if s := strings.Join(chain, " "); s != "inner:5 middle:7 add:10" {
			t.Errorf("%v: chain %s", flags, s)
		}
		params, err := c.Params()
		if err != nil || len(params) != 2 || params[0].Name != "a" || params[1].Name != "p" {
			t.Errorf("%v: parameters %v, %v", flags, params, err)
		}
	}
}

func TestLines(t *testing.T) {
	f, d := debugOf(t, build(t, "gcc", ".c", source, "-g", "-O0"))
	funcs, err := d.Functions("hidden")
	if err != nil || len(funcs) != 1 {
		t.Fatal(funcs, err)
	}
	places, err := d.Lines("prog.c", 12)
	if err != nil || len(places) == 0 || places[0].Addr != funcs[0].Entry || !places[0].Stmt {
		t.Errorf("line 12 is at %v, hidden at %#x, %v", places, funcs[0].Entry, err)
	}
	if file, line, ok := d.Line(funcs[0].Entry + 1); !ok || line != 12 || !strings.HasSuffix(file, "prog.c") {
		t.Errorf("hidden is at %s:%d", file, line)
	}
	off, ok := f.Offset(funcs[0].Entry)
	addr, ok2 := f.Address(off)
	if !ok || !ok2 || addr != funcs[0].Entry {
		t.Errorf("%#x is at %#x of the file, which is at %#x", funcs[0].Entry, off, addr)
	}
}

// A stripped program has its functions back from the file of its debug information,
// found by build id or by the link, and a file of another program is not taken.
func TestSeparateDebug(t *testing.T) {
	prog := build(t, "gcc", ".c", source, "-g", "-O2", "-Wl,--build-id")
	for _, args := range [][]string{
		{"--only-keep-debug", prog, prog + ".debug"}, {"--strip-all", prog}, {"--add-gnu-debuglink=" + prog + ".debug", prog},
	} {
		if msg, err := exec.Command("objcopy", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, msg)
		}
	}
	f, d := debugOf(t, prog)
	if !f.Stripped() || d.File() == f {
		t.Error("the program is not stripped")
	}
	syms, err := Root{}.Symbols(f)
	if err != nil {
		t.Fatal(err)
	}
	found := Function{}
	for i := range syms.Len() {
		if fn := syms.At(i); strings.HasPrefix(fn.Name, "hidden") {
			found = fn
		}
	}
	if !found.Local || found.Offset == 0 || found.Size == 0 {
		t.Errorf("hidden is %+v", found)
	}
	other := build(t, "gcc", ".c", "int main(){return 0;}", "-g", "-Wl,--build-id")
	if err := os.Rename(other, prog+".debug"); err != nil {
		t.Fatal(err)
	}
	if _, err := (Root{}).Debug(f); err == nil {
		t.Error("the debug information of another program was taken")
	}
}

func TestCPlusPlus(t *testing.T) {
	_, d := debugOf(t, build(t, "g++", ".cc", `#include <string>
namespace ns {
struct Base { int b; virtual ~Base() {} };
struct Cls : Base { long v; std::string s; int method(int a) const; };
__attribute__((noinline)) int Cls::method(int a) const { return a + v; }
__attribute__((noinline)) int taken(std::string s, Cls *c) { return s.size() + c->v; }
}
int main(int argc, char **argv) { ns::Cls c; c.v = argc; return c.method(argc) + ns::taken(argv[0], &c); }
`, "-g", "-O2"))
	for _, name := range []string{"method", "Cls::method", "ns::Cls::method", "_ZNK2ns3Cls6methodEi"} {
		funcs, err := d.Functions(name)
		if err != nil || len(funcs) != 1 || funcs[0].Full() != "ns::Cls::method" {
			t.Errorf("%s: %v, %v", name, funcs, err)
		}
	}
	if funcs, _ := d.Functions("other::method"); len(funcs) != 0 {
		t.Errorf("other::method is %v", funcs)
	}
	funcs, err := d.Functions("taken")
	if err != nil || len(funcs) != 1 {
		t.Fatal(funcs, err)
	}
	params, _, err := funcs[0].Params()
	if err != nil || len(params) != 2 || params[0].Where.Kind != AtRegister || params[0].Where.Reg != 5 || params[1].Where.Reg != 4 {
		t.Errorf("a string by value: %+v, %v", params, err)
	}
	cls, err := d.Type("struct", "Cls")
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := cls.(*types.Struct).Member("b"); !ok || m.Off != 64 {
		t.Errorf("a member of the base class: %+v, %v", m, ok)
	}
}

// Neither a pipe nor a device nor a link out of a container is opened.
func TestWhatIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	for _, cmd := range [][]string{{"mkfifo", dir + "/pipe"}, {"ln", "-s", "/dev/zero", dir + "/zero"}, {"ln", "-s", "/etc/hostname", dir + "/out"}} {
		if msg, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%v\n%s", err, msg)
		}
	}
	for _, name := range []string{"pipe", "zero", "."} {
		if _, err := Open(dir + "/" + name); err == nil {
			t.Errorf("%s was opened", name)
		}
		if _, err := (Root{Dir: dir}).Open(name); err == nil {
			t.Errorf("%s was opened in its root", name)
		}
	}
	if _, err := (Root{Dir: dir}).OpenFile("out"); err == nil {
		t.Error("a link led out")
	}
}

// TestExported finds what a library gives to others, functions and data, and neither what it needs nor
// what it keeps to itself.
func TestExported(t *testing.T) {
	name := build(t, "gcc", ".c", `
extern int elsewhere(void);
static int hidden(void) { return elsewhere(); }
int table[3] = { 1, 2, 3 };
int shown(void) { return hidden(); }
`, "-shared", "-fPIC", "-O0")
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := f.Exported("table", "shown", "hidden", "elsewhere", "nothing")
	if len(got) != 2 || got["table"].High-got["table"].Low != 12 || got["shown"].Low >= got["shown"].High {
		t.Errorf("exported are %v", got)
	}
}
