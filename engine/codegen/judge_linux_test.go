package codegen_test

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/trace"
)

var (
	programs = flag.Int("programs", 500, "how many random scripts the kernel runs")
	seed     = flag.Uint64("seed", 1, "where the random scripts begin")
	shown    = flag.Int("shown", 2, "how many failures of each kind are shown, the rest is counted")
	listing  = flag.Bool("listing", false, "whether failures show the instructions")
	current  = flag.Bool("current", true, "whether programs read the current task where the CPU has it, if they can")
	noted    = flag.Bool("note", false, "whether the scripts are compiled only, and what they come to is printed, for -unlike")
	saying   = flag.String("saying", "", "judge only scripts whose intermediate form, before the passes, says what this regular expression matches")
	unlike   = flag.String("unlike", "", "judge only scripts that come to something else than this file says, which another compiler has noted")
)

// TestKernelJudges compiles random scripts with all passes and with none, runs
// both in the kernel and asks whether they did what the reference interpreter of
// the checked tree did: what was recorded, faults with clause, action, kind and
// value, aggregations, and what is left in variables. What the programs come to tells whether
// a change of the compiler has changed what it makes: not by a byte if it is the same number
// as before, for the same seeds and kernel.
func TestKernelJudges(t *testing.T) {
	judgeMany(t, *programs, randomCase)
}

// TestKernelWild does it with scripts in the manner of the wild. Of 13,000 one, that of
// seed 10241 without passes, meets a mistake of the verifier of 6.18: as it marks what
// must be known exactly in the states before a branch (propagate_precision), it comes to
// one whose frame has no stack yet, says "verifier bug: stack slot 7, total slots 0" and
// refuses with EFAULT.
func TestKernelWild(t *testing.T) { judgeMany(t, (*programs+4)/5, wildCase) }

// randomCase makes the script of a seed.
func randomCase(m *machine, n uint64) *testCase {
	maker := gen.NewMaker(n)
	text := maker.Script()
	if n%8 == 3 { // a large one
		for range 2 {
			text += strings.TrimPrefix(maker.Script(), gen.Decls)
		}
	}
	if n%6 == 2 {
		show := "trace(arg1); trace(arg2); trace(arg4); trace(arg5);"
		if gen.Unnumbered(text) {
			show = strings.Replace(show, "trace(arg2); ", "", 1)
		}
		text += "ERROR\n{\n\t" + show + "\n}\n" + unplaced.Replace(maker.Clause("ERROR"))
	}
	return m.testCase(maker, n, testCase{text: fit(text)})
}

// wildCase makes the wild script of a seed.
func wildCase(m *machine, n uint64) *testCase {
	maker := gen.NewMaker(n)
	w := maker.Wild()
	show := "exec /arg9 == " + fmt.Sprint(lastWord) + "/\n{\n\ttrace(wtotal); trace((int64_t)wmark); trace(self->wstart); trace(wn[execname]);\n}\n"
	return m.testCase(maker, n, testCase{text: fit(w.Text + show), plain: fit(w.Plain + show), macros: w.Macros})
}

// testCase adds to c what the seed n says besides.
func (m *machine) testCase(maker *gen.Maker, n uint64, c testCase) *testCase {
	c.shots, c.opts = m.shots(maker.Rand()), gen.Options()
	c.opts.StrSize, c.opts.Temporal = strSizes[n%uint64(len(strSizes))], n%7 == 0
	return &c
}

