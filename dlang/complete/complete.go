// Package complete says what could stand at a place of a script that is being typed. It asks
// package check what the script means so far, and knows nothing of editors.
package complete

import (
	"cmp"
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A Kind says what a Completion would insert.
type Kind uint8

// The kinds of completions.
const (
	Variable    Kind = iota // a built-in variable or one of the script
	Function                // a subroutine, action or aggregating function
	Member                  // a member of a struct
	Aggregation             // an aggregation of the script
	Keyword
	Type
	Option
	Probe // not a completion: a probe is due here, and Text is what was typed of it
)

// A Completion is something that could stand where the cursor is.
type Completion struct {
	Text   string
	Detail string // its type, prototype or meaning
	Kind   Kind
}

// At returns what could stand at the byte offset at of a script, and
// where the word that it would replace begins. The script may be as broken as
// scripts are while they are typed. macros are those of check.Options.
func At(f *token.File, s *ast.Script, env check.Env, macros map[string]string, at int) (from int, list []Completion) {
	at = max(0, min(at, len(f.Src)))
	k := completer{src: f.Src[:at], file: f, script: s, env: env, macros: macros}
	k.toks = scanner.Scan(token.NewFile(f.Name, k.src))
	from = at
	for from > 0 && scanner.IsNameByte(k.src[from-1]) {
		from--
	}
	k.word = k.src[from:]
	if last := len(k.toks) - 1; last >= 0 && k.toks[last].Span.To.Offset() == at {
		switch t := k.toks[last]; {
		case t.Kind == token.Control:
			return k.control(t)
		case t.Kind == token.Comment && k.inComment(t), k.src[t.Span.From.Offset()] == '"', k.src[t.Span.From.Offset()] == '\'',
			t.Kind == token.Int, t.Kind == token.Float:
			return at, nil
		}
	}
	k.toks = slices.DeleteFunc(k.toks, func(t token.Token) bool { return t.Kind == token.Comment || t.Kind == token.Control })
	if typed, ok := k.probeDue(); ok {
		return at - len(typed), append([]Completion{{Text: typed, Kind: Probe}}, k.itemWords()...)
	}
	if k.nothing {
		return at, nil
	}
	return from, k.pick(k.candidates(from))
}

// A completer looks at the script up to the cursor.
type completer struct {
	src    string // up to the cursor
	file   *token.File
	script *ast.Script
	env    check.Env
	macros map[string]string
	toks   []token.Token // of src
	word   string        // what was typed of a name

	nothing bool // whether no word can stand at the cursor
}

// inComment reports whether the cursor is still inside of the comment before it.
func (k *completer) inComment(t token.Token) bool {
	text := k.src[t.Span.From.Offset():]
	return strings.HasPrefix(text, "//") || len(text) < 4 || !strings.HasSuffix(text, "*/")
}

// probeDue reports whether the cursor stands where a probe is described, and
// what was typed of it.
func (k *completer) probeDue() (typed string, due bool) {
	depth, start := 0, 0
	for i, t := range k.toks {
		switch t.Kind {
		case token.LBrace:
			depth++
		case token.RBrace:
			if depth = max(depth-1, 0); depth == 0 {
				start = i + 1
			}
		case token.Semicolon:
			if depth == 0 {
				start = i + 1
			}
		}
	}
	if depth > 0 {
		return "", false
	}
	for i, t := range k.toks[start:] {
		last := start+i == len(k.toks)-1 && t.Span.To.Offset() == len(k.src)
		switch {
		case t.Kind == token.Probe, t.Kind == token.Comma:
		case last && (t.Kind == token.Ident || t.Kind.IsKeyword() || t.Kind == token.Colon || t.Kind == token.Int):
		default:
			return "", false
		}
	}
	from := len(k.src)
	for from > 0 && !strings.ContainsRune(" \t\r\n,;{}/", rune(k.src[from-1])) {
		from--
	}
	if len(k.toks) > start && from == len(k.src) && k.toks[len(k.toks)-1].Kind == token.Probe {
		k.nothing = true // after a description comes a comma, a predicate or a brace
		return "", false
	}
	return k.src[from:], true
}

// itemWords are the words that a declaration begins with.
func (k *completer) itemWords() []Completion {
	var list []Completion
	if k.word == "" {
		return nil
	}
	for _, w := range []string{"char", "enum", "inline", "int", "long", "self", "short", "string", "struct", "this", "typedef", "union", "unsigned", "void"} {
		if strings.HasPrefix(w, k.word) {
			list = append(list, Completion{w, "", Keyword})
		}
	}
	return list
}

// pick keeps the candidates that begin with what was typed, in order.
func (k *completer) pick(all []Completion) []Completion {
	list := slices.DeleteFunc(all, func(c Completion) bool { return !strings.HasPrefix(c.Text, k.word) })
	slices.SortStableFunc(list, func(a, b Completion) int { return cmp.Compare(a.Text, b.Text) })
	return slices.CompactFunc(list, func(a, b Completion) bool { return a.Text == b.Text && a.Kind == b.Kind })
}

// candidates lists all that could stand at from.
func (k *completer) candidates(from int) []Completion {
	before := k.toks
	if n := len(before); n > 0 && before[n-1].Span.To.Offset() > from {
		before = before[:n-1]
	}
	if from > 0 {
		switch k.src[from-1] {
		case '@':
			return k.aggregations()
		case '$':
			return macros()
		case '`':
			return nil
		}
	}
	if n := len(before); n > 0 {
		switch t := before[n-1]; t.Kind {
		case token.Arrow, token.Dot:
			return k.members(before)
		case token.KwStruct, token.KwUnion, token.KwEnum:
			return k.tags(t.Kind.String())
		}
	}
	return k.names()
}

// members lists what may follow . or ->, the last token of before.
func (k *completer) members(before []token.Token) []Completion {
	op := before[len(before)-1]
	if len(before) > 1 {
		switch before[len(before)-2].Kind {
		case token.KwSelf:
			return k.scoped(ast.Self)
		case token.KwThis:
			return k.scoped(ast.This)
		}
	}
	var list []Completion
	for _, f := range k.membersBefore(op) {
		list = append(list, Completion{f.Name, memberDetail(f), Member})
	}
	return list
}

func memberDetail(f types.Field) string {
	if f.Bits > 0 {
		return f.Type.String() + ", a bit-field"
	}
	return f.Type.String()
}

// sketch has the script checked.
func (k *completer) sketch() *check.Draft {
	return check.Sketch(k.file, k.script, k.env, check.Options{Macros: k.macros})
}

func (k *completer) scoped(scope ast.Scope) []Completion {
	var list []Completion
	for _, v := range k.sketch().Vars {
		if v.Scope == scope && !v.IsHidden() {
			list = append(list, Completion{v.Name, varDetail(v), Variable})
		}
	}
	return list
}

// membersBefore finds the members that the expression before op can select: of a
// struct that it has or points to, or what its translator says.
// The script is cut there and its brackets are closed, so that what stands
// before the cursor can be checked as if it were finished.
func (k *completer) membersBefore(op token.Token) []types.Field {
	cut := k.src[:op.Span.From.Offset()]
	f := token.NewFile(k.file.Name, cut+closers(k.toks, len(cut)))
	opts := check.Options{Macros: k.macros}
	s, _ := parser.Config{IsType: check.IsType(f, k.env, opts)}.Parse(f)
	draft := check.Sketch(f, s, k.env, opts)
	var best ast.Expr
	ast.Walk(s, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if ok && isPostfix(x) && x.Span().To == op.Span.From && (best == nil || x.Span().From < best.Span().From) {
			best = x
		}
		return true
	})
	if best == nil {
		return nil
	}
	return draft.Members(best)
}

