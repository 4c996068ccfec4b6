package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Decls declares the variables that scripts use: of every width and kind. Every
// script begins with it.
const Decls = `int64_t gl; int gi; unsigned char gc; unsigned long gu; string gs;
self int si; self uint64_t su; self short sh; self string ss;
this int ti; this int64_t tl; this char tc; this unsigned short tw; this string ts;
int64_t ax[int, string]; int an[int64_t]; string at[int]; self int64_t sa[int];
` + objectDecls + inlineDecls

// scalars are variables that can be assigned, read and stepped.
var scalars = []string{"gl", "gi", "gc", "gu", "self->si", "self->su", "self->sh", "this->ti", "this->tl", "this->tc", "this->tw"}

var texts = []string{"gs", "self->ss", "this->ts"}

// A Maker writes random scripts that are well-typed.
type Maker struct {
	// Arguments says whether scripts may use execargs, which only the made-up
	// machine knows beforehand.
	Arguments bool

	r          *rand.Rand
	depth      int
	nested     int               // how many ifs are open
	plain      bool              // whether there may be none
	names      int               // how many were made up
	functions  []routine         // that clauses below can call
	assignable []string          // local variables
	readable   []string          // and those that loops count in
	texts      []string          // variables that hold strings
	aggs       map[string]string // what the aggregations of the script look like, by name
}

// NewMaker returns a maker; the same seed makes the same scripts.
func NewMaker(seed uint64) *Maker {
	return &Maker{r: rand.New(rand.NewPCG(seed, 77)), texts: texts}
}

// Rand gives the source of randomness, so that shots go with the script.
func (m *Maker) Rand() *rand.Rand { return m.r }

// Script writes a script.
func (m *Maker) Script() string {
	m.aggs = map[string]string{}
	var b strings.Builder
	b.WriteString(Decls)
	if m.r.IntN(5) == 0 {
		b.WriteString(m.inline())
	}
	if m.r.IntN(4) == 0 {
		for range 1 + m.r.IntN(2) {
			b.WriteString(m.function())
		}
	}
	for range 1 + m.r.IntN(5)/4 {
		b.WriteString(m.Clause(m.probes()))
	}
	return b.String()
}

// probes are the probes of a clause. The costly ones are rare: what two hooks
// run is compiled for each of them.
func (m *Maker) probes() string {
	if m.r.IntN(8) == 0 {
		return pick(m.r, "syscall::read:entry, syscall::write:return", "syscall:::")
	}
	return pick(m.r, "syscall:::entry", "syscall:::entry", "syscall:::return", "syscall::write:entry", "exec")
}

// Clause writes a clause of a script.
func (m *Maker) Clause(probes string) string {
	var b strings.Builder
	b.WriteString(probes)
	m.plain = probes == "ERROR" // of a fault in it nobody tells, so nothing could be joined
	if m.r.IntN(2) == 0 {
		fmt.Fprintf(&b, " /(%s)/", m.top())
	}
	b.WriteString("\n{\n")
	for range 1 + m.r.IntN(3) {
		fmt.Fprintf(&b, "\t%s;\n", m.stmt())
	}
	b.WriteString("}\n")
	return b.String()
}

