package flame

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// stack returns a stack of "module`symbol" or "module@address", innermost first.
func stack(kind trace.ValueKind, frames ...string) trace.Value {
	v := trace.Value{Kind: kind}
	for i, s := range frames {
		f := trace.Frame{Addr: uint64(0x1000*len(s) + i), Offset: uint64(7 + i)}
		var inlined bool
		s, inlined = strings.CutSuffix(s, "!")
		if module, symbol, ok := strings.Cut(s, "`"); ok {
			f.Module, f.Symbol, f.Inlined = module, symbol, inlined
		} else {
			module, at, _ := strings.Cut(s, "@")
			f.Module, f.Offset = module, 0
			fmt.Sscanf(at, "%x", &f.Addr)
		}
		v.Frames = append(v.Frames, f)
	}
	return v
}

func user(frames ...string) trace.Value   { return stack(trace.UstackValue, frames...) }
func kernel(frames ...string) trace.Value { return stack(trace.StackValue, frames...) }
func name(s string) trace.Value           { return trace.Value{Kind: trace.StringValue, Str: s} }

func row(n int64, keys ...trace.Value) trace.Row { return trace.Row{Value: n, Keys: keys} }

// print writes a tree as indented lines: kind, name, total, self.
func print(t *Tree) string {
	var b strings.Builder
	var walk func(n int32)
	walk = func(n int32) {
		x := &t.Nodes[n]
		fmt.Fprintf(&b, "%*s%s %d %d\n", x.Depth, "", strings.TrimSpace(t.Name(n).Kind.String()+" "+t.Full(n)), x.Total, x.Self)
		for _, c := range t.Below(n) {
			walk(c)
		}
	}
	walk(0)
	return b.String()
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys bool
		rows []trace.Row
		want string
	}{
		{"functions, whatever the place in them", false, []trace.Row{row(3, user("c`read", "a`main")), row(2, user("a`other", "c`read", "a`main")), row(1, user("a`main"))}, `
all 6 0
 user a` + "`" + `main 6 1
  user c` + "`" + `read 5 3
   user a` + "`" + `other 2 2
`},
		{"one name in two modules", false, []trace.Row{row(1, user("a`f")), row(2, user("b`f"))}, `
all 3 0
 user a` + "`" + `f 1 1
 user b` + "`" + `f 2 2
`},
		{"user frames below those of the kernel, however the keys stand", false, []trace.Row{row(1, kernel("k`in", "k`entry"), user("c`read")), row(1, kernel("k`idle"), user())}, `
all 2 0
 user c` + "`" + `read 1 0
  kernel k` + "`" + `entry 1 0
   kernel k` + "`" + `in 1 1
 kernel k` + "`" + `idle 1 1
`},
		{"no symbol: pages move, places in them do not", false, []trace.Row{row(1, user("a@55550000123", "b`x")), row(1, user("a@7fff0009123", "b`x")), row(1, user("a@55550000124", "b`x")), row(1, user("@7fff123")), row(1, user("@7ffe456"))}, `
all 5 0
 user (in no module) 2 2
 user b` + "`" + `x 3 0
  user a` + "`" + `0x…123 2 2
  user a` + "`" + `0x55550000124 1 1
`},
		{"addresses of the kernel stay", false, []trace.Row{row(1, kernel("@ffff1123")), row(1, kernel("@ffff2123"))}, `
all 2 0
 kernel 0xffff1123 1 1
 kernel 0xffff2123 1 1
`},
		{"functions put into others", false, []trace.Row{row(1, user("a`f!", "a`g")), row(1, user("a`f", "a`g"))}, `
all 2 0
 user a` + "`" + `g 2 0
  user a` + "`" + `f 1 1
  user a` + "`" + `f [inlined] 1 1
`},
		{"other keys are levels", true, []trace.Row{row(1, name("dd"), user("a`f"), name("x")), row(2, name("dd"), user("a`f"), name("y")), row(4, name("sh\x1b"), user(), name("y"))}, `
all 7 0
 key dd 3 0
  key x 1 0
   user a` + "`" + `f 1 1
  key y 2 0
   user a` + "`" + `f 2 2
 key sh^[ 4 0
  key y 4 0
   key (no frames) 4 4
`},
		{"other keys left out", false, []trace.Row{row(1, name("dd"), user("a`f")), row(2, name("sh"), user("a`f")), row(0, name("z"), user("a`g"))}, `
all 3 0
 user a` + "`" + `f 3 3
`},
		{"nothing", false, nil, "\nall 0 0\n"},
	} {
		got := print(Merge(&trace.Table{Rows: tt.rows}, Options{Keys: tt.keys}))
		if want := strings.TrimPrefix(tt.want, "\n"); got != want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, want)
		}
	}
}

// TestKnownPlaces merges by module and offset where the engine tells that.
func TestKnownPlaces(t *testing.T) {
	at := func(addr, off uint64, raw bool) trace.Row {
		return row(1, trace.Value{Kind: trace.UstackValue, Frames: []trace.Frame{{Addr: addr, Module: "lib.so", Offset: off, Raw: raw}}})
	}
	got := print(Merge(&trace.Table{Rows: []trace.Row{at(0x7f1020, 0x1020, true), at(0x7e1020, 0x1020, false), at(0x7e2020, 0x2020, true)}}, Options{}))
	if want := "all 3 0\n user lib.so:0x1020 2 2\n user lib.so:0x2020 1 1\n"; got != want {
		t.Errorf("\n%swant\n%s", got, want)
	}
}