// isPostfix reports whether x binds tighter than any operator before it.
func isPostfix(x ast.Expr) bool {
	switch x.(type) {
	case *ast.Ident, *ast.Var, *ast.KSym, *ast.Macro, *ast.Index, *ast.Member, *ast.Call, *ast.Paren, *ast.Postfix,
		*ast.Xlate:
		return true
	}
	return false
}

// closers returns what closes the brackets that are open at offset end, and
// then the predicate or the clause.
func closers(toks []token.Token, end int) string {
	var open []byte
	fences, depth := 0, 0
	for _, t := range toks {
		if t.Span.From.Offset() >= end {
			break
		}
		switch t.Kind {
		case token.LParen:
			open = append(open, ')')
		case token.LBracket:
			open = append(open, ']')
		case token.LBrace:
			open = append(open, '}')
			depth++
		case token.RParen, token.RBracket, token.RBrace:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
			if t.Kind == token.RBrace {
				if depth = max(depth-1, 0); depth == 0 {
					fences = 0
				}
			}
		case token.Slash:
			if depth == 0 {
				fences++
			}
		}
	}
	var b strings.Builder
	for _, c := range slices.Backward(open) {
		if c == '}' {
			b.WriteByte(';')
		}
		b.WriteByte(c)
	}
	if depth == 0 && fences > 0 {
		b.WriteString("/{}")
	}
	return b.String()
}
