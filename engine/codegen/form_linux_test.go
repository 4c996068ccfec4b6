package codegen_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/trace"
)

// levels are what every script is optimised to: not at all, and with all passes.
var levels = []int{0, 2}

// A form is a script compiled at one level. It is loaded once for each run: what
// it leaves in maps belongs to that run.
type form struct {
	o   *codegen.Object
	res *lower.Result
	c   *ebpf.Collection
	err error

	followed, size int // by the verifier: instructions of the largest program, and how many it has
}

// prepare compiles a script at all levels. The verifier takes most of the time
// that a script takes, so the forms are loaded side by side.
func (m *machine) prepare(p *check.Program, tc *testCase) []*form {
	var forms []*form
	for _, level := range levels {
		f := &form{}
		f.o, f.res, f.err = m.compile(p, level, tc.opts)
		forms = append(forms, f)
	}
	var loading sync.WaitGroup
	for _, f := range forms {
		loading.Go(func() { f.load(m) })
	}
	loading.Wait()
	for _, f := range forms {
		if f.followed > m.followedMost[0] {
			m.followedMost = [2]int{f.followed, f.size}
		}
	}
	return forms
}

func (f *form) load(m *machine) {
	if f.err != nil {
		return
	}
	for _, spec := range f.o.Spec.Programs {
		if f.err = codegen.Splits(spec.Instructions); f.err != nil {
			return
		}
	}
	shared := map[string]*ebpf.Map{}
	if f.o.Maps.Rings != "" {
		shared[f.o.Maps.Rings] = m.outer
	}
	var err error
	f.c, err = ebpf.NewCollectionWithOptions(f.o.Spec, ebpf.CollectionOptions{MapReplacements: shared})
	if err != nil {
		f.err = refusal(err, f.o)
		return
	}
	f.followed, f.size, f.err = effort(f.c, f.o)
}

func (f *form) close() {
	if f.c != nil {
		f.c.Close()
		f.c = nil
	}
}

// run fires shots and spells what came out, as judge does. The kernel makes no
// cell for a thread while it is busy with another on the same CPU, such as one
// of a script that has ended; programs count that as a drop, and are run again.
func (m *machine) run(p *check.Program, c *testCase, f *form) (out []string, err error) {
	for range 5 {
		out, err = m.once(p, c, f)
		if err != nil || !slices.ContainsFunc(out, func(line string) bool { return strings.HasSuffix(line, busy) }) {
			break
		}
		m.again++
		f.close()
		f.load(m)
	}
	return out, err
}

// busy ends a line of a run in which a cell was not made.
var busy = fmt.Sprintf(" drops of kind %d", trace.DropDynamic)

func dropped(kind int, n uint64) string { return fmt.Sprintf("%d drops of kind %d", n, kind) }

// once runs a loaded form.
func (m *machine) once(p *check.Program, tc *testCase, f *form) ([]string, error) {
	if f.err != nil {
		return nil, f.err
	}
	r := &reading{m: m, o: f.o, res: f.res, c: f.c, units: gen.Units(p), prog: p}
	for i := range tc.shots {
		if err := r.fire(&tc.shots[i]); err != nil {
			return nil, err
		}
	}
	r.out = gen.Merge(tc.text, r.out)
	for _, read := range []func() error{r.aggregations, r.arrays, r.drops} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return r.out, nil
}
