package gen

import (
	"fmt"
	"regexp"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A flow says how control leaves a statement.
type flow uint8

const (
	on       flow = iota // to the next
	breaks               // out of the loop
	goesOn               // to the next round of the loop
	returned             // out of the function, or the clause
)

// loopFault is the kind of the fault of a loop that meets its bound.
const loopFault = 64

// endless bounds loops that the checker says need no bound.
const endless = 1 << 20

// loop runs a loop. A round that would exceed the bound that it states is a fault.
func (j *Judge) loop(s ast.Stmt, cond, step ast.Expr, body ast.Stmt, bodyFirst bool) flow {
	info := j.prog.Loops[s]
	for n := int64(0); ; n++ {
		if (n > 0 || !bodyFirst) && cond != nil && j.pointer(cond) == 0 {
			return on
		}
		switch {
		case !info.Proved && n >= info.Max:
			panic(fault{loopFault, info.Max})
		case n > endless:
			panic("gen: a loop without end")
		}
		switch f := j.stmts([]ast.Stmt{body}); f {
		case breaks:
			return on
		case returned:
			return f
		}
		if step != nil {
			j.eval(step)
		}
	}
}

// locals declares variables of a block; each time anew.
func (j *Judge) localDecl(d *ast.Decl) {
	for _, n := range d.Names {
		v := j.prog.Locals[n]
		switch {
		case n.Init == nil:
			j.this[v] = val{}
		default:
			j.this[v] = j.as(n.Init, v.Type)
		}
	}
}

// userCall calls a function of the script.
func (j *Judge) userCall(x *ast.Call, f *check.Func) val {
	var given []val
	for i, a := range x.Args {
		given = append(given, j.as(a, f.Params[i].Type))
	}
	for i, v := range f.Params {
		j.this[v] = given[i]
	}
	outer := j.called
	j.called, j.result = f, val{}
	j.stmts(f.AST.Body.Stmts)
	j.called = outer
	return j.result
}

// as is x as a value of type t.
func (j *Judge) as(x ast.Expr, t types.Type) val {
	if types.IsString(t) {
		v := j.anyText(x)
		return val{s: j.cut(v.s), null: v.null}
	}
	return val{n: types.Wrap(j.pointer(x), t)}
}

// jump runs what leads elsewhere; ok is false if s is no such statement.
func (j *Judge) jump(s ast.Stmt) (f flow, ok bool) {
	switch s := s.(type) {
	case *ast.Jump:
		if s.Op == token.KwContinue {
			return goesOn, true
		}
		return breaks, true
	case *ast.Return:
		if s.X != nil {
			j.result = j.as(s.X, j.called.Result)
		}
		return returned, true
	case *ast.For:
		if s.Init != nil {
			j.stmts([]ast.Stmt{s.Init})
		}
		return j.loop(s, s.Cond, s.Step, s.Body, false), true
	case *ast.While:
		return j.loop(s, s.Cond, nil, s.Body, false), true
	case *ast.DoWhile:
		return j.loop(s, s.Cond, nil, s.Body, true), true
	case *ast.DeclStmt:
		j.localDecl(s.Decl)
		return on, true
	}
	return on, false
}

// Unnumbered reports whether the judges need not agree on the numbers of actions
// in faults: those in loops and functions are the compiler's business.
func Unnumbered(script string) bool { return unnumbered.MatchString(script) }

var (
	unnumbered = regexp.MustCompile(`\binl[0-9]+|\bfn[0-9]+\(|\bwhile \(|\bfor \(|\blv[0-9]+\b`)
	numbers    = regexp.MustCompile(` action [0-9]+ `)
)

// around writes a loop.
func (m *Maker) around() string {
	if m.nested >= 2 || m.plain {
		return fmt.Sprintf("trace(%s)", m.top())
	}
	m.nested++
	defer func() { m.nested-- }()
	switch m.r.IntN(5) {
	case 0:
		return fmt.Sprintf("while (%s; max %d) %s", m.leaf(), 1+m.r.IntN(4), m.round())
	case 1:
		return fmt.Sprintf("do %s while (%s; max %d)", m.round(), m.leaf(), 1+m.r.IntN(4))
	}
	m.names++
	i := fmt.Sprintf("lv%d", m.names)
	m.readable = append(m.readable, i)
	defer func() { m.readable = m.readable[:len(m.readable)-1] }()
	head := pick(m.r, "for (int %[1]s = 0; %[1]s < %[2]d; %[1]s++) ", "for (int64_t %[1]s = %[2]d; %[1]s > 0; %[1]s -= 2) ",
		"for (unsigned %[1]s = 3; %[1]s <= %[2]d; %[1]s += 3) ")
	return fmt.Sprintf(head, i, 1+m.r.IntN(6)) + m.round()
}

// round is the body of a loop. Scratch memory, which each round would take more
// of, is not for it.
func (m *Maker) round() string {
	for range 50 {
		if text := m.oneRound(); !strings.Contains(text, "copyin(") {
			return text
		}
	}
	return "{ gi++; }"
}

func (m *Maker) oneRound() string {
	before, assignable := "", len(m.assignable)
	if m.r.IntN(3) == 0 {
		before = m.local() + "; "
	}
	defer func() { m.assignable = m.assignable[:assignable] }()
	switch m.r.IntN(5) {
	case 0:
		return fmt.Sprintf("{ %sif (%s) %s; %s; }", before, m.top(), pick(m.r, "break", "continue"), m.stmt())
	case 1:
		return fmt.Sprintf("{ %s%s; %s; }", before, m.stmt(), m.stmt())
	}
	return fmt.Sprintf("{ %s%s; }", before, m.stmt())
}

// local declares a local variable, which can be used from there on.
func (m *Maker) local() string {
	m.names++
	name := fmt.Sprintf("lv%d", m.names)
	t := pick(m.r, "int", "int64_t", "unsigned char", "short", "uint64_t")
	text := t + " " + name
	if m.r.IntN(3) > 0 {
		text += " = " + m.top()
	}
	m.assignable = append(m.assignable, name)
	return text
}

// A routine is a function that a script defines.
type routine struct {
	name, result string
	inline       bool // whether it is an inline with parameters
}

// inline defines an inline: a name for an expression, with parameters or without.
func (m *Maker) inline() string {
	m.names++
	name, result := fmt.Sprintf("inl%d", m.names), pick(m.r, "int64_t", "int", "short", "uint64_t", "string")
	params, readable, texts := "", m.readable, m.texts
	if m.r.IntN(2) == 0 || result == "string" {
		params = "[int pa, string pb]"
		m.readable, m.texts = append(readable[:len(readable):len(readable)], "pa"), append(texts[:len(texts):len(texts)], "pb")
	}
	value := "gi"
	if result == "string" {
		value = "gs"
	}
	for range 50 {
		m.depth = 2
		text := ""
		if result == "string" {
			text = m.str()
		} else {
			text = m.int()
		}
		if !unfit.MatchString(text) {
			value = text
			break
		}
	}
	m.readable, m.texts = readable, texts
	if params == "" {
		m.readable = append(m.readable, name)
	} else {
		m.functions = append(m.functions, routine{name, result, true})
	}
	return fmt.Sprintf("inline %s %s%s = %s;\n", result, name, params, value)
}

// function defines a function. What is special to a firing is not for it, and one
// that has a value records nothing.
func (m *Maker) function() string {
	m.names++
	f := routine{name: fmt.Sprintf("fn%d", m.names), result: pick(m.r, "int64_t", "int", "unsigned char", "string", "void")}
	assignable, texts := m.assignable, m.texts
	m.plain = false
	fits := func(make func() string) string {
		for range 50 {
			n := len(m.assignable)
			text := make()
			if !unfit.MatchString(text) && (f.result == "void" || !m.records(text)) {
				return text
			}
			m.assignable = m.assignable[:n]
		}
		return "gi"
	}
	m.assignable, m.texts = []string{"pa"}, append(texts[:len(texts):len(texts)], "pb")
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s(%s pa, string pb) { ", f.result, f.name, pick(m.r, "int", "int64_t", "char", "unsigned"))
	if m.r.IntN(3) == 0 {
		b.WriteString(fits(m.local) + "; ")
	}
	value := func() string {
		switch f.result {
		case "void":
			return "return"
		case "string":
			return "return " + fits(func() string { m.depth = 1; return m.str() })
		}
		return "return " + fits(m.top)
	}
	for range m.r.IntN(3) {
		b.WriteString(fits(m.stmt) + "; ")
	}
	if m.r.IntN(3) == 0 {
		fmt.Fprintf(&b, "if (%s) %s; ", fits(m.top), value())
	}
	fmt.Fprintf(&b, "%s; }\n", value())
	m.assignable, m.texts = assignable, texts
	m.functions = append(m.functions, f)
	return b.String()
}

// unfit is what a function does not have.
var unfit = regexp.MustCompile(`\barg|\bcurthread|\btimestamp`)

// records reports whether statements do what a function that has a value must not.
func (m *Maker) records(text string) bool {
	for _, f := range m.functions {
		if isVoid(f.result) && strings.Contains(text, f.name+"(") {
			return true
		}
	}
	return strings.ContainsAny(text, "@") || strings.Contains(text, "trace") || strings.Contains(text, "printf")
}

// invoke writes a call of a function with such a result; ok is false if there is
// none.
func (m *Maker) invoke(is func(result string) bool) (text string, ok bool) {
	var fit []routine
	if m.plain {
		return "", false // what follows the call could fault, and nobody would tell
	}
	for _, f := range m.functions {
		if is(f.result) {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		return "", false
	}
	f := pick(m.r, fit...)
	if f.inline {
		return fmt.Sprintf("%s[%s, %s]", f.name, m.int(), m.str()), true
	}
	return fmt.Sprintf("%s(%s, %s)", f.name, m.int(), m.str()), true
}

func isNumber(result string) bool { return result != "void" && result != "string" }
func isVoid(result string) bool   { return result == "void" }
func isString(result string) bool { return result == "string" }