// judgeMany judges what make makes of so many seeds.
func judgeMany(t *testing.T, programs int, make func(m *machine, n uint64) *testCase) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	codegen.NeedKernel(t)
	m := newMachine(t)
	if testing.Short() {
		programs /= 10
	}
	former, says := notes(t, *unlike), regexp.MustCompile(*saying)
	tally, failed := map[string]int{}, 0
	for i := range programs {
		n := *seed + uint64(i)
		c := make(m, n)
		if *saying != "" && !c.says(m, says) {
			tally["of another form"]++
			continue
		}
		if *noted {
			fmt.Println("note", n, c.comesTo(m))
			continue
		}
		if was, ok := former[n]; ok && c.comesTo(m) == was {
			tally["as noted"]++
			continue
		}
		bad, err := c.run(m)
		switch {
		case err != nil:
			if tally["refused by the checker"]++; tally["refused by the checker"] < 4 {
				t.Logf("seed %d: the checker refuses: %v\n%s", n, err, c.text)
			}
		case bad != nil:
			failed++
			if tally[bad.kind]++; tally[bad.kind] > *shown {
				continue
			}
			t.Logf("seed %d: %s\n%s\n%s", n, bad, c.text, c.plain)
			small := c.minimise(m, bad)
			t.Logf("made smaller:\n%s\n%s", small.text, small.explain(m))
		}
	}
	if *noted {
		return
	}
	t.Logf("%d scripts: %v; %d runs were repeated, because the kernel was busy", programs, tally, m.again)
	if failed > 0 {
		t.Errorf("%d of %d scripts fail", failed, programs)
	}
	t.Logf("the judge saw %v", m.seen)
	t.Logf("the programs come to %x", m.sum.Sum(nil)[:8])
	t.Logf("the verifier followed %d instructions at most, of a program of %d", m.followedMost[0], m.followedMost[1])
	for _, kind := range []string{"records", "faults of kind 1", "faults of kind 4", "cells of aggregations", "arrays"} {
		if programs >= 500 && former == nil && *saying == "" && m.seen[kind] < programs/100 {
			t.Errorf("only %d %s: the scripts do too little", m.seen[kind], kind)
		}
	}
	if tally["refused by the checker"] > max(programs/20, 4) { // of those in the manner of the wild 3 % lose half of a number, which is refused
		t.Errorf("the checker refuses too many: the generator does not know the language")
	}
}

// says reports whether the intermediate form of the script says something.
func (c *testCase) says(m *machine, what *regexp.Regexp) bool {
	p, list := m.check(c.text, c.macros)
	if list.Failed() {
		return false
	}
	res, list := lower.Lower(p, gen.Units(p), m.target, c.opts)
	return !list.Failed() && what.MatchString(ir.Print(res.IR, nil))
}