func (m *Maker) stmt() string {
	switch m.r.IntN(22) {
	case 20:
		return m.around()
	case 21:
		if call, ok := m.invoke(isVoid); ok {
			return call
		}
	case 0, 1:
		return fmt.Sprintf("%s = %s", m.lvalue(), m.top())
	case 2:
		op := pick(m.r, "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "/=", "%=")
		right := m.top()
		if op == "/=" || op == "%=" {
			right = m.divisor()
		}
		return fmt.Sprintf("%s %s %s", m.lvalue(), op, right)
	case 3:
		return fmt.Sprintf(pick(m.r, "%s++", "--%s"), m.lvalue())
	case 4:
		return fmt.Sprintf("%s = %s", m.textVar(), m.str())
	case 5:
		return fmt.Sprintf("at[%s] = %s", m.int(), pick(m.r, m.str(), "0"))
	case 6:
		return fmt.Sprintf(`printf("%%d %%s %%x", %s, %s, %s)`, m.top(), m.str(), m.top())
	case 7:
		return m.agg()
	case 8:
		return fmt.Sprintf("trace(%s)", m.str())
	case 9:
		return pick(m.r, "trace(*args[1])", "trace(args[1]->nums)", "tracemem(args[1], 20)", "trace(*args[1]->next)",
			"tracemem(args[1]->name, 7)", "tracemem(copyin(arg2, 16), 16)")
	case 14, 15:
		return m.control()
	case 17, 18:
		return m.objectStmt()
	case 16:
		return pick(m.r, fmt.Sprintf("ax[%s, %s]", m.small(), m.str()), fmt.Sprintf("an[%s]", m.small()), fmt.Sprintf("self->sa[%s]", m.small())) +
			" = " + m.top()
	}
	return fmt.Sprintf("trace(%s)", m.top())
}

// small is a key that is often met again.
func (m *Maker) small() string { return pick(m.r, "1", "2", "cpu", "pid", "(arg4 & 3)") }

// neighbours writes aggregations that nothing else updates, of the same keys mostly.
func (m *Maker) neighbours() string {
	key := pick(m.r, m.int(), m.str(), m.small()+", "+m.str(), "probefunc", "execname, "+m.small())
	var list []string
	for range 2 + m.r.IntN(3) {
		m.names++
		if m.r.IntN(8) == 0 {
			key = m.small()
		}
		fn := pick(m.r, "count()", "sum((int64_t)"+m.top()+")", "min((int64_t)"+m.top()+")", "max("+m.int()+")", "avg((int64_t)"+m.int()+")",
			"stddev((int64_t)"+m.int()+")", "quantize("+m.top()+")", "lquantize("+m.int()+", -20, 100, 7)", "llquantize("+m.int()+", 10, 0, 4, 20)")
		list = append(list, fmt.Sprintf("@join%d[%s] = %s", m.names, key, fn))
	}
	return strings.Join(list, "; ")
}

// agg writes an aggregation. Equal names have equal functions and keys.
func (m *Maker) agg() string {
	if m.r.IntN(4) == 0 {
		return m.neighbours()
	}
	fn := pick(m.r, "count", "sum", "min", "max", "avg", "stddev", "quantize", "lquantize", "llquantize")
	key := pick(m.r, "", "i", "s", "is", "p")
	name := fn + key
	keys := ""
	switch key {
	case "i":
		keys = fmt.Sprintf("[%s]", m.int())
	case "s":
		keys = fmt.Sprintf("[%s]", m.str())
	case "is":
		keys = fmt.Sprintf("[%s, %s]", m.int(), m.str())
	case "p":
		keys = "[probefunc]"
	}
	args := ""
	switch fn {
	case "count":
	case "lquantize":
		args = fmt.Sprintf("%s, -20, 100, 7", m.top())
	case "llquantize":
		args = fmt.Sprintf("%s, 10, 0, 4, 20", m.top())
	case "quantize":
		args = m.top()
		if m.r.IntN(3) == 0 {
			args += ", " + m.int()
		}
	default:
		args = fmt.Sprintf("(int64_t)%s", m.top())
	}
	return fmt.Sprintf("@%s%s = %s(%s)", name, keys, fn, args)
}

// top is an integer expression of some depth.
func (m *Maker) top() string {
	m.depth = pick(m.r, 1, 1, 2, 2, 2, 3, 3, 4)
	return m.int()
}

func (m *Maker) lvalue() string {
	m.depth = 2
	switch m.r.IntN(8) {
	case 0:
		return fmt.Sprintf("ax[%s, %s]", m.int(), m.str())
	case 1:
		return fmt.Sprintf("an[%s]", m.int())
	case 2:
		return fmt.Sprintf("self->sa[%s]", m.int())
	}
	return m.scalar()
}

// scalar is a variable that can be assigned.
func (m *Maker) scalar() string {
	if len(m.assignable) > 0 && m.r.IntN(3) == 0 {
		return pick(m.r, m.assignable...)
	}
	return pick(m.r, scalars...)
}

func (m *Maker) textVar() string { return pick(m.r, m.texts...) }

// int is an integer expression.
func (m *Maker) int() string {
	if m.depth <= 0 {
		return m.leaf()
	}
	m.depth--
	defer func() { m.depth++ }()
	switch m.r.IntN(18) {
	case 17:
		return m.inlined()
	case 16:
		if call, ok := m.invoke(isNumber); ok {
			return call
		}
	case 0, 1, 2:
		op := pick(m.r, "+", "-", "*", "&", "|", "^")
		return fmt.Sprintf("(%s %s %s)", m.int(), op, m.int())
	case 3:
		return fmt.Sprintf("(%s %s %s)", m.int(), pick(m.r, "<<", ">>"), m.int())
	case 4:
		return fmt.Sprintf("(%s %s %s)", m.int(), pick(m.r, "/", "%"), m.divisor())
	case 5, 6:
		return fmt.Sprintf("(%s %s %s)", m.int(), pick(m.r, "==", "!=", "<", "<=", ">", ">="), m.int())
	case 7:
		return fmt.Sprintf("(%s %s %s)", m.int(), pick(m.r, "&&", "||", "^^"), m.int())
	case 8:
		return fmt.Sprintf("(%s ? %s : %s)", m.int(), m.int(), m.int())
	case 9:
		return fmt.Sprintf("(%s(%s))", pick(m.r, "-", "~", "!", "+"), m.int())
	case 10:
		return fmt.Sprintf("(%s)%s", pick(m.r, "char", "unsigned char", "short", "uint16_t", "int", "unsigned", "int64_t", "uint64_t"), m.int())
	case 11:
		return fmt.Sprintf("(%s %s %s)", m.str(), pick(m.r, "==", "!=", "<", ">="), m.str())
	case 12:
		return m.intCall()
	case 13:
		return m.access()
	case 14:
		return pick(m.r, fmt.Sprintf("getmajor(%s)", m.int()), fmt.Sprintf("getminor(%s)", m.int()),
			fmt.Sprintf("(%s == NULL)", m.perhaps()), fmt.Sprintf("strjoin(%s, %s)[%s]", m.str(), m.str(), pick(m.r, "0", "5", "(arg4 & 15)", m.int())))
	}
	return m.leaf()
}

// divisor is an expression whose value the checker does not know.
func (m *Maker) divisor() string {
	if m.r.IntN(2) == 0 {
		return pick(m.r, "3", "8", "10", "(-1)", "1", "4096", "(-16)", "0x7fffffffffffffff")
	}
	if m.r.IntN(3) == 0 {
		return m.scalar() // which is often 0
	}
	return fmt.Sprintf("(%s | arg4)", m.leaf())
}

func (m *Maker) leaf() string {
	switch m.r.IntN(8) {
	case 0, 1:
		return pick(m.r, "0", "1", "2", "7", "63", "64", "255", "'a'", "0x80000000", "4294967296", "9223372036854775807", "18446744073709551615ull", "3u", "sizeof (int)")
	case 2, 3:
		return pick(m.r, "arg0", "arg3", "arg4", "pid", "tid", "timestamp", "cpu", "uid", "errno", "args[0]", "args[3]", "id", "ppid")
	case 4:
		return fmt.Sprintf(pick(m.r, "(%s++)", "(--%s)", "(%s--)", "(++%s)"), m.scalar())
	}
	if len(m.readable) > 0 && m.r.IntN(2) == 0 {
		return pick(m.r, m.readable...)
	}
	return m.scalar()
}

// access reads an associative array, or memory through pointers.
func (m *Maker) access() string {
	switch m.r.IntN(5) {
	case 0:
		return fmt.Sprintf("ax[%s, %s]", m.int(), m.str())
	case 1:
		return fmt.Sprintf("an[%s]", m.int())
	case 2:
		return pick(m.r, m.field(), fmt.Sprintf("self->sa[%s]", m.int()))
	}
	return pick(m.r,
		"args[1]->a", "args[1]->b", "args[1]->next->a", "args[1]->low", "args[1]->mid",
		"args[1]->nums[2]", "args[1]->nums[arg4 & 3]", "args[1]->name[1]", "(int64_t)args[1]->next",
		"curthread->pid", "curthread->pair->b", "curthread->inner.a", "curthread->inner.mid", "curthread->inner.low",
		"curthread->inner.nums[3]", "curthread->real_parent->tgid", "*(int *)arg1", "*(short *)(arg1 + 8)",
		"((struct pair *)arg1)->nums[1]", "(args[1] == 0)", "(int64_t)(args[1] + 1)", "args[1][0].a", "*args[1]->nums",
		"(&args[1]->b)[0]", "(args[1]->next - args[1])", "*(int *)copyin(arg2, 4)", "*(char *)copyin(arg2 + 1, 1)",
		"((short *)copyin(arg2, 8))[arg4 & 3]", "*(unsigned char *)copyin(arg2, (arg4 & 31) | 1)", "*(char *)copyin(arg2, arg0 | 257)")
}

func (m *Maker) intCall() string {
	switch m.r.IntN(8) {
	case 0:
		return fmt.Sprintf("index(%s, %s)", m.str(), m.str())
	case 1:
		return fmt.Sprintf("index(%s, %s, %s)", m.str(), m.str(), m.int())
	case 2:
		return fmt.Sprintf("rindex(%s, %s)", m.str(), m.str())
	case 3:
		return fmt.Sprintf("rindex(%s, %s, %s)", m.str(), m.str(), m.int())
	case 4:
		return fmt.Sprintf("strtoll(%s, %s)", m.str(), pick(m.r, "10", "16", "2", "arg0"))
	case 5:
		return fmt.Sprintf("%s(%s)", pick(m.r, "htons", "ntohs", "htonl", "ntohl", "htonll", "ntohll"), m.int())
	}
	return fmt.Sprintf("strlen(%s)", m.str())
}

// str is a string expression.
func (m *Maker) str() string {
	if m.depth <= 0 {
		return m.text()
	}
	m.depth--
	defer func() { m.depth++ }()
	switch m.r.IntN(25) {
	case 24:
		return m.inlinedText()
	case 11:
		if call, ok := m.invoke(isString); ok {
			return call
		}
	case 12:
		return fmt.Sprintf("cleanpath(%s)", pick(m.r, m.str(), m.path()))
	case 13:
		return m.address()
	case 14:
		return m.perhaps()
	case 0, 1:
		return fmt.Sprintf("strjoin(%s, %s)", m.str(), m.str())
	case 2:
		return fmt.Sprintf("substr(%s, %s)", m.str(), m.int())
	case 3:
		return fmt.Sprintf("substr(%s, %s, %s)", m.str(), m.int(), m.int())
	case 4:
		return fmt.Sprintf("%s(%s)", pick(m.r, "basename", "dirname", "tolower", "toupper"), m.str())
	case 5:
		return fmt.Sprintf("%s(%s, %s)", pick(m.r, "strchr", "strrchr"), m.str(), pick(m.r, "'/'", "'a'", m.int()))
	case 6:
		return fmt.Sprintf("strstr(%s, %s)", m.str(), m.str())
	case 7:
		which, yes, no := m.int(), m.str(), m.str()
		if yes == nameField && no == nameField { // of two arrays, ?: would be a char *
			no = "stringof(" + no + ")"
		}
		return fmt.Sprintf("(%s ? %s : %s)", which, yes, no)
	case 8:
		return fmt.Sprintf("lltostr(%s)", m.int())
	case 9:
		return fmt.Sprintf("lltostr(%s, %s)", m.int(), pick(m.r, "8", "16", "2", "36", "arg0"))
	case 10:
		return fmt.Sprintf("at[%s]", m.int())
	}
	return m.text()
}

// nameField is the array of characters that is printed, compared and stored as it is.
const nameField = "args[1]->name"

// text is a string without operators. Arrays of the task are made strings: two
// arrays would be compared by their addresses, which only the machine knows.
func (m *Maker) text() string {
	if m.Arguments && m.r.IntN(20) == 0 {
		return "execargs"
	}
	return pick(m.r, `"dd"`, `"read"`, `""`, `"/usr/lib//x"`, `"abcdefgh"`, `"a rather long constant"`, `"12"`,
		"execname", "probefunc", "probename", m.textVar(), m.textVar(), m.textVar(), "copyinstr(arg2)", "copyinstr(arg2, 4)", "stringof(copyin(arg2, 32))",
		nameField, "stringof(args[1]->text)", "stringof(curthread->comm)", "stringof(curthread->real_parent->comm)", "stringof(curthread->inner.name)")
}
