package cpp

import (
	"strings"

	"dscope.dev/dlang/diag"
)

// A cond is a conditional that is open.
type cond struct {
	word  string // #if, #ifdef, …: what opened it or went on last
	at    place
	first place // of the #if
	taken bool  // one of its groups has been read
	last  bool  // #else has been seen
}

// open is #if, #ifdef and #ifndef.
func (p *processor) open(name tok) {
	c := cond{word: "#" + name.text, at: name.at, first: name.at}
	if name.text == "if" {
		c.taken = p.condition(name)
	} else if m, ok := p.macroName(c.word); ok {
		c.taken = (p.macros[m.text] != nil) == (name.text == "ifdef")
	}
	p.lex.conds = append(p.lex.conds, c)
	if !c.taken {
		p.skip()
	}
}

// orElse is #elif and #else behind a group that was read.
func (p *processor) orElse(name tok) {
	if p.another(name) {
		p.skip()
	}
}

// another notes that a conditional goes on, and reports whether there is one.
func (p *processor) another(name tok) bool {
	if len(p.lex.conds) == 0 {
		p.errorf(name.at, diag.Preprocess, "#%s without #if", name.text)
		return false
	}
	c := &p.lex.conds[len(p.lex.conds)-1]
	if c.last {
		p.errorf(name.at, diag.Preprocess, "#%s after #else", name.text).
			Note(p.anchor(c.first), "the conditional begins here")
		return true
	}
	c.word, c.at, c.last = "#"+name.text, name.at, name.text == "else"
	return true
}

func (p *processor) endif(name tok) {
	if n := len(p.lex.conds); n > 0 {
		p.lex.conds = p.lex.conds[:n-1]
		return
	}
	p.errorf(name.at, diag.Preprocess, "#endif without #if")
}

// skip passes over the groups of the innermost conditional that are left out, and
// the directive that ends them.
func (p *processor) skip() {
	depth := 0
	p.lex.skipLine()
	for p.lex.off < len(p.lex.src.text) && !p.dead {
		p.lex.space()
		if p.lex.peek(0) != '#' {
			p.lex.skipLine()
			continue
		}
		p.lex.off++
		name := p.lex.next()
		switch name.text {
		case "if", "ifdef", "ifndef":
			depth++
		case "elif", "else":
			if depth == 0 && p.goesOn(name) {
				return
			}
		case "endif":
			if depth == 0 {
				p.endif(name)
				return
			}
			depth--
		}
		p.unread(&name)
		p.lex.skipLine()
	}
}

// goesOn reports whether the group behind #elif or #else is read.
func (p *processor) goesOn(name tok) bool {
	late := p.lex.conds[len(p.lex.conds)-1].last
	p.another(name)
	c := &p.lex.conds[len(p.lex.conds)-1]
	if c.taken || late {
		return false
	}
	c.taken = name.text == "else" || p.condition(name)
	return p.lex.conds[len(p.lex.conds)-1].taken
}

// condition evaluates the rest of #if or #elif.
func (p *processor) condition(name tok) bool {
	toks := p.rest()
	if len(toks) == 0 {
		p.errorf(name.at, diag.Preprocess, "#%s lacks a condition", name.text)
		return false
	}
	end := toks[len(toks)-1].at
	toks, ok := p.defined(toks)
	if !ok {
		return false
	}
	e := evaluator{p: p, toks: toks, end: end}
	v := e.conditional()
	if t := e.peek(); !e.failed && t.kind != eof {
		e.fail(t, "expected an operator before %s", t.text)
	}
	return !e.failed && v.bits != 0
}

// expandLine expands the rest of a directive.
func (p *processor) expandLine() []tok {
	toks := p.rest()
	if len(toks) == 0 {
		return nil
	}
	return p.expand(toks)
}

// defined expands the tokens of a condition, and puts 1 or 0 for defined NAME and
// defined(NAME), whose names are not expanded.
func (p *processor) defined(toks []tok) (out []tok, ok bool) {
	p.push(context{toks: toks, fence: true})
	floor := len(p.contexts)
	defer func() {
		for len(p.contexts) >= floor {
			p.pop()
		}
	}()
	for {
		t := p.read()
		switch {
		case t.kind == eof:
			return out, !p.dead
		case t.kind == ident && t.text == "defined":
			if !p.isDefined(&t) {
				return nil, false
			}
		case t.kind == ident && strings.HasPrefix(t.text, "__has_include") && p.macros[t.text] != nil:
			if !p.hasHeader(&t) {
				return nil, false
			}
		case t.kind == ident && !t.off:
			if m := p.macros[t.text]; m != nil && p.enter(m, &t) {
				continue
			}
		}
		out = append(out, t)
	}
}

// isDefined makes t, which says defined, the answer. It fails if no name follows.
func (p *processor) isDefined(t *tok) bool {
	name := p.read()
	paren := name.is("(")
	if paren {
		name = p.read()
	}
	if name.kind != ident {
		p.errorf(t.at, diag.Preprocess, "defined needs the name of a macro")
		return false
	}
	if paren {
		if end := p.read(); !end.is(")") {
			p.errorf(t.at, diag.Preprocess, "defined(%s lacks its )", name.text)
			return false
		}
	}
	t.answer(p.macros[name.text] != nil)
	return true
}

// hasHeader makes t, which says __has_include, the answer: an extension of the
// compilers that headers rely on.
func (p *processor) hasHeader(t *tok) bool {
	word := t.text
	var toks []tok
	if first := p.read(); first.is("(") {
		for arg := p.read(); arg.kind != eof && !arg.is(")"); arg = p.read() {
			toks = append(toks, arg)
		}
	}
	h, ok := spelled(toks, t.at)
	if !ok {
		p.errorf(t.at, diag.Preprocess, `%s needs ("name") or (<name>)`, word)
		return false
	}
	_, text, _, err := p.find(h, word == "__has_include_next")
	t.answer(err == nil)
	return p.charge(t.at, len(text))
}

// answer makes t the number 1 or 0.
func (t *tok) answer(yes bool) {
	t.kind, t.text = number, "0"
	if yes {
		t.text = "1"
	}
}
