package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
)

// endless makes the verifier follow all the instructions that it is ready to follow:
// each of many conditions leaves something else on the stack, in a loop that goes on
// for as long as it likes.
func endless(first asm.Instruction) asm.Instructions {
	code := asm.Instructions{first, asm.Mov.Imm(asm.R6, 0)}
	for i := range int16(40) {
		off := -8 * (i + 1)
		code = append(code, asm.StoreMem(asm.R10, off, asm.R6, asm.DWord))
	}
	for i := range int16(40) {
		off := -8 * (i + 1)
		to := fmt.Sprintf("way%d", i)
		get := asm.FnGetSmpProcessorId.Call()
		if i == 0 {
			get = get.WithSymbol("round")
		}
		code = append(code, get, asm.JEq.Imm(asm.R0, int32(i), to),
			asm.StoreImm(asm.R10, off, 1, asm.Byte),
			asm.Mov.Imm(asm.R0, 0).WithSymbol(to))
	}
	return append(code,
		asm.Add.Imm(asm.R6, 1),
		asm.JLT.Imm(asm.R6, 1<<20, "round"),
		asm.Mov.Imm(asm.R0, 0),
		asm.Return(),
	)
}

// slow returns a script of which the verifier takes long for one program.
func slow(t *testing.T, e *Engine) *Compiled {
	t.Helper()
	c, err := e.Compile(context.Background(), Script{Name: "script", Options: options.Default(),
		Text: "BEGIN { x = 1; @ = count(); }\n\nsyscall::read:entry { x++; }\nsyscall::read:entry, syscall::write:entry { y++; }\nEND { printf(\"%d\", x); }"})
	if err != nil {
		t.Fatal(err)
	}
	marked(c)
	for _, p := range c.plan.Object.Spec.Programs {
		if p.Name = mark; strings.Contains(p.AttachTo, "sys_enter") {
			load := asm.LoadMapValue(asm.R1, 0, 0)
			load.Metadata = p.Instructions[0].Metadata
			p.Instructions = endless(load.WithReference(c.plan.Object.Maps.Globals))
			return c
		}
	}
	t.Fatal("no program to make slow")
	return nil
}

// TestGiveUpVerifying ends a start while the verifier is at work: it says whose turn
// it is, ends at once and leaves nothing.
func TestGiveUpVerifying(t *testing.T) {
	e := tracing(t)
	ungathered(t)
	c := slow(t, e)
	before := take(t)
	e.machine.Patience = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var said atomic.Value
	var at time.Time
	ctx = trace.WithNotes(ctx, func(text string) {
		if said.CompareAndSwap(nil, text) {
			at = time.Now()
			cancel()
		}
	})
	_, err := c.Start(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the start ends with %v", err)
	}
	if took := time.Since(at); took > 3*time.Second { // at once, on a busy machine
		t.Errorf("the start goes on for %v", took)
	}
	if text, _ := said.Load().(string); !strings.Contains(text, "it is at the clauses of lines 3 and 4") {
		t.Errorf("the start says %q", text)
	}
	nothingLeft(t, before)
}
