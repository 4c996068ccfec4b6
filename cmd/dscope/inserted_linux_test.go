package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine"
	"dscope.dev/engine/trace"
)

// TestInsertedCompiles compiles what the browser inserts for each kind of probe, as its own
// test finds it in these archives; then all of it as one script, where no two clauses may
// take a name for different things.
func TestInsertedCompiles(t *testing.T) {
	mustTrace(t)
	e, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	_, families, err := e.Probes(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	unavailable := map[string]string{}
	for _, f := range families {
		unavailable[f.Name] = f.Unavailable
	}
	target, _ := started(t, "cat")
	waitFor(t, "the target to have loaded its libraries", func() bool {
		maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", target.Process.Pid))
		return bytes.Contains(maps, []byte("libc.so.6"))
	})

	compile := func(text string) error {
		var all []error
		for _, d := range e.Check(t.Context(), trace.Script{Text: text, Target: target.Process.Pid}) {
			if d.Severity != diag.Warning {
				all = append(all, errors.New(d.Msg))
			}
		}
		return errors.Join(all...)
	}
	files, err := filepath.Glob("../../testdata/inserted/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	var together []string
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range archive.Files {
				if part.Name != "script.d" || len(part.Data) == 0 { // of what is refused, nothing
					continue
				}
				text := string(part.Data)
				family, _, _ := strings.Cut(text, ":")
				if why := unavailable[family]; why != "" {
					t.Skipf("%s: %s", family, why)
				}
				if err := compile(text); err != nil {
					t.Errorf("%v\nin:\n%s", err, text)
				}
				together = append(together, text)
			}
		})
	}
	if err := compile(strings.Join(together, "\n\n")); err != nil {
		t.Errorf("together: %v", err)
	}
}

// TestLatencyOfRecursion measures a function that calls itself nine times, a millisecond each,
// with the clauses that the browser inserts for one of a process: ten milliseconds are told.
func TestLatencyOfRecursion(t *testing.T) {
	mustTrace(t)
	needCompiler(t, "for a function that calls itself")
	archive, err := txtar.ParseFile("../../testdata/inserted/function.txtar")
	if err != nil {
		t.Fatal(err)
	}
	text := string(archive.Files[len(archive.Files)-1].Data)
	text = strings.ReplaceAll(text[strings.Index(text, "pid$target"):], "libc.so.6:read", "a.out:depth")
	dir := t.TempDir()
	source, program := filepath.Join(dir, "deep.c"), filepath.Join(dir, "deep")
	if err := os.WriteFile(source, []byte(`#include <unistd.h>
__attribute__((noinline)) int depth(int n) { usleep(1000); return n ? depth(n - 1) + 1 : 0; }
int main(void) { for (int i = 0; i < 20; i++) depth(9); }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O1", "-fno-optimize-sibling-calls", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("dscope", "trace", "-q", "-x", "oformat=ndjson", "-c", program, "-s", script(t, text)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	calls := 0
	for _, b := range regexp.MustCompile(`"low":(\d+),"high":\d+,"count":(\d+)`).FindAllSubmatch(out, -1) {
		low, _ := strconv.Atoi(string(b[1]))
		n, _ := strconv.Atoi(string(b[2]))
		if n > 0 && low < 1<<23 { // of 8.4 ms, which ten sleeps exceed
			t.Errorf("%d calls took %d ns and more", n, low)
		}
		calls += n
	}
	if calls != 20 {
		t.Errorf("%d calls are measured, want 20:\n%s", calls, out)
	}
}
