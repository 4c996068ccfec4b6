package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/internal/trial"
	"dscope.dev/engine/trace"
	"dscope.dev/probes"
)

// TestSearchBudget asks an environment for probes again and again. What is compared is
// counted, not timed, and both counts end.
func TestSearchBudget(t *testing.T) {
	e := openEngine(t)
	v := &env{e: e, ctx: context.Background()}
	all := &ast.ProbeDesc{Text: "syscall:::", Provider: "syscall"}
	set, err := v.Probes(all)
	if err != nil || set.Count < 100 {
		t.Fatalf("%d probes: %v", set.Count, err)
	}
	compared := v.compared
	if compared < set.Count {
		t.Errorf("%d names compared to find %d", compared, set.Count)
	}
	again := &ast.ProbeDesc{Text: " syscall:::", Provider: "syscall", At: ast.At{From: 7, To: 10}}
	if _, err := v.Probes(again); err != nil || v.compared != compared {
		t.Errorf("asked again, %d names are compared: %v", v.compared-compared, err)
	}
	n := 2
	for ; err == nil; n++ {
		_, err = v.Probes(all)
	}
	if !errors.Is(err, check.ErrTooMuch) || (n-1)*set.Count > mostEnabled+set.Count || !strings.Contains(err.Error(), fmt.Sprint(mostEnabled)) {
		t.Errorf("after %d times %d probes: %v", n-1, set.Count, err)
	}

	v = &env{e: e, ctx: context.Background()}
	most := 0
	for n, err = 0, nil; n < 1_000_000 && !errors.Is(err, check.ErrTooMuch); n++ {
		before := v.compared
		_, err = v.Probes(&ast.ProbeDesc{Provider: "syscall", Function: fmt.Sprintf("*%d*", n)})
		most = max(most, v.compared-before)
	}
	if !errors.Is(err, check.ErrTooMuch) || v.compared > mostCompared+most {
		t.Errorf("after %d patterns and %d names: %v", n, v.compared, err)
	}
}

// TestManyNamed checks a script that names thousands of functions, each among all of the kernel: that
// is not too much.
func TestManyNamed(t *testing.T) {
	e := patchable(t, trial.Functions{})
	found, err := e.registry.Match(context.Background(), probes.Pattern{Provider: "fbt", Name: "return"})
	if err != nil || len(found) < 10_000 {
		t.Fatalf("%d functions, %v", len(found), err)
	}
	var text strings.Builder
	for _, f := range found[:2000] {
		fmt.Fprintf(&text, "fbt::%s:entry { @ = count(); }\n", f.Function)
	}
	if list := e.Check(context.Background(), trace.Script{Text: text.String()}); list.Failed() {
		t.Errorf("%v", list[0])
	}
}

// TestAnswers asks an engine twice for descriptions. What it remembers of the first time is what it
// finds, and of what may change it remembers nothing.
func TestAnswers(t *testing.T) {
	e := patchable(t, trial.Functions{})
	for text, lasts := range map[string]bool{
		"syscall::read:entry": true, "syscall:::": true, "fbt:::return": true, "fbt::vfs_*:entry": true, "dtrace:::BEGIN": true,
		"tick-1s": false, "vfs_read:entry": false, "pid1:::entry": false, "profile:::tick-2s": false,
	} {
		d := &ast.ProbeDesc{Text: text}
		pat, err := probes.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		d.Provider, d.Module, d.Function, d.Name = pat.Provider, pat.Module, pat.Function, pat.Name
		if e.registry.Lasts(pat) != lasts {
			t.Errorf("%s lasts: %t", text, !lasts)
		}
		v := &env{e: e, ctx: context.Background()}
		found, failed := v.resolve(d)
		for range 2 {
			set, err := v.answer(d, *d)
			if (err == nil) != (failed == nil) || set.Count != found.Count || set.Disagree != found.Disagree || set.First != found.First ||
				set.Own != found.Own || len(set.Args) != len(found.Args) || len(plan.SitesOf(&set)) != len(plan.SitesOf(&found)) {
				t.Errorf("%s: %d probes, %v; found were %d, %v", text, set.Count, err, found.Count, failed)
			}
		}
		if _, kept := e.answers.sets[*d]; kept != (lasts && failed == nil) {
			t.Errorf("%s is kept: %t", text, kept)
		}
		if e.answers.kept > mostAnswers {
			t.Errorf("%d sites are kept", e.answers.kept)
		}
	}
}

// TestTooMuch compiles scripts of up to a megabyte that ask for too much. Each is refused
// once, by name and with a remedy.
func TestTooMuch(t *testing.T) {
	e := openEngine(t)
	many := func(format string, n int) string {
		var b strings.Builder
		for i := 1; i <= n; i++ {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	for _, tt := range []struct{ name, text, want string }{
		{"probes", many("syscall:::{}\n", 76_000), "the script enables more than 1048576 probes"},
		{"patterns", many("*:*:*#*:*{}\n", 60_000), "names compared"},
		{"descriptions", many("BEGIN,", 160_000) + "END{}", "at most 65535 probe descriptions"},
		{"programs", many("tick-#s{@[#]=count();}\n", 7000), "more than 6000 programs"},
		{"translators", "struct o { int a; };" + many("translator struct o<struct q#*p>{a=1;};", 20_000) + "BEGIN{}", "at most 4000 translators"},
		{"values", "BEGIN{printf(\"" + strings.Repeat("%d", 5000) + "\"" + strings.Repeat(",1", 5000) + ");}", "more than 4000 parts"},
		{"keys", "BEGIN{@[" + strings.Repeat("1,", 400_000) + "1]=count();}", "more than 4000 parts"},
	} {
		s := Script{Name: "script", Text: tt.text, Options: options.Default()}
		s.Options.ZeroProbes = tt.name == "patterns"
		_, err := e.Compile(context.Background(), s)
		list, ok := IsScriptError(err)
		if !ok {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		said := 0
		for _, d := range list.List {
			if strings.Contains(d.Msg, tt.want) {
				said++
			}
		}
		if first := list.List[0]; said == 0 || said > 1 && tt.name != "translators" {
			t.Errorf("%s: said %d times; first %s (%s)", tt.name, said, first.Msg, first.Hint)
		}
	}
}
