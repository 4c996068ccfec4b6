package check

import (
	"errors"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A formatted is a format with the places of its conversions in the script.
type formatted struct {
	*Format
	at   []Range
	expr ast.Expr
}

// format parses the format that x is. It has complained if it returns nil.
func (c *checker) format(x ast.Expr, fn string) *formatted {
	text, ok := c.prog.Strings[x]
	if !ok {
		c.errorf(x, diag.PrintfFmtArg, "%s() needs its format as a string constant", fn).
			Suggest("%s(\"%%s\", %s)", fn, c.text(x))
		return nil
	}
	if text == "" {
		c.errorf(x, diag.PrintfFormat, "the format of %s() is empty", fn)
		return nil
	}
	f, at, err := ParseFormat(text)
	if err != nil {
		span := x.Span()
		var bad *FormatError
		if errors.As(err, &bad) {
			span = c.inString(x, Range{bad.From, bad.To})
		}
		say := c.list.Add(span, diag.Syntax, "%s", err)
		if bad != nil && bad.Lone {
			say.Suggest("write %%%% for a percent sign")
		}
		return nil
	}
	return &formatted{f, at, x}
}

// inString returns the place of a part of a string constant. Where escapes make
// the places unsure it is the whole constant.
func (c *checker) inString(x ast.Expr, r Range) token.Span {
	s, ok := c.prog.Means.Unparen(x).(*ast.String)
	if !ok || strings.Contains(s.Text[:min(len(s.Text), r.To+1)], "\\") {
		return x.Span()
	}
	from := s.Span().From + 1
	return token.Span{From: from + token.Pos(r.From), To: from + token.Pos(r.To)}
}

// verbText returns conversion i as the script wrote it.
func (f *formatted) verbText(i int) string { return f.Text[f.at[i].From:f.at[i].To] }

// printf puts the values of a printf to its format.
func (c *checker) printf(p *pending) {
	f := c.format(p.ast.Args[0], p.fn.Name)
	if f == nil {
		return
	}
	p.info.Format = f.Format
	values, at := p.ast.Args[1:], 0
	for i := range f.Parts {
		part := &f.Parts[i]
		if part.Literal != "" {
			continue
		}
		place := c.inString(f.expr, f.at[i])
		if part.Agg {
			c.list.Add(place, diag.PrintfAgg, "%s prints an aggregation, and printf() has none", f.verbText(i)).
				Suggest("printa(format, @agg)")
			return
		}
		if !c.stars(f, i, values, &at) {
			return
		}
		if at == len(values) {
			c.list.Add(place, diag.PrintfProto, "nothing is given for conversion %s", f.verbText(i)).
				Note(p.ast.Fn.Span(), "%s() has %s after the format", p.fn.Name, count(len(values), "value"))
			return
		}
		part.Arg, part.Type = at, p.args[at+1]
		if part.Type == nil {
			return // an aggregation; reported as an argument
		}
		if kind, ok := p.kinds[at+1]; ok {
			c.keyVerb(f, i, AggKey{Type: part.Type, Kind: kind})
		} else {
			c.printable(f, i, values[at], part.Type)
		}
		at++
	}
	if at < len(values) {
		c.errorf(values[at], diag.PrintfExtra, "the format has no conversion for this value: it prints %d of %d", at, len(values)).
			Note(p.ast.Args[0].Span(), "the format").Suggest("add a conversion, or drop the value")
	}
}

// printedCall checks a value of printf that is stack(), sym() or one of their
// kin, which elsewhere are actions or keys.
func (c *checker) printedCall(p *pending, i int, a ast.Expr) (types.Type, bool) {
	call, ok := c.prog.Means.Unparen(a).(*ast.Call)
	if !ok || function.Find(call.Fn.Text).Key == KeyValue {
		return nil, false
	}
	t := c.set(call, c.callAs(call, false, true))
	if p.kinds == nil {
		p.kinds = map[int]KeyKind{}
	}
	p.kinds[i] = function.Find(call.Fn.Text).Key
	return c.set(a, t), true
}

// stars takes the values for * in conversion i.
func (c *checker) stars(f *formatted, i int, values []ast.Expr, at *int) bool {
	part := f.Parts[i]
	for _, star := range []struct {
		wanted bool
		what   string
	}{{part.WidthArg, "width"}, {part.PrecArg, "precision"}} {
		if !star.wanted {
			continue
		}
		if *at == len(values) {
			c.list.Add(c.inString(f.expr, f.at[i]), diag.PrintfDyn, "nothing is given for the %s * of conversion %s", star.what, f.verbText(i))
			return false
		}
		if t := c.prog.Types[values[*at]]; !types.IsInteger(t) {
			c.errorf(values[*at], diag.PrintfDynType, "the %s of conversion %s must be an integer, not %s", star.what, f.verbText(i), t)
			return false
		}
		*at++
	}
	return true
}

// printable complains unless conversion i can print a value of type t.
func (c *checker) printable(f *formatted, i int, at ast.Node, t types.Type) {
	part := f.Parts[i]
	what, ok := verbAccepts(part, t)
	if ok {
		return
	}
	say := c.errorf(at, diag.PrintfArgs, "conversion %s prints %s, not %s", f.verbText(i), what, t).
		Note(c.inString(f.expr, f.at[i]), "the conversion")
	if hint := verbHint(part.Verb, t); hint != "" {
		say.Suggest("%s", hint)
	}
}

// verbAccepts reports whether a conversion prints values of type t, and what it prints.
func verbAccepts(p FormatPart, t types.Type) (what string, ok bool) {
	integer := types.IsInteger(t)
	switch p.Verb {
	case 'd', 'i', 'o', 'u', 'x', 'X':
		return "an integer", integer
	case 'c', 'C':
		return "a character", integer && (t.Size() <= 4)
	case 's', 'S':
		if p.WideChars() {
			return "an array of wide characters", isWideArray(t)
		}
		return "a string", types.IsString(t) || types.IsCharArray(t)
	case 'I':
		return "the address of a machine, a string", types.IsString(t) || types.IsCharArray(t)
	case 'P':
		return "a port", integer
	case 'p', 'a', 'A':
		return "an address", types.IsScalar(types.Decay(t))
	case 'Y', 'T':
		return "a time in nanoseconds, of 64 bits", integer && t.Size() == 8
	case 'k':
		return "a stack", false
	}
	_, float := types.Resolve(t).(*types.Float)
	return "a floating-point number", float
}

// isWideArray reports whether t is an array of characters of 4 bytes, C's wchar_t.
func isWideArray(t types.Type) bool {
	a, ok := types.Resolve(t).(*types.Array)
	if !ok {
		return false
	}
	e, ok := types.Resolve(a.Elem).(*types.Int)
	return ok && e.Bytes == 4
}

// verbHint says how a value of type t is printed.
func verbHint(verb byte, t types.Type) string {
	switch {
	case types.IsString(t), types.IsCharArray(t):
		return "print a string with %s"
	case types.IsStringLike(t) && types.IsPointer(t):
		return "print the address with %p, or the text with %s and stringof() or copyinstr()"
	case types.IsPointer(t):
		return "print a pointer with %p"
	case types.IsInteger(t) && (verb == 'c' || verb == 'C'):
		return "make it a character with a cast: (char)x"
	case types.IsInteger(t):
		return "print an integer with %d or %x"
	}
	return ""
}

// printa notes a printa() for the end of the script, because the keys that it
// prints may be settled below it.
func (c *checker) printa(p *pending) {
	x := p.ast
	aggs := 0
	for i, a := range x.Args {
		if _, ok := c.prog.Means.Unparen(a).(*ast.AggRef); ok {
			aggs++
			continue
		}
		if i > 0 {
			c.errorf(a, diag.PrintaAgg, "argument %d of printa() must be an aggregation", i+1).Suggest("%s", p.fn.Proto)
			return
		}
	}
	if aggs == 0 {
		if _, ok := c.prog.Strings[x.Args[0]]; !ok {
			c.errorf(x.Args[0], diag.PrintaAgg, "printa() prints aggregations, not %s", p.args[0]).Suggest("%s", p.fn.Proto)
			return
		}
		c.errorf(x, diag.PrintaProto, "printa() needs an aggregation after the format").Suggest("%s", p.fn.Proto)
		return
	}
	c.printas = append(c.printas, p)
}

// finishPrinta puts the keys of its aggregations to the format of a printa.
func (c *checker) finishPrinta(p *pending) {
	first := c.aggs[p.info.Aggs[0].Name]
	for i, a := range p.info.Aggs {
		if a.Func == "" {
			return // reported in unfilled
		}
		if i > 0 && !c.sameKeys(p, first, c.aggs[a.Name]) {
			return
		}
	}
	if _, ok := c.prog.Means.Unparen(p.ast.Args[0]).(*ast.AggRef); ok {
		return
	}
	f := c.format(p.ast.Args[0], "printa")
	if f == nil {
		return
	}
	p.info.Format = f.Format
	key, agg := 0, 0
	for i := range f.Parts {
		part := &f.Parts[i]
		switch {
		case part.Literal != "":
		case !c.keyStars(f, i, first, &key):
			return
		case part.Agg:
			part.Arg = min(agg, len(p.info.Aggs)-1)
			agg++
			c.aggVerb(f, i)
		case key == len(first.Keys):
			c.list.Add(c.inString(f.expr, f.at[i]), diag.PrintfProto, "nothing is left for conversion %s: @%s has %s", f.verbText(i), first.Name, count(key, "key")).
				Note(first.keysAt, "its keys were settled here").Suggest("print the value of the aggregation with %%@d")
			return
		default:
			part.Arg, part.Type = key, first.Keys[key].Type
			c.keyVerb(f, i, first.Keys[key])
			key++
		}
	}
}

// keyStars takes the keys for * in conversion i.
func (c *checker) keyStars(f *formatted, i int, a *aggregation, key *int) bool {
	stars := 0
	if f.Parts[i].WidthArg {
		stars++
	}
	if f.Parts[i].PrecArg {
		stars++
	}
	for ; stars > 0; stars-- {
		place := c.inString(f.expr, f.at[i])
		if *key == len(a.Keys) {
			c.list.Add(place, diag.PrintfDyn, "no key is left for the * of conversion %s: @%s has %s", f.verbText(i), a.Name, count(*key, "key")).
				Note(a.keysAt, "its keys were settled here")
			return false
		}
		if k := a.Keys[*key]; k.Kind != KeyValue || !types.IsInteger(k.Type) {
			c.list.Add(place, diag.PrintfDynType, "the * of conversion %s must be an integer, and key %d is %s", f.verbText(i), *key+1, keyName(k)).
				Note(a.keysAt, "its keys were settled here")
			return false
		}
		*key++
	}
	return true
}

// aggVerb checks a conversion of the aggregated value, a number of 64 bits that
// may be an address or a time.
func (c *checker) aggVerb(f *formatted, i int) {
	if strings.IndexByte("diouxXpaAYT", f.Parts[i].Verb) < 0 {
		c.list.Add(c.inString(f.expr, f.at[i]), diag.PrintfArgs, "conversion %s cannot print an aggregation", f.verbText(i)).
			Suggest("use %%@d, %%@u or %%@x")
	}
}

// keyVerb checks a conversion of a key.
func (c *checker) keyVerb(f *formatted, i int, k AggKey) {
	verb := f.Parts[i].Verb
	place := c.inString(f.expr, f.at[i])
	switch k.Kind {
	case KeyValue:
		if !types.IsInvalid(k.Type) {
			c.printable(f, i, at(place), k.Type)
		}
		return
	case KeyStack, KeyUstack:
		if verb == 'k' {
			return
		}
		c.list.Add(place, diag.PrintfArgs, "conversion %s cannot print %s", f.verbText(i), keyName(k)).Suggest("print a stack with %%k")
	default:
		if verb == 'a' || verb == 'A' {
			return
		}
		c.list.Add(place, diag.PrintfArgs, "conversion %s cannot print %s", f.verbText(i), keyName(k)).Suggest("print a symbol with %%a, or %%A for one of the process")
	}
}

// at makes a node of a place, to complain about it.
func at(s token.Span) ast.Node { return &ast.Name{At: ast.At(s)} }

// sameKeys checks that aggregations printed together have the same keys.
func (c *checker) sameKeys(p *pending, a, b *aggregation) bool {
	if len(a.Keys) != len(b.Keys) {
		c.errorf(p.ast, diag.PrintaKey, "@%s and @%s cannot be printed together: they have different keys", a.Name, b.Name).
			Note(a.keysAt, "@%s has %s", a.Name, count(len(a.Keys), "key")).
			Note(b.keysAt, "@%s has %s", b.Name, count(len(b.Keys), "key"))
		return false
	}
	for i := range a.Keys {
		k, l := a.Keys[i], b.Keys[i]
		if k.Kind.Family() != l.Kind.Family() || !types.IsInvalid(k.Type) && !types.IsInvalid(l.Type) && types.IsString(k.Type) != types.IsString(l.Type) {
			c.errorf(p.ast, diag.PrintaKeyType, "@%s and @%s cannot be printed together: key %d differs", a.Name, b.Name, i+1).
				Note(a.keysAt, "@%s has %s", a.Name, keyName(k)).
				Note(b.keysAt, "@%s has %s", b.Name, keyName(l))
			return false
		}
	}
	return true
}
