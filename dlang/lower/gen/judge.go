package gen

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// A Judge interprets a checked script, straight from the tree and in the
// simplest way: it says what a script means. It knows no word of the
// intermediate form, keys no array by bytes, and keeps strings as strings.
type Judge struct {
	prog    *check.Program
	strSize int
	globals map[*check.Var]val
	selfs   map[int32]map[*check.Var]val
	arrays  map[*check.Var]map[string]val
	objects map[string][]byte              // structs and arrays; see part
	Aggs    map[string]map[string][]uint64 // cells by name and key
	Out     []string                       // what the script records, and its faults
	Lost    uint64                         // faults in clauses of ERROR

	// Of the firing at hand.
	shot    *Shot
	task    func(*Facts) map[int64]byte // the current task_struct by offset
	kernel  map[int64]byte
	user    map[int64]byte
	this    map[*check.Var]val
	locals  map[string][]byte
	called  *check.Func // the function that runs; nil in a clause
	result  val         // what it returns
	clause  *check.Clause
	action  int
	record  []string
	scratch int64   // bytes that copyin() gave out in this firing
	before  int64   // and before this clause
	token   *string // what strtok() has left; nil if it was not called
}

// A val is a value: a word, extended as its type says, or a string, or none where
// one is due.
type val struct {
	n    int64
	s    string
	null bool
}

// A fault ends a clause.
type fault struct{ kind, value int64 }

// NewJudge returns a judge of p.
func NewJudge(p *check.Program, opts ir.Options) *Judge {
	return &Judge{
		prog: p, strSize: opts.StrSize,
		globals: map[*check.Var]val{}, selfs: map[int32]map[*check.Var]val{},
		arrays: map[*check.Var]map[string]val{}, objects: map[string][]byte{}, Aggs: map[string]map[string][]uint64{},
		kernel: Kernel(), user: User(),
		task: func(f *Facts) map[int64]byte { return byOffset(f.Task()) },
	}
}

func byOffset(b []byte) map[int64]byte {
	mem := map[int64]byte{}
	for i, c := range b {
		mem[int64(i)] = c
	}
	return mem
}

// Visit takes j to another machine: to the memory of its kernel by address, and
// to what is known of its tasks, by offset.
func (j *Judge) Visit(kernel map[int64]byte, task func(*Facts) map[int64]byte) {
	j.kernel, j.task = kernel, task
}

// Array returns what an associative array holds, in no order. What is 0 or
// empty is left out: it need not be stored.
func (j *Judge) Array(name string) []string {
	var list []string
	for v, elems := range j.arrays {
		for _, e := range elems {
			t := v.Type
			if v.Wide {
				t = types.Int64
			}
			if v.Name == name && (e.n != 0 || e.s != "") {
				list = append(list, show(e, t))
			}
		}
	}
	return list
}

// Fire runs the clauses of the probe that s fires.
func (j *Judge) Fire(s *Shot) {
	j.Out = append(j.Out, Mark)
	j.shot, j.this, j.locals, j.token = s, map[*check.Var]val{}, map[string][]byte{}, nil
	for off, b := range j.task(&s.Facts) {
		j.kernel[s.At+off] = b
	}
	j.dropScratch()
	for _, c := range j.prog.Clauses {
		if j.covers(c) {
			j.run(c)
		}
	}
}

// covers reports whether the probe that fires is one of the clause's.
func (j *Judge) covers(c *check.Clause) bool {
	key := Sites(j.shot.Hook)[j.shot.Site].Key
	for _, set := range c.Probes {
		m, _ := set.Sites.(Match)
		for _, k := range m[j.shot.Hook] {
			if k == key {
				return true
			}
		}
	}
	return false
}

func (j *Judge) run(c *check.Clause) {
	j.clause, j.action, j.record, j.called = c, 0, nil, nil
	j.before = j.scratch
	defer func() {
		switch f := recover().(type) {
		case nil:
		case fault:
			j.report(c, f)
		default:
			panic(f)
		}
	}()
	if p := c.AST.Pred; p != nil && j.int(p) == 0 {
		return
	}
	j.action = 1
	j.stmts(c.AST.Body.Stmts)
	if len(j.record) > 0 {
		j.Out = append(j.Out, fmt.Sprintf("record clause %d: %s", c.First, strings.Join(j.record, " ")))
	}
}

