package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/cilium/ebpf/btf"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/trial"
	"dscope.dev/probes/kernel"
)

// patchable returns an engine over the running kernel, as if every function of
// which that has the type could be traced, by the ways in f.
func patchable(t testing.TB, f trial.Functions) *Engine {
	t.Helper()
	roots := kernel.Roots{Proc: os.DirFS("/proc"), Sys: os.DirFS("/sys"), Arch: "amd64", Types: btf.NewCache()}
	spec, err := btf.LoadKernelSpec()
	if err != nil {
		t.Skipf("needs the types of a kernel: %v", err)
	}
	var list bytes.Buffer
	for typ, err := range spec.All() {
		if err != nil {
			t.Fatal(err)
		}
		if fn, ok := typ.(*btf.Func); ok {
			fmt.Fprintln(&list, fn.Name)
		}
	}
	roots.Tracing = func() (fs.FS, io.Closer, error) {
		return fstest.MapFS{"available_filter_functions": {Data: list.Bytes()}, "available_events": {}}, nil, nil
	}
	e, err := over(kernel.New(roots))
	if err != nil {
		t.Fatal(err)
	}
	e.machine.Trials.Functions = func() trial.Functions { return f }
	t.Cleanup(func() { e.Close() })
	return e
}

// BenchmarkCompileEveryFunction compiles a script for all functions of the kernel.
func BenchmarkCompileEveryFunction(b *testing.B) {
	for b.Loop() {
		e := patchable(b, trial.Functions{})
		c, err := e.Compile(context.Background(), Script{Name: "x", Text: `fbt:::entry { @[probefunc] = count(); }`,
			Options: options.Default()})
		if err != nil {
			b.Fatal(err)
		}
		if len(c.plan.Object.Units) != 1 || !c.plan.Object.Units[0].Multi || len(c.plan.Object.Units[0].Hooks) < 10_000 {
			b.Fatalf("%d units, the first of %d hooks", len(c.plan.Object.Units), len(c.plan.Object.Units[0].Hooks))
		}
		b.ReportMetric(float64(len(c.plan.Object.Units[0].Hooks)), "functions")
	}
}

// BenchmarkCompileFunctions does it with the functions that this kernel lets us trace.
func BenchmarkCompileFunctions(b *testing.B) {
	tracing(b)
	for b.Loop() {
		e, err := Open()
		if err != nil {
			b.Fatal(err)
		}
		if err := e.machine.Trials.Functions().Err(); err != nil {
			b.Skip(err)
		}
		if _, err := e.Compile(context.Background(), Script{Name: "x", Text: `fbt:::entry { @[probefunc] = count(); }`,
			Options: options.Default()}); err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}
