package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/internal/drain"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/kernel/kerneltest"
)

// TestOrigins looks at what is told of where a script fills its aggregations.
func TestOrigins(t *testing.T) {
	e, err := over(kerneltest.Read(t, "linux-6.18-amd64").Open(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		text string
		want string // a line each: the aggregation, where, its keys, its argument, and the text that it spans
	}{
		{"BEGIN { @[1] = count(); }",
			`@ clause 1 line 1: [1]  "@[1] = count();"`},
		{"syscall::read:entry { @a[execname,\n\targ2  /\n 1024] = quantize(arg2 +\t1, 2); }\nEND { clear(@a); @b = sum(1); }",
			`@a clause 1 line 1: [execname arg2 / 1024] arg2 + 1 "@a[execname,\n\targ2  /\n 1024] = quantize(arg2 +\t1, 2);"` + "\n" +
				`@b clause 2 line 4: [] 1 "@b = sum(1);"`},
		// In two clauses and both arms of an if; the keys that agree have a name.
		{"BEGIN, END { @n[pid, \"a\"] = max(1); }\nBEGIN { if (pid) { @n[pid, execname] = max(2); } else { @n[pid, probefunc] = max(3); } }",
			`@n clause 1 line 1: [pid "a"] 1 "@n[pid, \"a\"] = max(1);"` + "\n" +
				`@n clause 2 line 2: [pid execname] 2 "@n[pid, execname] = max(2);"` + "\n" +
				`@n clause 2 line 2: [pid probefunc] 3 "@n[pid, probefunc] = max(3);"`},
		// Macros are shown as they are used.
		{"#define WHO execname\n#define KIB(n) ((n) / 1024)\nBEGIN { @[WHO, KIB(pid), $$1] = count(); }",
			`@ clause 1 line 3: [WHO KIB(pid) $$1]  "@[WHO, KIB(pid), $$1] = count();"`},
		{"void add(int n) { @sizes[n] = count(); }\nBEGIN { add(1); }",
			`@sizes clause 0 line 1: [n]  "@sizes[n] = count();"`},
	} {
		r, list := cpp.Process(cpp.Config{}, "script", tt.text)
		s := Script{Name: "script", Text: tt.text, File: r.File, Options: options.Default()}
		if strings.Contains(tt.text, "$$1") {
			s.Args = []string{"x"}
		}
		_, p, more := e.check(context.Background(), &s, false)
		if list = append(list, more...); list.Failed() {
			t.Errorf("%s: %v", tt.text, list[0].Msg)
			continue
		}
		var got []string
		places, _ := drain.Origins(p, nil)
		for i, list := range places {
			for _, o := range list {
				got = append(got, fmt.Sprintf("@%s clause %d line %d: %v %s %q", p.Aggs[i].Name, o.Clause, o.Line, o.Keys, o.Arg, tt.text[o.From:o.To]))
			}
		}
		if s := strings.Join(got, "\n"); s != tt.want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", tt.text, s, tt.want)
		}
	}
}

// Of a script in several texts each is a file of its own.
func TestOriginsOfSeveralTexts(t *testing.T) {
	e, err := over(kerneltest.Read(t, "linux-6.18-amd64").Open(t))
	if err != nil {
		t.Fatal(err)
	}
	f, _ := JoinFiles("command line", []*token.File{token.NewFile("one.d", "BEGIN { }"), token.NewFile("two.d", "\nBEGIN { @[pid] = count(); }")})
	_, p, list := e.check(context.Background(), &Script{Name: f.Name, Text: f.Src, File: f, Options: options.Default()}, false)
	if list.Failed() {
		t.Fatal(list[0].Msg)
	}
	want := trace.Origin{Clause: 2, File: "two.d", Line: 2, From: 9, To: 26, Keys: []string{"pid"}}
	places, _ := drain.Origins(p, nil)
	if got := places[0]; len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
