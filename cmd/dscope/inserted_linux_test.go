package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	e, err := engine.New()
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
