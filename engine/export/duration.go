package export

import (
	"regexp"
	"slices"
	"strconv"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
)

// A script gives a duration where it prints a number that is surely one (package unit):
// trace(timestamp - self->ts), or printf("%d", this->took) where this->took is assigned
// nothing else. The event then stands for the stretch that ends with it.

// nanos is how many nanoseconds a number in a unit is.
var nanos = map[unit.Unit]int64{unit.Nanoseconds: 1, unit.Microseconds: 1e3, unit.Milliseconds: 1e6, unit.Seconds: 1e9}

// durations knows, by the number of a clause, what it prints that is a duration.
type durations map[uint32][]printed

// A printed is an action of a clause that prints something.
type printed struct {
	traces bool           // it is trace(x), and its value the duration; else printf()
	format *regexp.Regexp // of what printf() prints; its group is the duration
	arg    int            // which argument of printf() it is
	nanos  int64          // of one; 0 if it prints no duration
}

// durationsOf reads a script. One that does not parse here (it was preprocessed, or has
// macro arguments where words are) gives none.
func durationsOf(script string) durations {
	tree, list := parser.Parse(token.NewFile("script", script))
	if list.Failed() {
		return nil
	}
	r := reader{text: script, assigned: map[string][]string{}, out: durations{}}
	for _, assigning := range []bool{true, false} {
		n := uint32(0)
		for _, item := range tree.Items {
			c, ok := item.(*ast.Clause)
			if !ok {
				continue
			}
			if n++; c.Body != nil {
				r.clause, r.assigning = n, assigning
				r.stmt(c.Body)
			}
		}
	}
	return r.out
}

// A reader walks the statements of a script, first for what is assigned.
type reader struct {
	text      string
	assigned  map[string][]string // to variables, as they are written
	assigning bool
	clause    uint32
	out       durations
}

func (r *reader) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.Block:
		for _, s := range s.Stmts {
			r.stmt(s)
		}
	case *ast.If:
		r.stmt(s.Then)
		r.stmt(s.Else)
	case *ast.For:
		r.stmt(s.Body)
	case *ast.While:
		r.stmt(s.Body)
	case *ast.DoWhile:
		r.stmt(s.Body)
	case *ast.ExprStmt:
		switch x := ast.Unparen(s.X).(type) {
		case *ast.Assign:
			if zero, ok := ast.Unparen(x.Y).(*ast.Int); r.assigning && !(ok && zero.Value == 0) { // 0 forgets it
				r.assigned[r.source(x.X)] = append(r.assigned[r.source(x.X)], r.source(x.Y))
			}
		case *ast.Call:
			if !r.assigning {
				r.call(x)
			}
		}
	}
}

func (r *reader) source(x ast.Expr) string {
	s := x.Span()
	return r.text[s.From.Offset():s.To.Offset()]
}

func (r *reader) call(c *ast.Call) {
	p := printed{}
	switch {
	case c.Fn.Text == "trace" && len(c.Args) == 1:
		p.traces, p.nanos = true, r.nanos(c.Args[0])
	case c.Fn.Text == "printf" && len(c.Args) > 0:
		format, ok := c.Args[0].(*ast.String)
		p.arg = slices.IndexFunc(c.Args[1:], func(x ast.Expr) bool { return r.nanos(x) > 0 })
		if !ok || p.arg < 0 {
			break
		}
		if p.format = pattern(format.Value, p.arg); p.format != nil {
			p.nanos = r.nanos(c.Args[1+p.arg])
		}
	default:
		return
	}
	r.out[r.clause] = append(r.out[r.clause], p)
}

// nanos returns how many nanoseconds a number is that an expression gives; 0 if it is not
// surely a duration.
func (r *reader) nanos(x ast.Expr) int64 {
	text := r.source(ast.Unparen(x))
	if list := r.assigned[text]; list != nil {
		return nanos[unit.Agreed(list)]
	}
	return nanos[unit.Of(text)]
}

// conversion is one of a format: %d, %-16s, %5.1f, %%.
var conversion = regexp.MustCompile(`%[-+ #0@]*(\d+|\*)?(\.(\d+|\*))?(hh|h|ll|l|L|q|w)?[a-zA-Z%]`)

// pattern matches what a format prints; its one group is argument arg, a whole number. nil
// if that is not what it prints.
func pattern(format string, arg int) *regexp.Regexp {
	out, at, n := `(?s)\A`, 0, 0
	for _, m := range conversion.FindAllStringSubmatchIndex(format, -1) {
		out += regexp.QuoteMeta(format[at:m[0]])
		at = m[1]
		switch verb := format[m[1]-1]; {
		case verb == '%':
			out += "%"
			continue
		case m[2] >= 0 && format[m[2]] == '*' || m[6] >= 0 && format[m[6]] == '*':
			return nil // a width takes an argument of its own
		case n != arg:
			out += `.*?`
		case verb == 'd' || verb == 'i' || verb == 'u':
			out += `[ +]*(-?[0-9]+) *`
		default:
			return nil
		}
		n++
	}
	if n <= arg {
		return nil
	}
	return regexp.MustCompile(out + regexp.QuoteMeta(format[at:]) + `\z`)
}

// of returns for how many nanoseconds an event stands; false if it stands for a moment.
func (d durations) of(e *trace.Event) (int64, bool) {
	list := d[e.Clause]
	traced := 0
	for i := range e.Items {
		it := &e.Items[i]
		for n := range list {
			p := &list[n]
			if p.nanos == 0 {
				continue
			}
			var v int64
			var ok bool
			switch {
			case p.traces && it.Kind == trace.ValueItem && nth(list[:n]) == traced:
				v, ok = it.Value.Int, it.Value.Kind == trace.IntValue || it.Value.Kind == trace.UintValue
			case !p.traces && it.Kind == trace.PrintfItem:
				v, ok = p.read(it)
			}
			if ok && v >= 0 && v < 1<<62/p.nanos {
				return v * p.nanos, true
			}
		}
		if it.Kind == trace.ValueItem {
			traced++
		}
	}
	return 0, false
}

// nth counts the actions that trace a value.
func nth(list []printed) (n int) {
	for _, p := range list {
		if p.traces {
			n++
		}
	}
	return n
}

// read returns the duration that a printf() has printed.
func (p *printed) read(it *trace.Item) (int64, bool) {
	if args := it.Rest().Args; p.arg < len(args) {
		return args[p.arg].Int, true
	}
	m := p.format.FindStringSubmatch(it.Text)
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseInt(m[1], 10, 64)
	return v, err == nil
}
