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
	e := live(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "codegen", "oneliners.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		for level := range 2 {
			t.Run(fmt.Sprintf("%d/%d", i+1, level), func(t *testing.T) { accepted(t, e, line, level) })
		}
	}
}

// live returns an engine over this kernel, or skips the test.
func live(t *testing.T) *engine.Engine {
	t.Helper()
	if os.Getuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("loading eBPF programs needs root")
		}
		t.Skip("loading eBPF programs needs root")
	}
	if err := rlimit.RemoveMemlock(); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func accepted(t *testing.T, e *engine.Engine, text string, level int) {
	opt := engine.DefaultOptions()
	opt.AggSize, opt.DynVarSize, opt.BufSize = 1<<16, 1<<16, 1<<16 // loads faster
	c, err := e.Compile(context.Background(), engine.Script{Name: "script", Text: text, Level: level, Options: opt})
	var list *diag.ListError
	switch {
	case errors.As(err, &list):
		for _, d := range list.List {
			t.Logf("%s: %s", list.File.Text(d.At), d.Msg)
		}
		t.Fatal(text)
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

// manyClauses makes a script whose clauses share what they test, on one probe.
func manyClauses(n int) string {
	var b strings.Builder
	b.WriteString("syscall::write:entry { self->t = 1; }\n")
	for i := range n {
		fmt.Fprintf(&b, "syscall::read:entry ")
		switch agg := i / 6 % 2; i % 6 {
		case 0:
			fmt.Fprintf(&b, "/arg0 == %d/ { @a%d[execname] = count(); }\n", i, agg)
		case 1:
			fmt.Fprintf(&b, "/pid == %d || execname == \"a%d\"/ { printf(\"%%s %%d\", execname, arg2 / (arg1 - %d)); }\n", i, i, i)
		case 2:
			fmt.Fprintf(&b, "{ @q%d[pid, tid] = quantize(arg2 - %d); x%d = arg1; }\n", agg, i, i)
		case 3:
			fmt.Fprintf(&b, "/self->t > %d/ { self->t = arg0; trace(copyinstr(arg1)); }\n", i)
		case 4:
			fmt.Fprintf(&b, "{ m[pid, %d] = arg2; this->y = arg0 > %d ? arg1 : arg2; trace(this->y); }\n", i, i)
		case 5:
			fmt.Fprintf(&b, "/m[pid, %d]/ { @s%d[execname] = lquantize(arg2, 0, 100, 10); }\n", i-1, agg)
		}
	}
	return b.String()
}

// TestManyClauses loads programs of many clauses: neither the stack nor the
// verifier's patience may run out.
func TestManyClauses(t *testing.T) {
	e := live(t)
	accepted(t, e, manyClauses(180), 0)
	accepted(t, e, manyClauses(60), 1)
	onError := "ERROR { @errors[arg4, execname] = count(); @at = quantize(arg5); printf(\"%d %x\", arg1, arg5); }\n"
	accepted(t, e, onError+manyClauses(60), 1)
}
