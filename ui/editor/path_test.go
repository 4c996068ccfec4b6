package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// TestPath completes the path of a file to open: as far as it is plain, then it tells.
func TestPath(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"latency.d", "latest.d", "other/x.d"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("END { }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := newRig(t, "")
	r.press("ctrl+o ctrl+u")
	r.press("'" + dir + "/l" + "'")
	r.press("tab")
	if got := r.m.ask.in.Value(); got != dir+"/late" || !strings.Contains(r.m.notice, "latency.d  latest.d") {
		t.Errorf("%q, %q", got, r.m.notice)
	}
	r.press("'" + "n" + "'")
	r.press("tab")
	if got := r.m.ask.in.Value(); got != dir+"/latency.d" {
		t.Errorf("%q", got)
	}
	r.press("ctrl+u")
	r.press("'" + dir + "/o" + "'")
	r.press("tab")
	if got := r.m.ask.in.Value(); got != dir+"/other/" {
		t.Errorf("%q", got)
	}
	r.press("ctrl+u")
	r.press("'" + dir + "/none" + "'")
	r.press("tab")
	if r.m.notice != "no file is called so" {
		t.Errorf("%q", r.m.notice)
	}
	r.press("esc")
	r.m.pathCompleted(pathMsg{"", []string{"late"}}) // nobody asks any more
	if r.m.doc.Text() != "" || r.m.ask.kind != askNothing {
		t.Errorf("the text is %q", r.m.doc.Text())
	}
}

// TestSnippet shows a snippet by its word and puts its text there.
func TestSnippet(t *testing.T) {
	r := newRig(t, "la|")
	r.run(r.m.complete())
	r.m.SetCompletions(r.m.doc.Ref(), 0, []trace.Completion{{Text: "BEGIN\n{\n}\n", Name: "latency", Kind: trace.CompleteSnippet}})
	if view := r.frame(80, 24); !strings.Contains(view, "latency") {
		t.Errorf("it is not offered:\n%s", view)
	}
	r.press("tab")
	if got := r.m.doc.Text(); got != "BEGIN\n{\n}\n" {
		t.Errorf("%q", got)
	}
}