// TestBudget cuts what is too deep, too broad or too much, says how much, and keeps what
// has most.
func TestBudget(t *testing.T) {
	rows := []trace.Row{row(1, user("a`d", "a`c", "a`b", "a`a")), row(1, user("a`x")), row(5, user("a`y")), row(1, user("a`z"))}
	for _, tt := range []struct {
		o    Options
		cut  int64
		want string
	}{
		{Options{Depth: 2}, 1, "all 8 0\n user a`a 1 0\n  user a`b 1 0\n   cut (more) 1 1\n user a`x 1 1\n user a`y 5 5\n user a`z 1 1\n"},
		{Options{Breadth: 2}, 2, "all 8 0\n user a`a 1 0\n  user a`b 1 0\n   user a`c 1 0\n    user a`d 1 1\n user a`y 5 5\n cut (more) 2 2\n"},
		{Options{Nodes: 2}, 3, "all 8 0\n user a`y 5 5\n cut (more) 3 3\n"},
	} {
		tree := Merge(&trace.Table{Rows: rows}, tt.o)
		if got := print(tree); got != tt.want || tree.Cut != tt.cut {
			t.Errorf("%+v: cut %d of\n%swant %d of\n%s", tt.o, tree.Cut, got, tt.cut, tt.want)
		}
	}
	if tree := Merge(&trace.Table{Rows: []trace.Row{row(-2, user("a`a")), row(3, user("a`a"))}}, Options{}); tree.Negative != 1 || tree.Total() != 3 {
		t.Errorf("%d rows below zero, total %d", tree.Negative, tree.Total())
	}
}

// TestPaths finds a node again in the tree of the next moment, or the nearest above it.
func TestPaths(t *testing.T) {
	one := Merge(&trace.Table{Rows: []trace.Row{row(1, user("a`b", "a`a")), row(1, user("a`c", "a`a"))}}, Options{})
	two := Merge(&trace.Table{Rows: []trace.Row{row(1, user("z`z")), row(9, user("a`c", "a`a"))}}, Options{})
	for n := range one.Nodes {
		path := one.Path(int32(n))
		if got, whole := one.Find(path); got != int32(n) || !whole {
			t.Errorf("the path of node %d leads to %d", n, got)
		}
		got, whole := two.Find(path)
		if text := two.Text(got); one.Text(int32(n)) == "b" && (whole || text != "a") || one.Text(int32(n)) != "b" && (!whole || text != one.Text(int32(n))) {
			t.Errorf("%s leads to %s in the other tree, %v", one.Text(int32(n)), text, whole)
		}
	}
}

func TestSearch(t *testing.T) {
	tree := Merge(&trace.Table{Rows: []trace.Row{row(5, user("c`Read", "a`read_all")), row(3, user("a`main")), row(2, kernel("k`ksys_read"))}}, Options{})
	for _, tt := range []struct {
		text  string
		nodes int
		under int64
	}{{"", 0, 0}, {"READ", 3, 7}, {"c`", 1, 5}, {"all", 1, 5}, {"nobody", 0, 0}} {
		if got := tree.Search(tt.text); got.Nodes != tt.nodes || got.Under != tt.under {
			t.Errorf("%q: %d nodes, %d under them, want %d and %d", tt.text, got.Nodes, got.Under, tt.nodes, tt.under)
		}
	}
}

// many returns so many stacks of 30 frames, half of them of the kernel, as programs have
// them: few entries, many leaves.
func many(n int) *trace.Table {
	r := rand.New(rand.NewPCG(1, 2))
	t := &trace.Table{}
	texts := map[string]string{} // the engine keeps a name once
	once := func(format string, d, fn int) string {
		s := fmt.Sprintf(format, d, fn)
		if texts[s] == "" {
			texts[s] = s
		}
		return texts[s]
	}
	for i := range n {
		var u, k []trace.Frame
		for d := range 15 {
			fn := r.IntN(2 + 14*2/(d+1)) // frames[0] is the innermost
			u = append(u, trace.Frame{Addr: uint64(r.IntN(4)*0x10000 + d*0x100 + fn), Module: "libc.so.6", Symbol: once("function_%d_%d", d, fn)})
			k = append(k, trace.Frame{Addr: 0xffff000000 + uint64(d*0x100+fn), Module: "vmlinux", Symbol: once("kernel_%d_%d", d, fn)})
		}
		t.Rows = append(t.Rows, row(int64(1+r.IntN(1000)), trace.Value{Kind: trace.UstackValue, Frames: u}, trace.Value{Kind: trace.StackValue, Frames: k}))
		t.Rows[i].ID = fmt.Sprint(i)
	}
	return t
}

func BenchmarkMerge20000(b *testing.B) {
	t := many(20_000)
	for b.Loop() {
		tree := Merge(t, Options{})
		b.ReportMetric(float64(len(tree.Nodes)), "nodes")
	}
}

func BenchmarkMerge1000(b *testing.B) {
	t := many(1_000)
	for b.Loop() {
		Merge(t, Options{})
	}
}

// Functions of scripts go by their files, whatever the line; in bars, too.
func TestScripts(t *testing.T) {
	at := func(line uint64) trace.Value {
		return trace.Value{Kind: trace.UstackValue, Frames: []trace.Frame{
			{Addr: 9, Module: "shop.py", Symbol: "main", Offset: line, Script: true}, {Addr: 8, Module: "shop.py", Symbol: "main"}}}
	}
	tree := Merge(&trace.Table{Rows: []trace.Row{row(1, at(3)), row(2, at(4))}}, Options{})
	if got, want := print(tree), "all 3 0\n user shop.py`main 3 0\n  user main (shop.py) 3 3\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := tree.Text(2), "main (shop.py)"; got != want {
		t.Errorf("in a bar it is %s, want %s", got, want)
	}
}
