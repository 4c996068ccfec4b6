package format

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

// inside parts from items the control lines that stand in the middle of another
// item: the tree has them before it. They are printed as comments are, if all of
// an item can be.
func inside(f *token.File, items []ast.Item) (rest []ast.Item, controls []ast.Comment) {
	var lines []ast.Comment // in the next item
	first := 0              // of them, in rest
	for _, item := range items {
		if p, ok := item.(*ast.Pragma); ok {
			rest = append(rest, item)
			lines = append(lines, ast.Comment{Text: p.Text, At: p.At})
			continue
		}
		for len(lines) > 0 && lines[0].From < item.Span().From {
			lines, first = lines[1:], first+1
		}
		if n := len(lines); n > 0 && lines[n-1].From < lastLine(f, item) {
			rest, controls = rest[:first], append(controls, lines...)
		}
		rest, lines = append(rest, item), nil
		first = len(rest)
	}
	return rest, controls
}

// lastLine returns the place before which an item has lines of its own, between
// which a control line can stand; 0 if the item is printed in one line.
func lastLine(f *token.File, item ast.Item) token.Pos {
	switch item := item.(type) {
	case *ast.Clause:
		switch {
		case item.Body != nil:
			return item.Body.To
		case item.Pred != nil:
			return item.Pred.Span().From
		}
		return item.Probes[len(item.Probes)-1].From
	case *ast.FuncItem:
		return item.Body.To
	case *ast.Translator, *ast.Provider:
		return item.Span().From + token.Pos(max(0, strings.LastIndexByte(f.Text(item.Span()), '}')))
	case *ast.DeclItem:
		if isDefinition(item.Decl.Base) {
			return item.Decl.Base.Span().To
		}
	}
	return 0
}

// merge puts the control lines among the comments, in order of place.
func merge(comments, controls []ast.Comment) []ast.Comment {
	if len(controls) == 0 {
		return comments
	}
	var all []ast.Comment
	for len(comments) > 0 && len(controls) > 0 {
		if comments[0].From < controls[0].From {
			all, comments = append(all, comments[0]), comments[1:]
		} else {
			all, controls = append(all, controls[0]), controls[1:]
		}
	}
	return append(append(all, comments...), controls...)
}

func isControl(c ast.Comment) bool { return strings.HasPrefix(c.Text, "#") }

// endsLine reports whether nothing can follow c in its line.
func endsLine(c ast.Comment) bool { return strings.HasPrefix(c.Text, "//") || isControl(c) }

// control prints a control line, which begins a line.
func (p *printer) control(c ast.Comment) {
	if !p.bol {
		p.line()
	}
	p.bol = false
	p.out.WriteString(c.Text)
}

// Moved returns the first control line of f that does not stand between the same
// words in text, which f has been printed as; false if there is none. A script
// would mean something else then, so those who format files refuse it.
func Moved(f *token.File, text string) (token.Span, bool) {
	from, to := controls(f), controls(token.NewFile(f.Name, text))
	for i, c := range from {
		if i >= len(to) || c.words != to[i].words || c.text != to[i].text {
			return c.at, true
		}
	}
	return token.Span{}, false
}

// A place is where a control line stands: behind how many words.
type place struct {
	at    token.Span
	text  string
	words int
}

// controls lists the control lines of f. Punctuation that the printer sets itself
// does not count as words.
func controls(f *token.File) []place {
	var list []place
	words := 0
	for _, t := range scanner.Scan(f) {
		switch t.Kind {
		case token.Control:
			list = append(list, place{t.Span, strings.TrimRight(f.Text(t.Span), " \t\v\f\r"), words})
		case token.Comment, token.Semicolon, token.Comma, token.LBrace, token.RBrace:
		default:
			words++
		}
	}
	return list
}

// goesOn lists the words that a statement goes on with behind its first branch.
func goesOn(f *token.File) []token.Pos {
	var list []token.Pos
	for _, t := range scanner.Scan(f) {
		if t.Kind == token.KwElse || t.Kind == token.KwWhile {
			list = append(list, t.Span.From)
		}
	}
	return list
}

// beforeElse parts the word else, or while, that is followed by what stands at
// pos, from the branch before it: by a blank, or by the control lines that stand
// there.
func (p *printer) beforeElse(pos token.Pos) {
	var word token.Pos
	for _, at := range p.goesOn {
		if at < pos {
			word = at
		}
	}
	last := token.Pos(0) // control line before the word
	for _, c := range p.comments {
		if c.From < word && isControl(c) {
			last = c.From
		}
	}
	if last > 0 {
		if !p.bol {
			p.line()
		}
		p.above(last+1, false)
		return
	}
	if !p.bol {
		p.text(" ")
	}
}
