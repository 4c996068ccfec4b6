package refer_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/refer"
	"dscope.dev/dlang/token"
)

// cut takes the bars out of a text and returns where they stood.
func cut(marked string) (text string, at []int) {
	parts := strings.Split(marked, "|")
	for _, p := range parts[:len(parts)-1] {
		text += p
		at = append(at, len(text))
	}
	return text + parts[len(parts)-1], at
}

// TestAt asks at the first bar, and wants uses at all of them and nowhere else.
func TestAt(t *testing.T) {
	for _, tt := range []struct {
		text string
		kind refer.Kind
		def  int // which of the places is the definition; -1 if none is
	}{
		{"BEGIN { |x = 1; } END { trace(|x); self->x = 2; this->x = 3; @x = count(); }", refer.Variable, 0},
		{"BEGIN { self->|x = 1; x = 2; } END { trace(self -> |x); }", refer.Thread, 0},
		{"END /this->|x/ { this->|x = 1; }", refer.Firing, 1},
		{"BEGIN { @|n[pid] = count(); } END { printa(@|n); trunc(@|n, 5); printa(@m); }", refer.Aggregation, 0},
		{"END { printa(@|); } BEGIN { @|[execname] = count(); }", refer.Aggregation, 1},
		{"int |x; BEGIN { |x = 1; int x = 2; x++; } END { |x++; }", refer.Variable, 0},
		{"int x; BEGIN { x = 1; int |x = 2; |x++; { |x--; } } END { x++; }", refer.Local, 0},
		{"int x; BEGIN { int |x = 2; { int x = 3; x--; } |x++; }", refer.Local, 0},
		{"BEGIN { int y = 1; int |x = y; int y2 = |x; }", refer.Local, 0},
		{"BEGIN { for (int |i = 0; |i < 3; |i++) { trace(|i); } i = 1; }", refer.Local, 0},
		{"int |twice(int a) { return 2 * a; } BEGIN { trace(|twice(4)); twice2 = 3; }", refer.Function, 0},
		{"int twice(int |a) { return 2 * |a; } BEGIN { a = 1; }", refer.Local, 0},
		{"inline int |limit = 3; BEGIN /|limit > 2/ { trace(|limit); }", refer.Inline, 0},
		{"inline int add[int |a, int b] = |a + b; BEGIN { a = 1; }", refer.Local, 0},
		{"typedef int |num; |num x; BEGIN { y = (|num)x; trace(sizeof (|num)); }", refer.Type, 0},
		{"struct |pair { int a; struct |pair *next; }; struct |pair p; BEGIN { pair = 1; }", refer.Tag, 0},
		{"enum e { |A, B = |A + 1 }; BEGIN { trace(|A); }", refer.Enumerator, 0},
		{"translator struct s < int |n > { a = |n; }; BEGIN { n = 1; }", refer.Local, 0},
		{"BEGIN { trace(|execname); @[|execname] = count(); }", refer.Name, -1},
		{"BEGIN { |trace(1); |trace(2); }", refer.Function, -1},
		{"BEGIN { trace($|1); trace($$|1); trace($2); }", refer.Macro, -1},
		{"BEGIN { trace(`|jiffies); trace(vmlinux`|jiffies); }", refer.Kernel, -1},
		{"BEGIN { a[|k] = 1; } END { |k = 2; }", refer.Variable, 1},
		{"BEGIN { |a[k] = 1; |a[k]++; }", refer.Variable, 0},
		{"BEGIN { if (1) { |x = 2; } else", refer.Variable, 0}, // half written
		{"BEGIN { |lat = timestamp - ; } END { trace(|lat", refer.Variable, 0},
	} {
		text, want := cut(tt.text)
		x := refer.Parse(token.NewFile("x.d", text))
		sym, place := x.At(want[0])
		if sym == nil {
			t.Errorf("%s: nothing is there", tt.text)
			continue
		}
		var got []int
		for _, u := range sym.Uses {
			got = append(got, u.From.Offset())
		}
		if !slices.Equal(got, want) || sym.Kind != tt.kind || place.From.Offset() != want[0] {
			t.Errorf("%s: a %s at %v, found at %d", tt.text, sym.Kind, got, place.From.Offset())
		}
		def := slices.Index(sym.Uses, sym.Def)
		if def != tt.def {
			t.Errorf("%s: defined at place %d, want %d", tt.text, def, tt.def)
		}
	}
}

