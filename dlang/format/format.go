// Package format prints the tree of a D script as text.
//
// There is one way to lay out a script, the one of the DTrace guides: probe
// descriptions and predicate on lines of their own, one action a line, tabs.
// What the author decides is kept: comments, blank lines (one at most), and
// where a list of values or a long expression goes on in the next line.
//
// What is printed parses to an equal tree (see ast.Equal), and printing that
// again changes nothing. Of a script with mistakes the parts that the parser
// could not read are printed as they stand, but what is missing between others is
// made up; those who format files should refuse such a script.
//
// A control line inside of an item is printed where it stands, at the beginning of
// its line, as those expect whose scripts go through the preprocessor. In the
// middle of an action, where the line is not broken, it cannot stay; Moved tells.
//
// Comments are not in the tree. The printer walks script and comments side by
// side: a comment is printed before the first thing that stands behind it in the
// source, or at the end of the line if that is where it stood. A comment between
// the words of an action that can't be printed there, because the line would not
// go on behind it, moves to the end of the action.
package format

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
)

// Source returns script, which is the tree of f, as text.
func Source(f *token.File, script *ast.Script) string {
	items, controls := inside(f, script.Items)
	p := &printer{file: f, comments: merge(script.Comments, controls)}
	if len(controls) > 0 {
		p.goesOn = goesOn(f)
	}
	p.script(&ast.Script{File: script.File, Items: items})
	return p.out.String()
}

type printer struct {
	file     *token.File
	out      strings.Builder
	indent   int
	comments []ast.Comment // those that are not printed yet
	bol      bool          // whether the next text begins a line
	first    bool          // whether nothing was printed yet in this block
	flat     bool          // all in one line, without comments: part of a declaration
	at       token.Pos     // what lies before, in the source, has been printed
	goesOn   []token.Pos   // where else and while stand, if there are control lines inside of items
}

// text prints s, after the indentation if it begins a line.
func (p *printer) text(s string) {
	if s == "" {
		return
	}
	if p.bol {
		p.bol = false
		p.out.WriteString(strings.Repeat("\t", p.indent))
	}
	p.out.WriteString(s)
}

// line ends the line.
func (p *printer) line() {
	p.out.WriteByte('\n')
	p.bol = true
}

// lineOf returns the line of the source that holds pos.
func (p *printer) lineOf(pos token.Pos) int {
	n, _ := p.file.Position(pos)
	return n
}

// script prints the items with blank lines where the source has them and
// around clauses.
func (p *printer) script(s *ast.Script) {
	p.bol, p.first = true, true
	limits := starts(s)
	for i, item := range s.Items {
		apart := i > 0 && (isLong(item) || isLong(s.Items[i-1]))
		p.lead(limits[i], apart)
		p.item(item)
		if !p.bol {
			end := item.Span().To
			if i+1 < len(limits) {
				end = min(end, limits[i+1])
			}
			p.trail(end)
		}
	}
	p.above(token.Pos(len(p.file.Src)+1), false)
}

// starts returns for each item the place before which its comments lie. A
// control line that was lifted out of a clause has those of the clause.
func starts(s *ast.Script) []token.Pos {
	limits := make([]token.Pos, len(s.Items))
	next := token.Pos(len(s.File.Src) + 1)
	for i := len(s.Items) - 1; i >= 0; i-- {
		next = min(next, s.Items[i].Span().From)
		limits[i] = next
	}
	return limits
}

// isLong reports whether an item stands apart from its neighbours.
func isLong(item ast.Item) bool {
	switch item := item.(type) {
	case *ast.Clause, *ast.FuncItem, *ast.Translator, *ast.Provider:
		return true
	case *ast.DeclItem:
		return isDefinition(item.Decl.Base)
	}
	return false
}

func isDefinition(t ast.Type) bool {
	switch t := t.(type) {
	case *ast.Struct:
		return t.Defined
	case *ast.Enum:
		return t.Defined
	}
	return false
}

// lead makes ready to print what begins at pos.
func (p *printer) lead(pos token.Pos, apart bool) {
	apart = p.above(pos, apart)
	p.gap(pos, apart)
}

// above prints the comments before pos, each on a line of its own. It returns
// whether a blank line is still due.
func (p *printer) above(pos token.Pos, apart bool) bool {
	for len(p.comments) > 0 && p.comments[0].From < pos {
		c := p.comments[0]
		p.comments = p.comments[1:]
		p.gap(c.From, apart)
		apart = false
		p.comment(c)
		p.line()
		p.at = max(p.at, c.To)
	}
	return apart
}

// gap prints a blank line if the source has one before pos, or if apart asks
// for it, but never at the beginning of the script or of a block.
func (p *printer) gap(pos token.Pos, apart bool) {
	if !p.first && (apart || p.lineOf(pos) > p.lineOf(p.at)+1) {
		p.out.WriteByte('\n')
	}
	p.first = false
}

// trail ends the line of what ends at pos, with the comments that belong to it:
// those inside, and those that follow it in the same line of the source.
func (p *printer) trail(pos token.Pos) {
	p.at = max(p.at, pos)
	for len(p.comments) > 0 {
		c := p.comments[0]
		if c.From >= pos && (p.lineOf(c.From) != p.lineOf(p.at) || !p.blankBetween(p.at, c.From)) {
			break
		}
		p.comments = p.comments[1:]
		if !isControl(c) {
			p.text(" ")
		}
		p.comment(c)
		p.at = max(p.at, c.To)
		if endsLine(c) {
			break
		}
	}
	p.line()
}

// blankBetween reports whether nothing but white space and punctuation that the
// printer sets itself stands between two places.
func (p *printer) blankBetween(from, to token.Pos) bool {
	return from >= to || strings.Trim(p.file.Text(token.Span{From: from, To: to}), " \t\r\n\v\f;,/{>") == ""
}

// inline prints the comments before pos in the middle of a line, as long as the
// line can go on behind them.
func (p *printer) inline(pos token.Pos) {
	for !p.flat && len(p.comments) > 0 {
		c := p.comments[0]
		if c.From >= pos || endsLine(c) || strings.Contains(c.Text, "\n") {
			return
		}
		p.comments = p.comments[1:]
		if s := p.out.String(); s != "" && !strings.ContainsRune(" \t\n([", rune(s[len(s)-1])) {
			p.text(" ")
		}
		p.text(c.Text)
		p.text(" ")
	}
}

// comment prints c. The lines of a block comment that has a column of stars are
// aligned below its beginning; others are left alone.
func (p *printer) comment(c ast.Comment) {
	if isControl(c) {
		p.control(c)
		return
	}
	lines := strings.Split(strings.TrimRight(c.Text, " \t\r"), "\n")
	starred := true
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
		starred = starred && (i == 0 || strings.HasPrefix(strings.TrimLeft(lines[i], " \t"), "*"))
	}
	p.text(lines[0])
	for _, l := range lines[1:] {
		p.out.WriteByte('\n')
		if starred {
			p.out.WriteString(strings.Repeat("\t", p.indent))
			l = " " + strings.TrimLeft(l, " \t")
		}
		p.out.WriteString(l)
	}
}
