package gen

import (
	"fmt"

	"dscope.dev/dlang/ast"
)

// inlineDecls declares inlines and translators: of a value, of a text, of what
// names parameters more than once and of what names none.
const inlineDecls = `inline int inow = gi + arg0;
inline int64_t itwice[int64_t a, short b] = a + b * a;
inline short iany[int a] = 7;
inline string itext[string s, int n] = n > 3 ? strjoin(s, "~") : s;
struct view { int64_t wide; int narrow; string words; };
translator struct view < int n > { wide = n; narrow = n - 1; words = "int"; };
translator struct view < string s > { wide = strlen(s); narrow = 2; words = strjoin(s, s); };
inline struct view iview[int64_t a] = xlate <struct view> ((int)a);
inline struct view *ihere = xlate <struct view *> (execname);
`

// inlined uses an inline or a translator that has a number.
func (m *Maker) inlined() string {
	switch m.r.IntN(6) {
	case 0:
		return "inow"
	case 1:
		return fmt.Sprintf("itwice[%s, %s]", m.int(), m.int())
	case 2:
		return fmt.Sprintf("iany[%s]", m.int())
	case 3:
		return fmt.Sprintf("iview[%s].%s", m.int(), pick(m.r, "wide", "narrow"))
	case 4:
		return fmt.Sprintf("xlate <struct view> (%s).wide", m.str())
	}
	return pick(m.r, "ihere->wide", "(*ihere).narrow", "iview[ihere->wide].narrow")
}

// inlinedText uses one that has a text.
func (m *Maker) inlinedText() string {
	switch m.r.IntN(3) {
	case 0:
		return fmt.Sprintf("itext[%s, %s]", m.str(), m.int())
	case 1:
		return fmt.Sprintf("xlate <struct view> (%s).words", m.str())
	}
	return fmt.Sprintf("iview[%s].words", m.int())
}

// named is the value of an inline that is a constant: only the checker knows it.
func (j *Judge) named(x ast.Expr) (val, bool) {
	switch x.(type) {
	case *ast.Ident, *ast.Index:
	default:
		return val{}, false
	}
	n, ok := j.prog.Consts[x]
	return val{n: n}, ok && j.prog.Refs[x] == nil
}
