package lower_test

import (
	"bytes"
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
)

var (
	programs = flag.Int("programs", 2500, "how many random scripts are judged")
	seed     = flag.Uint64("seed", 1, "where the random scripts begin")
)

// TestJudges runs random scripts three times: straight from the checked tree, as
// lowered, and as optimised. What they record and aggregate must be the same.
func TestJudges(t *testing.T) {
	n := *programs
	if testing.Short() {
		n /= 10
	}
	const parts = 4 // for as many processors
	for part := range uint64(parts) {
		t.Run(fmt.Sprint("part ", part), func(t *testing.T) {
			t.Parallel()
			judgeMany(t, *seed+part*uint64(n/parts), n/parts)
		})
	}
}

// sizes of strings that are tried, in bytes.
var sizes = [...]int{64, 21, 64, 14, 8, 9, 64, 70}

// judgeMany judges n scripts from a seed on.
func judgeMany(t *testing.T, from uint64, n int) {
	refused := 0
	for i := range uint64(n) {
		m := gen.NewMaker(from + i)
		m.Arguments = true
		text := m.Script()
		p, list := checkScript(text)
		if list.Failed() {
			if refused++; refused < 4 {
				t.Logf("refused: %s\n%s", list[0].Msg, text)
			}
			continue
		}
		opts := gen.Options()
		opts.StrSize = sizes[i%uint64(len(sizes))]
		if msg := judge(p, gen.Shots(m.Rand(), 12), opts); msg != "" {
			t.Fatalf("seed %d, strings of %d bytes: %s\n%s", from+i, opts.StrSize, msg, text)
		}
	}
	if refused > n/50 {
		t.Errorf("%d of %d scripts were refused: the generator does not know the language", refused, n)
	}
}

// TestWildJudges is TestJudges for scripts in the manner of the wild. What each of them
// means, the tree of its plain spelling says.
func TestWildJudges(t *testing.T) {
	n := (*programs + 4) / 5 // they take longer than plain ones
	if testing.Short() {
		n /= 10
	}
	const parts = 4
	for part := range uint64(parts) {
		t.Run(fmt.Sprint("part ", part), func(t *testing.T) {
			t.Parallel()
			for i := range uint64(n / parts) {
				judgeWild(t, *seed+part*uint64(n/parts)+i)
			}
		})
	}
}

// judgeWild judges the wild script of a seed.
func judgeWild(t *testing.T, seed uint64) {
	m := gen.NewMaker(seed)
	m.Arguments = true
	w := m.Wild()
	wild, list := checkWith(w.Text, check.Options{Macros: w.Macros, ArgRef: true})
	plain, more := checkScript(w.Plain)
	if list = append(list, more...); list.Failed() {
		t.Errorf("seed %d is refused: %s\n%s\nplain:\n%s", seed, list[0].Msg, w.Text, w.Plain)
		return
	}
	opts := gen.Options()
	opts.StrSize = sizes[seed%uint64(len(sizes))]
	shots := gen.Shots(m.Rand(), 16)
	for i := range shots {
		shots[i].Timestamp *= 3_000_000_007 // beyond 32 bits, as times are
	}
	if msg := judgeAs(plain, wild, shots, opts); msg != "" {
		t.Fatalf("seed %d, strings of %d bytes: %s\n%s\nplain:\n%s", seed, opts.StrSize, msg, w.Text, w.Plain)
	}
}

func checkScript(text string) (*check.Program, diag.List) {
	return checkWith(text, check.Options{})
}

func checkWith(text string, opts check.Options) (*check.Program, diag.List) {
	f := token.NewFile("random", text)
	tree, list := parser.Parse(f)
	p, more := check.Check(f, tree, gen.NewEnv(), opts)
	return p, append(list, more...)
}

// judge returns what is wrong, or "".
func judge(p *check.Program, shots []gen.Shot, opts ir.Options) string {
	return judgeAs(p, p, shots, opts)
}

// judgeAs is judge for a script that means what another does.
func judgeAs(other, p *check.Program, shots []gen.Shot, opts ir.Options) string {
	want := fromTree(other, p.File.Src, shots, opts)
	if got := fromTree(p, p.File.Src, shots, opts); got != want {
		return "its tree differs: " + firstDifference(got, want)
	}
	firings := gen.Firings(shots)
	target := gen.NewEnv().Target()
	for _, target.RoundByRound = range []bool{false, true} {
		if target.RoundByRound && len(p.Loops) == 0 {
			continue
		}
		for _, level := range []int{0, 2} {
			how := fmt.Sprintf("-O%d, round by round %v", level, target.RoundByRound)
			got, err := runIR(p, target, shots, firings, level, opts)
			if err != nil {
				return fmt.Sprintf("%s: %v", how, err)
			}
			if got != want {
				return fmt.Sprintf("%s differs: %s", how, firstDifference(got, want))
			}
		}
	}
	return ""
}

// fromTree is what a tree says that a script does.
func fromTree(p *check.Program, text string, shots []gen.Shot, opts ir.Options) string {
	ref := gen.NewJudge(p, opts)
	for i := range shots {
		ref.Fire(&shots[i])
	}
	return strings.Join(gen.Merge(text, ref.Out), "\n") + "\n" + ref.Spell()
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

// runIR lowers p, runs it in the interpreter and spells what came out.
func runIR(p *check.Program, target lower.Target, shots []gen.Shot, firings []*interp.Firing, level int, opts ir.Options) (string, error) {
	units := gen.Units(p)
	res, list := lower.Lower(p, units, target, opts)
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
		out = append(out, gen.Mark)
		for _, fn := range res.IR.Funcs {
			if fn.Unit < 0 || units[fn.Unit].Name != s.Hook {
				continue
			}
			from := len(m.Out)
			if err := m.Run(fn, firings[i]); err != nil {
				return "", fmt.Errorf("%w\n%s", err, fn)
			}
			for _, e := range m.Out[from:] {
				out = append(out, spellEvent(res, e, s))
			}
		}
	}
	return strings.Join(gen.Merge(p.File.Src, out), "\n") + "\n" + irAggs(res, m, units), nil
}

func spellEvent(res *lower.Result, e interp.Event, s *gen.Shot) string {
	switch e.Kind {
	case "fault":
		return gen.SpellFault(e.Index>>16, e.Index>>8&255, e.Index&255, e.Value)
	case "drop":
		return fmt.Sprintf("drop %d", e.Index)
	}
	return gen.SpellRecord(res.Layouts[e.Index], e.Bytes, gen.Sites(s.Hook)[s.Site])
}

func irAggs(res *lower.Result, m *interp.Machine, units []lower.Unit) string {
	sums := map[string][]uint64{}
	for i, layout := range res.Keys {
		table := res.IR.Table(i)
		for key, cell := range m.Aggs[table] {
			name := gen.SpellKey(layout, []byte(key), units)
			words := make([]uint64, len(cell)/8)
			if res.IR.Within(table) != nil {
				at := 8 * res.IR.Aggs[i].At
				words = words[:max(layout.Agg.Fn().CellWords(layout.Agg.Params), 1)]
				if cell = cell[at : at+8*len(words)]; len(bytes.Trim(cell, "\x00")) == 0 {
					continue
				}
			}
			if res.IR.Aggs[i].Touch {
				words = words[1:] // the last; the judge does not tell zeros from nothing
			}
			for k := range words {
				words[k] = binary.LittleEndian.Uint64(cell[8*k:])
			}
			sums[name] = gen.AddCells(layout.Agg.Func, sums[name], words)
		}
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		lines = append(lines, fmt.Sprintf("%s %v", name, sums[name]))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
