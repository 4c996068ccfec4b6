package gen

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
)

// A firing of a clause may leave several records where statements are guarded:
// how many is the compiler's business. So the judges spell firing by firing, and
// Merge joins what belongs together.

// Mark is the line that begins a firing.
const Mark = "firing"

// Merge joins the records that a clause leaves in one firing, and takes back those
// of a clause that ended by a fault: what it had recorded until then may be
// delivered or not. The marks are left out.
func Merge(script string, lines []string) []string {
	if Unnumbered(script) {
		for i, l := range lines {
			lines[i] = numbers.ReplaceAllString(l, " action some ")
		}
	}
	var out []string
	last := "" // what the line before begins with, if it is a record of this firing
	for _, l := range lines {
		head, words, isRecord := strings.Cut(l, ": ")
		isRecord = isRecord && strings.HasPrefix(head, "record clause ")
		fault, isFault := strings.CutPrefix(l, "fault clause ")
		if isRecord && words == "" {
			continue // it only says that others are whole
		}
		switch {
		case l == Mark:
		case isRecord && head == last:
			out[len(out)-1] += " " + words
		case isFault && last != "" && strings.HasPrefix(fault, strings.TrimPrefix(last, "record clause ")+" "):
			out[len(out)-1] = l
		default:
			out = append(out, l)
		}
		last = ""
		if isRecord {
			last = head
		}
	}
	return out
}

// stmts runs statements. Whatever an if skips, the actions of a clause are
// numbered as they stand in the text.
func (j *Judge) stmts(list []ast.Stmt) flow {
	for _, s := range list {
		from := j.action
		if f := j.stmt(s); f != on {
			return f
		}
		j.action = from + actions(s)
	}
	return on
}

// actions counts the numbers that a statement takes.
func actions(s ast.Stmt) int {
	switch s := s.(type) {
	case *ast.Block:
		n := 0
		for _, s := range s.Stmts {
			n += actions(s)
		}
		return n
	case *ast.If:
		n := actions(s.Then)
		if s.Else != nil {
			n += actions(s.Else)
		}
		return n
	case *ast.AggAssign:
		return 1 + len(s.Agg.Keys)
	case *ast.ExprStmt:
		if call, ok := ast.Unparen(s.X).(*ast.Call); ok && call.Fn.Text == "printf" {
			return max(len(call.Args)-1, 1)
		}
		return 1
	}
	return 0
}

// ifStmt runs if and else.
func (j *Judge) ifStmt(s *ast.If) flow {
	from := j.action
	switch {
	case j.pointer(s.Cond) != 0:
		return j.stmts([]ast.Stmt{s.Then})
	case s.Else != nil:
		j.action = from + actions(s.Then)
		return j.stmts([]ast.Stmt{s.Else})
	}
	return on
}

// control writes if and else, around statements and one within the other.
func (m *Maker) control() string {
	if m.nested >= 2 || m.plain {
		return fmt.Sprintf("trace(%s)", m.top())
	}
	m.nested++
	defer func() { m.nested-- }()
	text := fmt.Sprintf("if (%s) %s", m.top(), m.arm())
	switch m.r.IntN(5) {
	case 0, 1:
		text += " else " + m.arm()
	case 2:
		text += fmt.Sprintf(" else if (%s) %s", m.top(), m.arm())
	}
	return text
}

// arm is what an if guards.
func (m *Maker) arm() string {
	switch m.r.IntN(8) {
	case 0:
		return "{ }"
	case 1, 2, 3:
		return fmt.Sprintf("{ %s; %s; }", m.stmt(), m.stmt())
	}
	return fmt.Sprintf("{ %s; }", m.stmt())
}
