package parser_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/format"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

// check returns what is wrong with how src is parsed and printed. There must
// always be a tree, with complaints in order; what has no mistakes must be printed
// as what it is, with its comments; and printing twice must be printing once.
func check(src string) error {
	file := token.NewFile("fuzz", src)
	script, errs := parser.Parse(file)
	if script == nil {
		return fmt.Errorf("no tree")
	}
	if !slices.IsSortedFunc(errs, func(a, b *diag.Diagnostic) int { return int(a.At.From - b.At.From) }) {
		return fmt.Errorf("complaints out of order")
	}
	for _, d := range errs {
		if !d.At.IsValid() || d.At.To < d.At.From || int(d.At.To) > len(src)+1 {
			return fmt.Errorf("complaint %q at %v", d.Msg, d.At)
		}
	}
	if err := diag.Print(&strings.Builder{}, file, errs); err != nil {
		return err
	}
	out := format.Source(file, script)
	if errs.Failed() {
		return nil
	}
	again, errs := parser.Parse(token.NewFile("formatted", out))
	if errs.Failed() {
		return fmt.Errorf("formatted, the script has mistakes: %s\n%s", errs[0].Msg, out)
	}
	if !ast.Equal(script, again) {
		return fmt.Errorf("formatted, the script is another:\n%s\n%s", out, golden.Diff(ast.Dump(script), ast.Dump(again)))
	}
	if len(script.Comments) != len(again.Comments) {
		return fmt.Errorf("%d comments have become %d:\n%s", len(script.Comments), len(again.Comments), out)
	}
	if twice := format.Source(again.File, again); twice != out {
		return fmt.Errorf("formatting again changes the text:\n%s", golden.Diff(out, twice))
	}
	return nil
}

func FuzzParse(f *testing.F) {
	for _, src := range golden.Inputs(f, "../../testdata/*/*.txtar") {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if err := check(src); err != nil {
			t.Fatal(err)
		}
	})
}

// TestBugs keeps right what once was wrong. An archive's input ends with a
// newline, and some mistakes show only without it.
func TestBugs(t *testing.T) {
	inputs := golden.Inputs(t, "../../testdata/bugs/*.txtar")
	for _, src := range inputs {
		inputs = append(inputs, strings.TrimSuffix(src, "\n"))
	}
	for _, src := range inputs {
		if err := check(src); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
}

// extra is what mutations put between the tokens of a script; its first part
// changes nothing.
const blanks = 11

var extra = []string{
	"/* c */", "/* c\nd */", "// c\n", "/*\n\t * c\n\t   * d\n */", "\n", "\n\n\n", " ", "\t", "\n#pragma D option x\n", "\n#ifdef X\n",
	"\n#define a \\\n\tb\n",
	";", ",", "/", "(", ")", "{", "}", "[", "]", "*", "-", "+", "&", "1", "x", "foo_t", "$1", "@a", "=", "self->x", "int",
	"struct s { int a; }", "BEGIN", "a:b:c:d", "tick-1s", "if (x)", "else", "for (;;; max 3)", "while (x; max 2)", "do", "int f(int y) {", "return", "break;", "(int)", "sizeof", "stringof", "? 1 :", "`sym",
}

// TestMutations takes the scripts of the archives, with tokens lost, doubled,
// swapped and added, and checks them. The changes are the same in every run.
func TestMutations(t *testing.T) {
	rounds := 5000
	if testing.Short() {
		rounds = 300
	}
	inputs := append(golden.Inputs(t, "../../testdata/parse/*.txtar"), golden.Inputs(t, "../../testdata/format/*.txtar")...)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		src := mutate(rnd, inputs[rnd.IntN(len(inputs))])
		if err := check(src); err != nil {
			t.Fatalf("%q:\n%v", src, err)
		}
	}
}

func mutate(rnd *rand.Rand, src string) string {
	f := token.NewFile("x", src)
	toks := scanner.Scan(f)
	var words []string
	for i, tok := range toks {
		if i > 0 {
			words = append(words, f.Text(token.Span{From: toks[i-1].Span.To, To: tok.Span.From}))
		}
		words = append(words, f.Text(tok.Span))
	}
	if len(words) < 2 {
		return src
	}
	for range rnd.IntN(20) { // most of the time the script stays right
		words = slices.Insert(words, rnd.IntN(len(words)), extra[rnd.IntN(blanks)])
	}
	for range rnd.IntN(4) {
		i, j := rnd.IntN(len(words)), rnd.IntN(len(words))
		switch rnd.IntN(6) {
		case 0:
			words = slices.Delete(words, i, i+1)
		case 1:
			words = slices.Insert(words, i, words[j])
		case 2:
			words[i], words[j] = words[j], words[i]
		default:
			words = slices.Insert(words, i, extra[rnd.IntN(len(extra))])
		}
	}
	return strings.Join(words, "")
}

// TestLineEnds holds the same for scripts from editors that end lines with a
// carriage return, or begin the file with a byte order mark.
func TestLineEnds(t *testing.T) {
	for _, src := range golden.Inputs(t, "../../testdata/*/*.txtar") {
		if err := check(strings.ReplaceAll(src, "\n", "\r\n")); err != nil {
			t.Errorf("%q: %v", src, err)
		}
		if err := check("\ufeff" + src); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
}
