package engine

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dscope.dev/dlang/snippet"
	"dscope.dev/engine/trace"
)

// TestCompleteFile completes the names of files in a script, and pieces of D by their words.
func TestCompleteFile(t *testing.T) {
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	dir := t.TempDir()
	for _, name := range []string{"lib.d", "lib.txt", "script.d"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		typed string
		from  int
		want  []string
	}{
		{`#include "li`, 10, []string{"lib.d"}}, // beside the script
		{`BEGIN { freopen("` + dir + `/li`, len(`BEGIN { freopen("`+dir) + 1, []string{"lib.d", "lib.txt"}},
		{`BEGIN { printf("` + dir + `/li`, 0, nil},
		{"latenc", 0, []string{"latency"}},
	} {
		from, list := e.CompleteIn(context.Background(), Script{Name: filepath.Join(dir, "script.d"), Text: tt.typed}, len(tt.typed))
		var got []string
		for _, c := range list {
			if c.Kind == trace.CompleteFile || c.Kind == trace.CompleteSnippet {
				got = append(got, c.Label())
			}
		}
		if tt.want != nil && from != tt.from || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %d %q, want %d %q", tt.typed, from, got, tt.from, tt.want)
		}
	}
	for _, s := range snippet.All {
		if list := e.Check(context.Background(), trace.Script{Text: s.Text}); list.Failed() {
			t.Errorf("%s: %v", s.Name, list)
		}
	}
}
