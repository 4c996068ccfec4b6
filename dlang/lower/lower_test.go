package lower_test

import (
	"bytes"
	"fmt"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// TestArchives compares the form of scripts as lowered and as optimised.
func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/lower/*.txtar", map[string]func([]byte) []byte{
		"ir":        func(in []byte) []byte { return printIR(in, 0) },
		"optimised": func(in []byte) []byte { return printIR(in, 2) },
		"layout":    printLayout,
		"sealed":    printSealed,
	})
}

// lowerScript takes a script through the front end and lowers it.
func lowerScript(text string) (*token.File, *lower.Result, diag.List) {
	f := token.NewFile("input", text)
	env := gen.NewEnv()
	tree, list := parser.Parse(f)
	p, more := check.Check(f, tree, env, check.Options{Macros: map[string]string{"target": "1234"}})
	if list = append(list, more...); list.Failed() {
		return f, nil, list
	}
	res, more := lower.Lower(p, gen.Units(p), env.Target(), gen.Options())
	return f, res, append(list, more...)
}

func printIR(input []byte, level int) []byte {
	f, res, list := lowerScript(string(input))
	if list.Failed() {
		return complaints(f, list)
	}
	for _, fn := range res.IR.Funcs {
		if err := ir.Optimize(fn, level, nil); err != nil {
			return fmt.Appendf(nil, "%v\n%s", err, fn)
		}
	}
	return []byte(ir.Print(res.IR, f))
}

func complaints(f *token.File, list diag.List) []byte {
	var b bytes.Buffer
	for _, d := range list {
		line, col := f.Position(d.At.From)
		fmt.Fprintf(&b, "%d:%d: %s [%s]\n", line, col, d.Msg, d.Code)
	}
	return b.Bytes()
}

func printLayout(input []byte) []byte {
	f, res, list := lowerScript(string(input))
	if list.Failed() {
		return complaints(f, list)
	}
	var b bytes.Buffer
	for i, l := range res.Layouts {
		fmt.Fprintf(&b, "record %d:", i)
		for _, a := range l.Actions {
			fmt.Fprintf(&b, " %d", a.Kind)
			if a.Call != nil {
				fmt.Fprintf(&b, " %s", a.Call.Fn.Name)
			}
			printData(&b, a.Data)
			if a.Flag > 0 {
				fmt.Fprintf(&b, " if %d", a.Flag)
			}
		}
		b.WriteByte('\n')
	}
	for _, k := range res.Keys {
		fmt.Fprintf(&b, "@%s:", k.Agg.Name)
		printData(&b, k.Data)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func printData(b *bytes.Buffer, data []lower.Datum) {
	for _, d := range data {
		fmt.Fprintf(b, " [%d+%d %s enc %d]", d.Off, d.Size, d.Type, d.Enc)
	}
}

// TestDeterministic lowers random scripts twice: an object must be the same for
// the same script, or what one machine reports cannot be found on another.
func TestDeterministic(t *testing.T) {
	for seed := range uint64(150) {
		text := gen.NewMaker(seed).Script()
		first, second := printIR([]byte(text), 2), printIR([]byte(text), 2)
		if !bytes.Equal(first, second) {
			t.Fatalf("seed %d gives two forms:\n%s\nand\n%s", seed, first, second)
		}
	}
}
