package lower_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/ir/interp"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

var (
	programs = flag.Int("programs", 10000, "how many random scripts are judged")
	seed     = flag.Uint64("seed", 1, "where the random scripts begin")
)

// TestJudges runs random scripts three times: straight from the checked tree, as
// lowered, and as optimised. What they record and aggregate must be the same.
func TestJudges(t *testing.T) {
	n := *programs
	if testing.Short() {
		n /= 10
	}
	refused := 0
	for i := range n {
		m := gen.NewMaker(*seed + uint64(i))
		text := m.Script()
		p, list := checkScript(text)
		if list.Failed() {
			if refused++; refused < 4 {
				t.Logf("refused: %s\n%s", list[0].Msg, text)
			}
			continue
		}
		if msg := judge(p, gen.Shots(m.Rand(), 12)); msg != "" {
			t.Fatalf("seed %d: %s\n%s", *seed+uint64(i), msg, text)
		}
	}
	if refused > n/50 {
		t.Errorf("%d of %d scripts were refused: the generator does not know the language", refused, n)
	}
}

func checkScript(text string) (*check.Program, diag.List) {
	f := token.NewFile("random", text)
	tree, list := parser.Parse(f)
	p, more := check.Check(f, tree, gen.NewEnv(), check.Options{})
	return p, append(list, more...)
}

// judge returns what is wrong, or "".
func judge(p *check.Program, shots []gen.Shot) string {
	ref := gen.NewJudge(p, gen.Options())
	for i := range shots {
		ref.Fire(&shots[i])
	}
	want := strings.Join(ref.Out, "\n") + "\n" + refAggs(ref)
	for _, level := range []int{0, 2} {
		got, err := runIR(p, shots, level)
		if err != nil {
			return fmt.Sprintf("-O%d: %v", level, err)
		}
		if got != want {
			return fmt.Sprintf("-O%d differs: %s", level, firstDifference(got, want))
		}
	}
	return ""
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n got %s\nwant %s", i, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

func refAggs(j *gen.Judge) string {
	var lines []string
	for name, table := range j.Aggs {
		for key, cell := range table {
			lines = append(lines, fmt.Sprintf("@%s[%s] %v", name, key, cell))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// runIR lowers p, runs it in the interpreter and spells what came out.
func runIR(p *check.Program, shots []gen.Shot, level int) (string, error) {
	units := gen.Units(p)
	res, list := lower.Lower(p, units, gen.NewEnv().Target(), gen.Options())
	if list.Failed() {
		return "", fmt.Errorf("lowering: %s", list[0].Msg)
	}
	for _, fn := range res.IR.Funcs {
		if err := ir.Verify(fn); err != nil {
			return "", fmt.Errorf("lowered %s: %w", fn.Name, err)
		}
		if err := ir.Optimize(fn, level, nil); err != nil {
			return "", err
		}
	}
	m := interp.New(res.IR)
	var out []string
	for i := range shots {
		s := &shots[i]
		for _, fn := range res.IR.Funcs {
			if fn.Unit < 0 || units[fn.Unit].Name != s.Hook {
				continue
			}
			from := len(m.Out)
			if err := m.Run(fn, s.Firing()); err != nil {
				return "", fmt.Errorf("%w\n%s", err, fn)
			}
			for _, e := range m.Out[from:] {
				out = append(out, spellEvent(res, e, s))
			}
		}
	}
	return strings.Join(out, "\n") + "\n" + irAggs(res, m, units), nil
}

func spellEvent(res *lower.Result, e interp.Event, s *gen.Shot) string {
	switch e.Kind {
	case "fault":
		return fmt.Sprintf("fault clause %d action %d kind %d value %d", e.Index>>16, e.Index>>8&255, e.Index&255, e.Value)
	case "drop":
		return fmt.Sprintf("drop %d", e.Index)
	}
	var words []string
	for _, a := range res.Layouts[e.Index].Actions {
		for _, d := range a.Data {
			words = append(words, spellDatum(d, d.Off, e.Bytes, gen.Sites(s.Hook)[s.Site]))
		}
	}
	return fmt.Sprintf("record clause %d: %s", res.Layouts[e.Index].Clause.Index, strings.Join(words, " "))
}

func spellDatum(d lower.Datum, part int, b []byte, site lower.Site) string {
	switch d.Enc {
	case lower.EncProbe:
		return fmt.Sprintf("%q", [...]string{site.Provider, site.Module, site.Function, site.Name}[part])
	case lower.EncString:
		text, _, _ := strings.Cut(string(b[d.Off:d.Off+d.Size]), "\x00")
		return fmt.Sprintf("%q", text)
	}
	var full [8]byte
	copy(full[:], b[d.Off:d.Off+d.Size])
	return fmt.Sprint(types.Wrap(int64(binary.LittleEndian.Uint64(full[:])), d.Type))
}

func irAggs(res *lower.Result, m *interp.Machine, units []lower.Unit) string {
	sums := map[string][]uint64{}
	for i, layout := range res.Keys {
		for key, cell := range m.Aggs[i] {
			name := fmt.Sprintf("@%s[", layout.Agg.Name)
			for _, d := range layout.Data {
				name += spellDatum(d, d.Part, []byte(key), siteOf(d, key, units)) + " "
			}
			words := make([]uint64, len(cell)/8)
			for k := range words {
				words[k] = binary.LittleEndian.Uint64(cell[8*k:])
			}
			sums[name+"]"] = addCells(layout.Agg.Func, layout.Agg.Signed, sums[name+"]"], words)
		}
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		lines = append(lines, fmt.Sprintf("%s %v", name, sums[name]))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// siteOf finds the site that an element of a key names.
func siteOf(d lower.Datum, key string, units []lower.Unit) lower.Site {
	if d.Enc != lower.EncProbe {
		return lower.Site{}
	}
	n := binary.LittleEndian.Uint32([]byte(key[d.Off:]))
	u := units[n>>lower.KeyUnitShift]
	i := slices.IndexFunc(u.Sites, func(s lower.Site) bool { return s.Key == n&(1<<lower.KeyUnitShift-1) })
	return u.Sites[i]
}

// addCells adds up the cells of sites that have the same name.
func addCells(fn string, signed bool, a, b []uint64) []uint64 {
	if a == nil {
		return b
	}
	if fn == "min" || fn == "max" {
		less := a[1] < b[1]
		if signed {
			less = int64(a[1]) < int64(b[1])
		}
		if less == (fn == "min") {
			return a
		}
		return b
	}
	low := a[0]
	for i := range a {
		a[i] += b[i]
	}
	switch fn {
	case "sum":
		a[0] = low
	case "stddev":
		if a[2] < b[2] {
			a[3]++
		}
	}
	return a
}
