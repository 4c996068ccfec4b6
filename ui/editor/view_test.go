package editor

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
	"dscope.dev/themes"
)

// TestFrames draws the scenes of testdata/editor. A scene is lines of
//
//	keys: names, and 'words' that are typed
//	error: word: what is wrong with it: what to write instead
//	warning: the same
//	complete: word word word
//	aside: 3: words at the right of the line with this number, from 0
//	ascii:
//
// a line of three dashes, and the script, in which | is the cursor.
func TestFrames(t *testing.T) {
	sizes := map[string][2]int{"20x5": {20, 5}, "40x10": {40, 10}, "80x12": {80, 12}, "120x20": {120, 20}}
	printers := map[string]func([]byte) []byte{}
	for name, s := range sizes {
		printers[name] = func(in []byte) []byte { return []byte(scene(t, string(in), s[0], s[1]).frame(s[0], s[1])) }
	}
	golden.Run(t, "../../testdata/editor/*.txtar", printers)
}

func scene(t *testing.T, in string, w, h int) *rig {
	head, script, ok := strings.Cut(in, "---\n")
	if !ok {
		t.Fatalf("a scene without a script: %q", in)
	}
	r := newRig(t, strings.NewReplacer("<ESC>", "\x1b", "<FF>", "\xff", "<CR>", "\r").Replace(strings.TrimSuffix(script, "\n")))
	r.m.SetSize(w, h)
	for line := range strings.Lines(head) {
		what, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		rest = strings.TrimSpace(rest)
		switch what {
		case "keys":
			r.press(rest)
		case "error", "warning":
			part := strings.SplitN(rest, ": ", 3)
			i := strings.Index(r.m.doc.Text(), part[0])
			d := &diag.Diagnostic{At: token.Span{From: token.Pos(i + 1), To: token.Pos(i + 1 + len(part[0]))}, Code: diag.UnknownIdent, Msg: part[1], Hint: part[2]}
			if what == "warning" {
				d.Severity = diag.Warning
			}
			list := diag.List{d}
			for _, k := range r.m.doc.Marks() {
				list = append(list, k.Diagnostic)
			}
			r.m.SetDiagnostics(r.m.doc.Ref(), list)
		case "aside": // line: words
			n, words, _ := strings.Cut(rest, ": ")
			at, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			r.m.SetAsides(r.m.doc.Ref(), map[int]string{at: words})
		case "complete":
			var list []trace.Completion
			for i, s := range strings.Fields(rest) {
				list = append(list, trace.Completion{Text: s, Detail: fmt.Sprintf("what %s is", s), Kind: trace.CompletionKind(i % 8)})
			}
			from, _ := r.m.doc.Buf.WordAt(r.m.doc.Sel.Head)
			r.m.SetCompletions(r.m.doc.Ref(), from, list)
		case "ascii":
			th, err := themes.Load("dark", themes.Options{Depth: themes.Plain, ASCII: true})
			if err != nil {
				t.Fatal(err)
			}
			r.m.SetTheme(th)
		default:
			t.Fatalf("a scene has no %s", what)
		}
	}
	return r
}

// TestViewIsExact draws a nasty script at every size and scroll, and holds the
// frame to its measures and to harmless bytes.
func TestViewIsExact(t *testing.T) {
	r := newRig(t, "\t漢字\x1b[31m\xff\u202e e\u0301 👩\u200d💻\r\n"+strings.Repeat("x\t漢", 20)+"\n\n\u0301\n|\n")
	r.m.SetDiagnostics(r.m.doc.Ref(), complain(r.m.doc.Text(), "漢字", "x\t漢"))
	for w := 1; w < 60; w += 3 {
		for h := 1; h < 14; h++ {
			r.m.left = (w * h) % 50
			r.m.top = h % 3
			if f := r.frame(w, h); strings.ContainsAny(f, "\x1b\r\u202e\u009b") {
				t.Fatalf("%dx%d: a control code reaches the screen: %q", w, h, f)
			}
			r.press("ctrl+a")
			r.frame(w, h)
			r.press("esc ctrl+end")
		}
	}
	r.m.SetSize(0, 0)
	if r.m.Rows() != nil {
		t.Error("a pane without size draws something")
	}
}

// TestLooks draws with colours: what a cell looks like is what lies over what.
func TestLooks(t *testing.T) {
	th, err := themes.Load("mono", themes.Options{Depth: themes.NoColor})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, "BEGIN { |foo| = 1; }")
	r.m.SetTheme(th)
	if got := r.m.Rows()[0]; !strings.Contains(got, "\x1b[7mfoo") {
		t.Errorf("a selection is drawn %q", got)
	}
	r.m.doc.Sel.Anchor = r.m.doc.Sel.Head
	r.m.SetDiagnostics(r.m.doc.Ref(), complain(r.m.doc.Text(), "foo"))
	if got := r.m.Rows()[0]; !strings.Contains(got, "\x1b[1;4;4mfoo") {
		t.Errorf("a complaint is drawn %q", got)
	}
}

// script2000 is a script of 2,000 lines.
func script2000() string {
	const clause = "syscall::read:entry\n/execname == \"dd\"/\n{\n\tself->ts = timestamp; /* start */\n\t@lat[execname, pid] = quantize(arg2);\n}\n\n"
	return strings.Repeat(clause, 2000/7)
}

// BenchmarkKeystroke is a letter typed in the middle of 2,000 lines, drawn, and
// deleted again: half of it must stay under 3 ms.
func BenchmarkKeystroke(b *testing.B) {
	th, err := themes.Load("dark", themes.Options{Depth: themes.TrueColor})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			r := newRig(b, script2000())
			r.m.SetTheme(th)
			r.m.SetSize(size[0], size[1])
			r.m.goTo(1000, 5)
			r.m.SetDiagnostics(r.m.doc.Ref(), complain(r.m.doc.Text(), "ts", "lat", "dd"))
			letter, back := keyMsg(b, "x"), keyMsg(b, "backspace")
			for b.Loop() {
				r.m.Update(letter)
				_ = r.m.Rows()
				r.m.Update(back)
				_ = r.m.Rows()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(2*b.N), "µs/key")
		})
	}
}

func BenchmarkView(b *testing.B) {
	r := newRig(b, script2000())
	th, err := themes.Load("dark", themes.Options{Depth: themes.TrueColor})
	if err != nil {
		b.Fatal(err)
	}
	r.m.SetTheme(th)
	r.m.SetSize(200, 60)
	for b.Loop() {
		_ = r.m.Rows()
	}
}
