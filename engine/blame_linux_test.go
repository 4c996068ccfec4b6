package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/options"
)

// TestVerifierComplaint breaks the code of one action of a script: the refusal of
// the kernel must come back as a complaint about that action.
func TestVerifierComplaint(t *testing.T) {
	e := tracing(t)
	const script = "BEGIN\n{\n\tx = 1;\n\ty = x + ppid;\n\ttrace(y);\n\texit(0);\n}\n"
	c, err := e.Compile(context.Background(), Script{Name: "script", Text: script, Options: options.Default()})
	if err != nil {
		t.Fatal(err)
	}
	if !outOfBounds(c, "y = x + ppid") {
		t.Fatal("the action stores nothing")
	}
	s, err := c.Start(context.Background())
	if err == nil {
		s.Close()
		t.Fatal("the kernel let it pass")
	}
	list, ok := IsScriptError(err)
	if !ok || len(list.List) != 1 {
		t.Fatalf("%v is no complaint", err)
	}
	d := list.List[0]
	if line, _ := c.plan.File.Position(d.At.From); d.Code != diag.Verifier || line != 4 {
		t.Errorf("[%s] in line %d: %s", d.Code, line, d.Msg)
	}
}

// outOfBounds lets the first store of an action miss its memory.
func outOfBounds(c *Compiled, action string) bool {
	for _, p := range c.plan.Object.Spec.Programs {
		here := false
		for i := range p.Instructions {
			in := &p.Instructions[i]
			if src := in.Source(); src != nil {
				here = strings.Contains(src.String(), action)
			}
			if here && in.OpCode.Class().IsStore() {
				in.Offset = 0x7f00
				return true
			}
		}
	}
	return false
}

// TestVerifierGivesUp words what the verifier finds too much to follow: that is
// not the script's mistake, nor has it one place.
func TestVerifierGivesUp(t *testing.T) {
	e := tracing(t)
	c, err := e.Compile(context.Background(), Script{Name: "script", Text: "BEGIN { exit(0); }", Options: options.Default()})
	if err != nil {
		t.Fatal(err)
	}
	for err, said := range map[error]string{
		unix.EFAULT: "gave up", // how the library hands on "the sequence of 8193 jumps is too complex"
		&ebpf.VerifierError{Cause: unix.E2BIG, Log: []string{"0: (b7) r0 = 0", "BPF program is too large. Processed 1000001 insn",
			"processed 1000001 insns (limit 1000000) max_states_per_insn 4"}}: "gave up",
		&ebpf.VerifierError{Cause: unix.EINVAL, Log: []string{"insn 26208 cannot be patched due to 16-bit range",
			"processed 66259 insns (limit 1000000) max_states_per_insn 5"}}: "a jump",
	} {
		var list *diag.ListError
		if !errors.As(load.Refused(err, c.plan), &list) || list.List[0].Code != diag.Verifier || !strings.Contains(list.List[0].Msg, said) || list.List[0].Hint == "" {
			t.Errorf("%v became %v", err, load.Refused(err, c.plan))
		}
	}
}
