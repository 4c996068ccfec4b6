package engine_test

import (
	"io"
	"os"
	"testing"

	"dscope.dev/engine"
)

// TestExample runs the example where it is possible to trace. As an example with an
// expected output it would fail wherever that needs privileges.
func TestExample(t *testing.T) {
	tracing(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdout
	os.Stdout = w
	Example()
	os.Stdout = was
	w.Close()
	got, err := io.ReadAll(r)
	if want := "begin\nend\nthe clock ticks: true\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// tracing skips a test with the reason where nobody can trace. CI must be able to.
func tracing(t *testing.T) {
	t.Helper()
	e, err := engine.Open()
	if err == nil {
		err = e.Available()
		e.Close()
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("CI must be able to trace: %v", err)
		}
		t.Skipf("cannot trace: %v", err)
	}
}
