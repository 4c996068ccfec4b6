package codegen_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"dscope.dev/dlang/lower/gen"
	"dscope.dev/engine/codegen"
)

// TestNoForks reads what the verifier of this kernel says as it goes, and looks for
// a place at which it splits in two though there is no jump: the first program shows
// it such a place, scripts must not.
func TestNoForks(t *testing.T) {
	codegen.NeedKernel(t)
	canary := asm.Instructions{
		asm.FnKtimeGetNs.Call(),
		asm.ArSh.Imm(asm.R0, 63),
		asm.And.Imm(asm.R0, 5),
		asm.Return(),
	}
	err := codegen.Splits(canary)
	if err == nil {
		t.Fatal("nothing found in what splits")
	}
	prog, loadErr := ebpf.NewProgramWithOptions(&ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "GPL", Instructions: canary},
		ebpf.ProgramOptions{LogLevel: ebpf.LogLevelInstruction})
	if loadErr != nil {
		t.Fatal(loadErr)
	}
	defer prog.Close()
	if len(forks(prog.VerifierLog)) == 0 {
		t.Skip("the verifier of this kernel does not split numbers")
	}
	m := newMachine(t)
	for _, action := range []string{
		"trace((arg1 >> 63) & 5);",
		"trace((arg1 >> 63) | arg2);",
		"trace(((int)arg1 >> 31) & 0x8000000000000001);",
		"trace((arg1 > 0 ? 0 : arg1 < -1 ? 1 : arg1) & 6); trace(arg1 | 9);",
		"trace(arg1 >= 0xffffffff && arg1 <= 0x100000000 ? arg1 & 12 : 3);",
		"trace(arg2 == 12 ? (arg1 >> 63) & arg2 : 3);",
		"trace(arg2 == 12 ? arg2 | (arg1 >> 63) : 3);",
		"trace(-(arg1 == arg2) & 7); trace((arg1 >> 63) % 8); trace((uint64_t)(arg1 >> 63) % 8); trace((uint8_t)(arg1 >> 63));",
		"trace((arg1 >> 63) ^ 1); trace(~(arg1 >> 63) & arg2); trace((arg1 & arg2) | (arg3 >> 63));",
		"while (arg1 >> 63 & gi-- ; max 5) gl |= arg2 >> 63;",
	} {
		for level := range 3 {
			text := fmt.Sprintf("%sexec { %s }", gen.Decls, action)
			p, list := m.check(text, nil)
			if list.Failed() {
				t.Fatalf("%s: %s", action, list[0].Msg)
			}
			o, _, err := m.compile(p, level, gen.Options())
			if err != nil {
				t.Fatal(err)
			}
			m.unforked(t, o, fmt.Sprintf("%s at -O%d", action, level))
		}
	}
	for n := range uint64(8) {
		c := &testCase{text: fit(gen.NewMaker(n).Script()), opts: gen.Options(), shots: m.shots(rand.New(rand.NewPCG(1, n)))}
		if p, list := m.check(c.text, c.macros); !list.Failed() {
			o, _, err := m.compile(p, 2, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			m.unforked(t, o, c.text)
		}
	}
}

// unforked loads an object and complains where the verifier split.
func (m *machine) unforked(t *testing.T, o *codegen.Object, what string) {
	t.Helper()
	for _, spec := range o.Spec.Programs {
		if err := codegen.Splits(spec.Instructions); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	shared := map[string]*ebpf.Map{}
	if o.Maps.Rings != "" {
		shared[o.Maps.Rings] = m.outer
	}
	c, err := ebpf.NewCollectionWithOptions(o.Spec, ebpf.CollectionOptions{MapReplacements: shared,
		Programs: ebpf.ProgramOptions{LogLevel: ebpf.LogLevelInstruction, LogSizeStart: 1 << 22}})
	if err != nil {
		t.Fatal(refusal(err, o))
	}
	defer c.Close()
	for name, prog := range c.Programs {
		for _, f := range forks(prog.VerifierLog) {
			t.Errorf("%s: %s splits at %s\n%s", what, name, f, o.Listing())
		}
	}
}

var (
	resumed = regexp.MustCompile(`(?m)^from (\d+) to (\d+)`)
	oneStep = regexp.MustCompile(`(?m)^(\d+): \([0-9a-f]{2}\) (.*?)(?:\s*;.*)?$`)
)

// forks returns the instructions after which the verifier came back, and which are no
// jumps.
func forks(log string) []string {
	text := map[int]string{}
	for _, m := range oneStep.FindAllStringSubmatch(log, -1) {
		n, _ := strconv.Atoi(m[1])
		text[n] = m[2]
	}
	var list []string
	for _, m := range resumed.FindAllStringSubmatch(log, -1) {
		n, _ := strconv.Atoi(m[1])
		if t := text[n]; !strings.Contains(t, "goto") && !strings.HasPrefix(t, "call") && t != "exit" {
			list = append(list, m[0]+": "+t)
		}
	}
	return list
}
