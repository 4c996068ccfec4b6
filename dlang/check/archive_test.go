package check_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/check/checktest"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/fix"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/check/*.txtar", map[string]func([]byte) []byte{
		"diagnostics": printDiagnostics,
		"types":       printTypes,
		"fixes":       printFixes,
	})
}

// printFixes shows what each complaint offers, and the line as it is after that.
func printFixes(src []byte) []byte {
	var b bytes.Buffer
	prog, list := checkText(src)
	for _, d := range list {
		for _, c := range fix.For(string(src), prog.File, d) {
			line, _ := prog.File.Position(d.At.From)
			out := fix.Apply(string(src), c)
			line += strings.Count(out, "\n") - strings.Count(string(src), "\n")
			_, more := checkText([]byte(out))
			fmt.Fprintf(&b, "%s: %s\n    %s\n", d.Msg, c.Title, strings.Split(out, "\n")[line-1])
			if len(more) >= len(list) {
				b.WriteString("    leaves as many mistakes\n")
			}
		}
	}
	return b.Bytes()
}

// checkText parses and checks a script on the made-up machine. The first lines
// may set options: "// options: -w 1=42 2=foo target=7".
func checkText(src []byte) (*check.Program, diag.List) {
	f := token.NewFile("input", string(src))
	s, list := parser.Parse(f)
	prog, more := check.Check(f, s, checktest.New(), optionsOf(string(src)))
	list = append(list, more...)
	list.Sort()
	return prog, list
}

func optionsOf(src string) check.Options {
	opts := check.Options{Macros: map[string]string{}}
	line, _, _ := strings.Cut(src, "\n")
	line, ok := strings.CutPrefix(line, "// options:")
	if !ok {
		return opts
	}
	for _, word := range strings.Fields(line) {
		name, value, isMacro := strings.Cut(word, "=")
		switch {
		case isMacro:
			opts.Macros[name] = value
		case word == "-w":
			opts.Destructive = true
		case word == "-Z":
			opts.ZeroProbesOK = true
		default:
			opts.Set = append(opts.Set, check.Option{Name: word})
		}
	}
	return opts
}

func printDiagnostics(src []byte) []byte {
	var b bytes.Buffer
	prog, list := checkText(src)
	if err := diag.Print(&b, prog.File, list); err != nil {
		return []byte(err.Error())
	}
	return b.Bytes()
}

// printTypes shows what was learned: variables, aggregations, options, and the
// type and value of every expression, innermost first.
func printTypes(src []byte) []byte {
	var b strings.Builder
	prog, _ := checkText(src)
	for _, v := range prog.Vars {
		fmt.Fprintf(&b, "var %s %s", name(v), v.Type)
		for _, k := range v.Keys {
			fmt.Fprintf(&b, " [%s]", k)
		}
		if v.Scratch {
			b.WriteString(" scratch")
		}
		b.WriteByte('\n')
	}
	for _, a := range prog.Aggs {
		fmt.Fprintf(&b, "agg @%s %s params=%v", a.Name, a.Func, a.Params)
		for _, k := range a.Keys {
			fmt.Fprintf(&b, " [%s size %d kind %d]", k.Type, k.Type.Size(), k.Kind)
		}
		b.WriteByte('\n')
	}
	for _, o := range prog.Options {
		fmt.Fprintf(&b, "option %s=%s\n", o.Name, o.Value)
	}
	for _, c := range prog.Clauses {
		fmt.Fprintf(&b, "clause %d probes=%d args=%d records=%t default=%t\n", c.Index, len(c.Probes), len(c.Args), c.Records, c.Default)
		prog.Means.Walk(c.AST, func(n ast.Node) bool {
			printNode(&b, prog, n)
			return true
		})
	}
	return []byte(b.String())
}

func name(v *check.Var) string {
	if v.Scope == ast.Global {
		return v.Name
	}
	return v.Scope.String() + "->" + v.Name
}

func printNode(b *strings.Builder, prog *check.Program, n ast.Node) {
	x, ok := n.(ast.Expr)
	if !ok {
		return
	}
	t, ok := prog.Types[x]
	if !ok {
		return
	}
	fmt.Fprintf(b, "  %s: %s", prog.File.Text(x.Span()), t)
	if v, ok := prog.Consts[x]; ok {
		fmt.Fprintf(b, " = %d", v)
	}
	if s, ok := prog.Strings[x]; ok {
		fmt.Fprintf(b, " = %q", s)
	}
	if r := prog.Refs[x]; r != nil {
		fmt.Fprintf(b, " (%s)", strings.TrimPrefix(fmt.Sprintf("%T", r), "*check."))
	}
	if m, ok := n.(*ast.Member); ok {
		f := prog.Members[m]
		fmt.Fprintf(b, " at bit %d", f.Off)
		if f.Bits > 0 {
			fmt.Fprintf(b, " width %d", f.Bits)
		}
	}
	if call, ok := n.(*ast.Call); ok && prog.Calls[call] != nil {
		printCall(b, prog.Calls[call])
	}
	b.WriteByte('\n')
}

func printCall(b *strings.Builder, c *check.Call) {
	if c.Depth > 0 {
		fmt.Fprintf(b, " depth=%d", c.Depth)
	}
	if c.Option != "" {
		fmt.Fprintf(b, " option %s=%q", c.Option, c.Value)
	}
	for _, a := range c.Aggs {
		fmt.Fprintf(b, " @%s", a.Name)
	}
	if c.Format == nil {
		return
	}
	for _, p := range c.Format.Parts {
		if p.Literal != "" {
			fmt.Fprintf(b, " %q", p.Literal)
			continue
		}
		fmt.Fprintf(b, " %%{%s", p.Flags)
		if p.Width > 0 || p.WidthArg {
			fmt.Fprintf(b, " width %d star %t", p.Width, p.WidthArg)
		}
		if p.Prec >= 0 && !p.PrecArg {
			fmt.Fprintf(b, " prec %d", p.Prec)
		}
		fmt.Fprintf(b, "%s%c arg %d agg %t %v}", p.Size, p.Verb, p.Arg, p.Agg, p.Type)
	}
}