func TestRename(t *testing.T) {
	for _, tt := range []struct{ text, to, want string }{
		{"BEGIN { |x = 1; } END { trace(x); self->x = 2; }", "y", "BEGIN { y = 1; } END { trace(y); self->x = 2; }"},
		{"BEGIN { self->|x = 1; } END { trace(self->x); }", "self->start", "BEGIN { self->start = 1; } END { trace(self->start); }"},
		{"BEGIN { @|[pid] = count(); } END { printa(@); }", "@n", "BEGIN { @n[pid] = count(); } END { printa(@n); }"},
		{"BEGIN { @|n = count(); }", "count", "BEGIN { @count = count(); }"}, // has a space of its own
		{"int |f(int a) { return a; } BEGIN { f(1); }", "g", "int g(int a) { return a; } BEGIN { g(1); }"},
		{"int x; BEGIN { int |y = x; }", "x", "x is there already, in line 1"},
		{"int x; BEGIN { int |y = 2; } END { x++; }", "x", "int x; BEGIN { int x = 2; } END { x++; }"},
		{"int |x; BEGIN { int y = x; }", "y", "y is there already, in line 1"},
		{"BEGIN { |x = 1; y = 2; }", "y", "y is there already, in line 1"},
		{"BEGIN { |x = 1; }", "pid", "pid means something in D itself"},
		{"BEGIN { |x = 1; }", "trace", "trace means something in D itself"},
		{"BEGIN { |x = 1; }", "SIGINT", "SIGINT means something in D's library"},
		{"BEGIN { |x = 1; }", "if", "if is a word of D"},
		{"BEGIN { |x = 1; }", "2x", "2x is no name: letters, digits and _ make one, and no digit begins it"},
		{"BEGIN { |x = 1; }", " ", "a name is missing"},
		{"BEGIN { trace(|pid); }", "y", "pid is not declared in this script"},
		{"BEGIN { |trace(pid); }", "y", "trace() is not declared in this script"},
		{"BEGIN { trace($|1); }", "y", "$1 comes from the command line"},
		{"BEGIN { trace(`|jiffies); }", "y", "`jiffies is the kernel's"},
	} {
		text, at := cut(tt.text)
		got, err := renamed(refer.Parse(token.NewFile("x.d", text)), text, at[0], tt.to)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s to %s: %s, want %s", tt.text, tt.to, got, tt.want)
		}
	}
}

// renamed renames what stands at an offset.
func renamed(x *refer.Index, text string, at int, to string) (string, error) {
	sym, _ := x.At(at)
	if sym == nil {
		return "", fmt.Errorf("nothing at %d", at)
	}
	name, places, err := x.Rename(sym, to)
	if err != nil {
		return "", err
	}
	return put(text, name, places), nil
}

func put(text, name string, places []token.Span) string {
	for _, p := range slices.Backward(places) {
		text = text[:p.From.Offset()] + name + text[p.To.Offset():]
	}
	return text
}

// TestPreprocessed follows names through headers and macros.
func TestPreprocessed(t *testing.T) {
	src := "#include \"common.h\"\n#define START self->begun\nBEGIN { START = 1; own = 2; shared = 3; trace(own); }\n"
	r, list := cpp.Process(cpp.Config{Open: header("int shared;\n")}, "x.d", src)
	if list.Failed() {
		t.Fatal(list[0].Msg)
	}
	x := refer.Parse(r.File)
	for _, tt := range []struct {
		kind       refer.Kind
		name, want string
	}{
		{refer.Variable, "own", strings.ReplaceAll(src, "own", "fresh")},
		{refer.Variable, "shared", "shared stands in common.h too, which others may include"},
		{refer.Thread, "begun", "self->begun comes from a macro in line 3"},
	} {
		sym := x.Named(tt.kind, tt.name)
		if sym == nil {
			t.Fatalf("no %s", tt.name)
		}
		name, places, err := x.Rename(sym, "fresh")
		got := put(src, name, places)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestRenameThereAndBack renames whatever can be in every script of the project: the
// tree keeps its form, and renaming back gives the same text.
func TestRenameThereAndBack(t *testing.T) {
	renames := 0
	for _, text := range golden.Inputs(t, "../../testdata/check/*.txtar") {
		f := token.NewFile("x.d", text)
		tree, list := parser.Parse(f)
		if list.Failed() {
			continue
		}
		x := refer.Of(f, tree)
		for _, sym := range x.Symbols {
			name, places, err := x.Rename(sym, "zz_other")
			if err != nil {
				continue
			}
			renames++
			there := put(text, name, places)
			g := token.NewFile("x.d", there)
			again, list := parser.Parse(g)
			if list.Failed() {
				t.Errorf("%s renamed breaks the script: %s\n%s", sym.Shown(), list[0].Msg, there)
				continue
			}
			y := refer.Of(g, again)
			moved, _ := y.At(sym.Uses[0].From.Offset())
			if moved == nil || len(moved.Uses) != len(sym.Uses) || moved.Kind != sym.Kind {
				t.Errorf("%s renamed has other places:\n%s", sym.Shown(), there)
				continue
			}
			back := make([]token.Span, 0, len(moved.Uses))
			back = append(back, moved.Uses...)
			if put(there, sym.Name, back) != text {
				t.Errorf("%s: there and back is another text", sym.Shown())
			}
			if count(tree) != count(again) {
				t.Errorf("%s renamed makes another tree", sym.Shown())
			}
		}
	}
	if renames < 400 {
		t.Errorf("only %d names could be changed", renames)
	}
}

func count(s *ast.Script) int {
	n := 0
	ast.Walk(s, func(ast.Node) bool { n++; return true })
	return n
}

func FuzzParse(f *testing.F) {
	for _, text := range golden.Inputs(f, "../../testdata/check/*.txtar") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := token.NewFile("x.d", text)
		x := refer.Parse(file)
		for _, s := range x.Symbols {
			for _, u := range s.Uses {
				if u.From < 1 || u.To < u.From || u.To.Offset() > len(text) {
					t.Fatalf("%s at %v of %d bytes", s.Shown(), u, len(text))
				}
			}
			x.At(s.Uses[0].From.Offset())
			x.Rename(s, "other")
		}
	})
}

// header opens a header of that text, whatever it is called.
func header(text string) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}
