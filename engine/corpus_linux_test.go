package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/codegen"
)

// TestCorpus loads what the compiler makes of many scripts: the verifier must
// accept it, with every pass and with none.
func TestCorpus(t *testing.T) {
	e := tracing(t)
	text, err := os.ReadFile(filepath.Join("..", "testdata", "codegen", "oneliners.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		for _, optimised := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, optimised %t", i+1, optimised), func(t *testing.T) { accepted(t, e, line, optimised) })
		}
	}
}

// accepted has the kernel load a script.
func accepted(t *testing.T, e *Engine, text string, optimised bool) {
	opt := DefaultOptions()
	opt.AggSize, opt.DynVarSize, opt.BufSize = 1<<16, 1<<16, 1<<16 // loads faster
	c, err := e.Compile(context.Background(), Script{Name: "script", Text: text, Options: opt, unoptimised: !optimised})
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
	coll, err := ebpf.NewCollection(c.plan.Object.Spec)
	if err == nil {
		coll.Close()
		return
	}
	var ve *ebpf.VerifierError
	if errors.As(err, &ve) {
		at, why := codegen.VerifierPlace(ve, c.plan.Object)
		t.Fatalf("%s\nat %q: %s\n%s\n%+v", text, c.plan.File.Text(at), why, c.plan.Object.Listing(), ve)
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
	e := tracing(t)
	accepted(t, e, manyClauses(180), false)
	accepted(t, e, manyClauses(60), true)
	onError := "ERROR { @errors[arg4, execname] = count(); @at = quantize(arg5); printf(\"%d %x\", arg1, arg5); }\n"
	accepted(t, e, onError+manyClauses(60), true)
}