// comesTo tells the programs of the script from others.
func (c *testCase) comesTo(m *machine) string {
	p, list := m.check(c.text, c.macros)
	if list.Failed() {
		return list[0].Msg
	}
	sum := sha256.New()
	for _, level := range levels {
		o, _, err := m.compile(p, level, c.opts)
		if err != nil {
			return err.Error()
		}
		addUp(o, sum)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

// notes reads what a compiler has noted of the scripts of seeds; nil if name is empty.
func notes(t *testing.T, name string) map[uint64]string {
	if name == "" {
		return nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	of := map[uint64]string{}
	for line := range strings.Lines(string(b)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, what, _ := strings.Cut(rest, " ")
		if n, err := strconv.ParseUint(number, 10, 64); err == nil && word == "note" {
			of[n] = what
		}
	}
	return of
}

// absent replaces what the real task_struct does not have, and what nobody can
// know beforehand.
var absent = strings.NewReplacer(
	"curthread->pair->b", "args[1]->next->b",
	"curthread->inner.", "args[1]->next->",
	"timestamp", "(uint64_t)arg5",
)

// unplaced replaces what a clause of ERROR learns of the compiled program: at which
// instruction of it the fault was.
var unplaced = strings.NewReplacer("args[3]", "args[0]", "arg3", "arg4")

// lastWord marks the firings that show what is left in variables.
const lastWord = 0x1a57

// fit makes a script fit for the real machine, and lets it show its variables.
func fit(script string) string {
	return absent.Replace(script) + fmt.Sprintf(`exec /arg9 == %d/
{
	trace(gl); trace(gi); trace(gc); trace(gu); trace(gs);
	trace(self->si); trace(self->su); trace(self->sh); trace(self->ss);
	%s
}
`, lastWord, gen.ShowObjects(script))
}

// strSizes are the sizes of strings that scripts are compiled with.
var strSizes = []int{64, 16, 256, 64, 104}

// A testCase is a script, the firings that it sees, and the sizes that it is
// compiled with.
type testCase struct {
	text   string
	plain  string            // what means the same, and says what that is; "" if text does
	macros map[string]string // of text
	shots  []gen.Shot
	opts   ir.Options
}

// differs is the kind of a form that did something else.
const differs = "differs"

// kindOf tells failures apart that have nothing to do with each other.
func kindOf(err error) string {
	var ve *ebpf.VerifierError
	if errors.As(err, &ve) {
		kind, _, _ := strings.Cut(err.Error(), "\n")
		return "refused by the verifier: " + digits.ReplaceAllString(kind, "N")
	}
	kind, _, _ := strings.Cut(err.Error(), ":")
	return kind
}

var digits = regexp.MustCompile(`\{.*\}: |R?[0-9]+`)

// A finding is what is wrong with a compiled script.
type finding struct {
	level int
	kind  string // differs, or what refused it and why
	msg   string
}

func (f *finding) String() string { return fmt.Sprintf("-O%d: %s", f.level, f.msg) }

// run returns what is wrong with the compiled forms of the script; an error says
// that it is no script.
func (c *testCase) run(m *machine) (*finding, error) {
	p, list := m.check(c.text, c.macros)
	if list.Failed() {
		return nil, errors.New(list[0].Msg)
	}
	other := p
	if c.plain != "" {
		if other, list = m.check(c.plain, nil); list.Failed() {
			return nil, errors.New(list[0].Msg)
		}
	}
	want := m.judge(other, c)
	forms := m.prepare(p, c)
	defer func() {
		for _, f := range forms {
			f.close()
		}
	}()
	for i, level := range levels {
		got, err := m.run(p, c, forms[i])
		if err != nil {
			return &finding{level, kindOf(err), err.Error()}, nil
		}
		for i, l := range got {
			if strings.HasSuffix(l, untold) && i < len(want) {
				got[i] = want[i]
			}
		}
		if i := firstDifference(got, want); i >= 0 {
			return &finding{level, differs, fmt.Sprintf("line %d of %d differs\n got %s\nwant %s", i, len(want), line(got, i), line(want, i))}, nil
		}
	}
	return nil, nil
}

func line(list []string, i int) string {
	if i >= len(list) {
		return "nothing"
	}
	return list[i]
}

func firstDifference(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if line(a, i) != line(b, i) {
			return i
		}
	}
	return -1
}

func (m *machine) check(text string, macros map[string]string) (*check.Program, diag.List) {
	f := token.NewFile("random", text)
	tree, list := parser.Parse(f)
	p, more := check.Check(f, tree, m.env, check.Options{Macros: macros, ArgRef: true})
	return p, append(list, more...)
}

// judge tells what a script means.
func (m *machine) judge(p *check.Program, c *testCase) []string {
	j := gen.NewJudge(p, c.opts)
	j.Visit(m.memory, m.task)
	for i := range c.shots {
		j.Fire(&c.shots[i])
	}
	out := gen.Merge(c.text, j.Out)
	for _, cell := range strings.Split(j.Spell(), "\n") {
		if cell != "" && !empty(cell) {
			out = append(out, cell)
		}
	}
	for _, a := range arrays {
		list := j.Array(a)
		slices.Sort(list)
		out = append(out, fmt.Sprintf("%s holds %s", a, strings.Join(list, " ")))
	}
	if j.Lost > 0 {
		out = append(out, dropped(int(trace.DropError), j.Lost))
	}
	for _, l := range out {
		m.seen[sort(l)]++
	}
	return out
}

// sort says what a line of a judge is about, for the count of what was compared.
func sort(line string) string {
	switch {
	case strings.HasPrefix(line, "fault"):
		_, kind, _ := strings.Cut(line, " kind ")
		return "faults of kind " + kind[:1]
	case strings.HasPrefix(line, "record"):
		return "records"
	case strings.HasPrefix(line, "@"):
		return "cells of aggregations"
	case strings.Contains(line, "drops"):
		return "firings of ERROR with faults"
	case strings.HasSuffix(line, "holds "):
		return "empty arrays"
	}
	return "arrays"
}

// arrays are the associative arrays of the random scripts.
var arrays = []string{"ax", "an", "at", "sa"}

// empty reports whether a spelled cell has no key and holds nothing: without
// keys, the kernel cannot tell that from no cell.
func empty(cell string) bool {
	_, words, ok := strings.Cut(cell, "[] [")
	return ok && strings.Trim(words, "0 ]") == ""
}
