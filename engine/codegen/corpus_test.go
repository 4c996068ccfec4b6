package codegen_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine"
	"dscope.dev/engine/codegen"
)

// TestCorpus loads what the compiler makes of many scripts: the verifier must
// accept it, with every pass and with none.
func TestCorpus(t *testing.T) {
	if os.Getuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("loading eBPF programs needs root")
		}
		t.Skip("loading eBPF programs needs root")
	}
	if err := rlimit.RemoveMemlock(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "codegen", "oneliners.txt"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		for level := range 2 {
			t.Run(fmt.Sprintf("%d/%d", i+1, level), func(t *testing.T) { accepted(t, e, line, level) })
		}
	}
}

func accepted(t *testing.T, e *engine.Engine, text string, level int) {
	opt := engine.DefaultOptions()
	opt.AggSize, opt.DynVarSize, opt.BufSize = 1<<16, 1<<16, 1<<16 // loads faster
	c, err := e.Compile(context.Background(), engine.Script{Name: "script", Text: text, Level: level, Options: opt})
	var list *diag.ListError
	switch {
	case errors.As(err, &list):
		t.Fatalf("%s\n%v", text, list.List)
	case err != nil:
		t.Fatalf("%s\n%v", text, err)
	}
	coll, err := ebpf.NewCollection(c.Object.Spec)
	if err == nil {
		coll.Close()
		return
	}
	var ve *ebpf.VerifierError
	if errors.As(err, &ve) {
		at, why := codegen.VerifierPlace(ve, c.Object)
		t.Fatalf("%s\nat %q: %s\n%s\n%+v", text, c.File.Text(at), why, c.Object.Listing(), ve)
	}
	t.Fatalf("%s\n%v", text, err)
}
