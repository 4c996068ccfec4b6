package explain

import (
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

// A Call is what a call takes.
type Call struct {
	Proto  string   // substr(string s, int from[, int length])
	Help   string   // what it does; may be empty
	Params [][2]int // where the parameters stand in Proto, from and to
	Active int      // which of them is due; -1 if there is none left
}

// CallAt tells of the innermost call that the byte offset of a script is inside of. The
// script may be half written.
func CallAt(f *token.File, off int) (Call, bool) {
	toks := scanner.Scan(f)
	end, _ := slices.BinarySearchFunc(toks, off, func(t token.Token, off int) int { return t.Span.From.Offset() - off })
	toks = toks[:end]
	if n := len(toks); n > 0 && unfinished(f, toks[n-1], off) {
		return Call{}, false
	}
	arg, depth := 0, 0
	for i := len(toks) - 1; i > 0; i-- {
		switch toks[i].Kind {
		case token.RParen, token.RBracket:
			depth++
		case token.Comma:
			if depth == 0 {
				arg++
			}
		case token.LBrace, token.RBrace, token.Semicolon, token.Probe:
			return Call{}, false
		case token.LParen, token.LBracket:
			if depth--; depth >= 0 {
				continue
			}
			if toks[i-1].Kind == token.Ident {
				if c, ok := callOf(f, f.Text(toks[i-1].Span), toks[i].Kind); ok {
					c.choose(arg)
					return c, true
				}
			}
			arg, depth = 0, 0 // parentheses or an index: what is around them may be a call
		}
	}
	return Call{}, false
}

// unfinished reports whether an offset is inside of a comment, where nobody wants to know.
func unfinished(f *token.File, t token.Token, off int) bool {
	if t.Kind != token.Comment || off > t.Span.To.Offset() {
		return t.Kind == token.Control && off <= t.Span.To.Offset()
	}
	text := f.Text(t.Span)
	return off < t.Span.To.Offset() || strings.HasPrefix(text, "//")
}

// choose says which parameter the argument with a number goes to.
func (c *Call) choose(arg int) {
	c.Active = arg
	if n := len(c.Params); arg >= n {
		c.Active = -1
		if n > 0 && strings.HasSuffix(c.Proto[:c.Params[n-1][1]], "…") {
			c.Active = n - 1
		}
	}
}

// callOf tells of a function of D or of the script, or of an inline with parameters.
func callOf(f *token.File, name string, open token.Kind) (Call, bool) {
	tree, _ := parser.Parse(f)
	for _, it := range tree.Items {
		switch it := it.(type) {
		case *ast.FuncItem:
			if n := it.Decl.Names[0].Name; open == token.LParen && n != nil && n.Text == name {
				return callFrom(heading(f, it), "function of this script", '(', ')'), true
			}
		case *ast.Inline:
			if _, ok := it.Type.(*ast.Assoc); open == token.LBracket && ok && it.Name != nil && it.Name.Text == name {
				proto, _, _ := strings.Cut(f.Text(it.Span()), "=")
				return callFrom(strings.Join(strings.Fields(proto), " "), "inline of this script", '[', ']'), true
			}
		}
	}
	if open == token.LBracket {
		return Call{}, false
	}
	for _, k := range check.FunctionList() {
		if k.Name == name {
			return callFrom(k.Detail, known(k), '(', ')'), true
		}
	}
	return Call{}, false
}

// callFrom finds the parameters in a prototype. Those that may be left out stand in
// brackets of their own.
func callFrom(proto, help string, open, closing byte) Call {
	c := Call{Proto: proto, Help: help}
	from, to := strings.IndexByte(proto, open), strings.LastIndexByte(proto, closing)
	if from < 0 || to < from {
		return c
	}
	add := func(from, to int) {
		for from < to && strings.IndexByte(" [", proto[from]) >= 0 {
			from++
		}
		for to > from && strings.IndexByte(" []", proto[to-1]) >= 0 {
			to--
		}
		if from < to && proto[from:to] != "void" {
			c.Params = append(c.Params, [2]int{from, to})
		}
	}
	from++
	depth := 0
	for i := from; i < to; i++ {
		switch proto[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				add(from, i)
				from = i + 1
			}
		}
	}
	add(from, to)
	return c
}