// report makes a firing of ERROR of a fault, except of one in its own clauses:
// that is lost.
func (j *Judge) report(c *check.Clause, f fault) {
	if j.shot.Hook == "ERROR" {
		j.Lost++
		return
	}
	j.Out = append(j.Out, SpellFault(int64(c.First), int64(j.action), f.kind, f.value))
	was, this, locals, token := j.shot, j.this, j.locals, j.token
	j.token = nil
	j.shot, j.this, j.locals = &Shot{Hook: "ERROR", Facts: was.Facts}, map[*check.Var]val{}, map[string][]byte{}
	j.shot.Args = [10]int64{1: int64(Sites(was.Hook)[was.Site].ID), 2: int64(c.First), 4: f.kind, 5: f.value}
	for _, c := range j.prog.Clauses {
		if j.covers(c) {
			j.run(c)
		}
	}
	j.shot, j.this, j.locals, j.token = was, this, locals, token
}

func (j *Judge) stmt(s ast.Stmt) flow {
	if f, ok := j.jump(s); ok {
		return f
	}
	switch s := s.(type) {
	case *ast.Block:
		return j.stmts(s.Stmts)
	case *ast.If:
		return j.ifStmt(s)
	case *ast.AggAssign:
		j.aggregate(s)
	case *ast.ExprStmt:
		call, ok := j.prog.Means.Unparen(s.X).(*ast.Call)
		if !ok || j.prog.Calls[call].User != nil || !j.prog.Calls[call].Fn.Action {
			j.eval(s.X)
			return on
		}
		args := call.Args
		switch call.Fn.Text {
		case "printf":
			args = args[1:]
		case "tracemem":
			j.record = append(j.record, hex(j.bytes(j.kernel, j.pointer(args[0]), j.int(args[1]))))
			return on
		case "trace":
			arg := j.prog.Means.Unparen(args[0])
			switch t := j.typ(arg); arg.(type) {
			case *ast.Member, *ast.Index, *ast.Unary:
				if types.IsCharArray(t) {
					j.record = append(j.record, hex(j.bytesOf(arg)))
					return on
				}
			}
		}
		for i, a := range args {
			if i > 0 {
				j.action++
			}
			j.record = append(j.record, j.datum(a))
		}
	}
	return on
}

// datum is what recording x leaves.
func (j *Judge) datum(x ast.Expr) string {
	t := j.typ(x)
	switch types.Resolve(t).(type) {
	case *types.Struct, *types.Array:
		if !isText(t) {
			return hex(j.bytesOf(x))
		}
	}
	return show(j.there(j.eval(x)), t)
}

// there is v, unless it is NULL, which has nothing to look at.
func (j *Judge) there(v val) val {
	if v.null {
		panic(fault{1, 0})
	}
	return v
}

func hex(b []byte) string { return fmt.Sprintf("%x", b) }

// show spells a value as the records of both judges are compared.
func show(v val, t types.Type) string {
	if isText(t) {
		return fmt.Sprintf("%q", v.s)
	}
	return fmt.Sprint(types.Wrap(v.n, t))
}

func isText(t types.Type) bool { return types.IsString(t) || types.IsCharArray(t) }

func (j *Judge) typ(x ast.Expr) types.Type { return j.prog.Types[x] }

// int is x as a number.
func (j *Judge) int(x ast.Expr) int64 { return j.eval(x).n }

// text is x as a string. A pointer to characters, where a string is due, stands for
// what it points to.
func (j *Judge) text(x ast.Expr) string { return j.there(j.anyText(x)).s }

// anyText is text where NULL, which holds no character, will do.
func (j *Judge) anyText(x ast.Expr) val {
	v := j.eval(x)
	if t := j.typ(x); !isText(t) && types.IsStringLike(t) {
		return val{s: j.str(j.kernel, v.n, 1<<20)}
	}
	return v
}

// cut is s at the size that strings have.
func (j *Judge) cut(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return s[:min(len(s), j.strSize-1)]
}

// bytes reads n bytes of memory, or is a fault.
func (j *Judge) bytes(mem map[int64]byte, addr, n int64) []byte {
	return j.bytesOr(mem, addr, n, fault{1, addr})
}

// bytesOr reads n bytes of memory, or is the fault that is given.
func (j *Judge) bytesOr(mem map[int64]byte, addr, n int64, f fault) []byte {
	b := make([]byte, n)
	for i := range b {
		c, ok := mem[addr+int64(i)]
		if !ok {
			panic(f)
		}
		b[i] = c
	}
	return b
}

// str reads a string of at most n characters.
func (j *Judge) str(mem map[int64]byte, addr, n int64) string {
	var b []byte
	for i := range min(n, int64(j.strSize)-1) + 1 {
		c, ok := mem[addr+i]
		if !ok {
			panic(fault{1, addr})
		}
		if c == 0 || i == min(n, int64(j.strSize)-1) {
			break
		}
		b = append(b, c)
	}
	return string(b)
}
