package engine

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// origins returns where the script fills its aggregations, by their index.
func origins(p *check.Program) [][]trace.Origin {
	list := make([][]trace.Origin, len(p.Aggs))
	fills := func(clause uint32, n ast.Node) {
		ast.Walk(n, func(n ast.Node) bool {
			if s, ok := n.(*ast.AggAssign); ok && p.AggAssigns[s] != nil {
				i := p.AggAssigns[s].Agg.Index
				list[i] = append(list[i], originOf(p, s, clause))
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
	return list
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
