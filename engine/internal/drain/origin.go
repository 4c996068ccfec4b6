package drain

import (
	"cmp"
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// Origins returns where the script fills its aggregations, by their index, and which of
// these places each assignment is.
func Origins(p *check.Program, samples []lower.Sample) (list [][]trace.Origin, place map[*check.AggAssign]int) {
	list, place = make([][]trace.Origin, len(p.Aggs)), map[*check.AggAssign]int{}
	fills := func(clause uint32, n ast.Node) {
		p.Means.Walk(n, func(n ast.Node) bool {
			if s, ok := n.(*ast.AggAssign); ok && p.AggAssigns[s] != nil {
				i := p.AggAssigns[s].Agg.Index
				o := originOf(p, s, clause)
				o.Dims = dims(p.AggAssigns[s], samples)
				place[p.AggAssigns[s]] = len(list[i])
				list[i] = append(list[i], o)
			}
			return true
		})
	}
	for _, f := range p.Funcs {
		if f.AST != nil {
			fills(0, f.AST)
		}
	}
	for _, c := range p.Clauses {
		fills(uint32(c.Index)+1, c.AST)
	}
	return list, place
}

func originOf(p *check.Program, s *ast.AggAssign, clause uint32) trace.Origin {
	o := trace.Origin{Clause: clause}
	src, at := p.File.Origin(s.Span())
	o.From, o.To = (at.From - src.Base()).Offset(), (at.To - src.Base()).Offset()
	if o.File, o.Line, _ = p.File.Place(s.Span().From); o.File == p.File.Name {
		o.File = ""
	}
	for _, k := range s.Agg.Keys {
		o.Keys = append(o.Keys, written(p.File, k.Span()))
	}
	if v := p.AggAssigns[s].Value; v != nil {
		o.Arg = written(p.File, v.Span())
	}
	return o
}

// written returns a text as the script has it, before macros, on one line.
func written(f *token.File, at token.Span) string {
	src, was := f.Origin(at)
	return strings.Join(strings.Fields(src.Text(was)), " ")
}

// dims turns what the compiler calls dimensions into what leaves the engine.
func dims(as *check.AggAssign, samples []lower.Sample) (list []trace.Dimension) {
	if !slices.ContainsFunc(samples, func(s lower.Sample) bool { return s.Assign == as }) {
		return nil
	}
	for _, d := range as.Dims {
		list = append(list, trace.Dimension{Name: cmp.Or(d.Name, d.Text), Expr: d.Text, Key: d.Key})
	}
	return list
}
