package engine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// consumer is a program of another module that runs a script and prints what comes of it.
const consumer = `package main

import (
	"context"
	"fmt"
	"log"

	"dscope.dev/engine"
	"dscope.dev/engine/trace"
)

func main() {
	e, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	c, err := e.Compile(context.Background(), engine.Script{Name: "script", Text: "BEGIN { trace(1); exit(0); }"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Probes(), "probes")
	s, err := c.Start(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for batch := range s.Events() {
		for _, ev := range batch {
			fmt.Println(ev.Kind == trace.DataEvent, len(ev.Items))
		}
	}
}
`

// TestConsumer builds a module outside of the tree against the engine: what stays behind
// engine/internal is not needed to use it.
func TestConsumer(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module dscope.dev", "module example.org/consumer", 1) +
		"\nrequire dscope.dev v0.0.0\n\nreplace dscope.dev => " + root + "\n"
	dir := t.TempDir()
	for name, content := range map[string]string{"go.mod": text, "go.sum": string(sum), "main.go": consumer} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-mod=mod", "-o", filepath.Join(dir, "consumer"), ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tracing(t)
	out, err := exec.Command(filepath.Join(dir, "consumer")).CombinedOutput()
	if want := "1 probes\ntrue 2\n"; err != nil || string(out) != want {
		t.Errorf("it printed %q, %v; want %q", out, err, want)
	}
}
