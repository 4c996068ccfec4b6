package gen

import (
	"encoding/binary"
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// eval computes x. Constants are computed like everything else, so that what the
// checker folds is judged too.
func (j *Judge) eval(x ast.Expr) val {
	x = j.prog.Means.Unparen(x) // what a name stands for, too
	if v, ok := j.constant(x); ok {
		return v
	}
	if j.prog.Nulls[x] {
		return val{null: true}
	}
	if v, ok := j.named(x); ok {
		return v
	}
	switch x := x.(type) {
	case *ast.Int:
		return val{n: types.Wrap(int64(x.Value), j.typ(x))}
	case *ast.Char:
		return val{n: x.Value}
	case *ast.String:
		return val{s: j.cut(x.Value)}
	case *ast.Sizeof:
		return val{n: j.prog.Consts[x]}
	case *ast.Macro:
		return val{n: j.prog.Consts[x], s: j.cut(j.prog.Strings[x])}
	case *ast.Ident:
		switch ref := j.prog.Refs[x].(type) {
		case *check.Builtin:
			return j.builtin(ref)
		case *check.EnumConst:
			return val{n: ref.Value}
		case nil:
			return val{s: j.cut(j.prog.Strings[x])} // an inline
		}
		return j.load(x)
	case *ast.Unary:
		return j.unary(x)
	case *ast.Postfix:
		return j.step(x.Op, x.X, true)
	case *ast.Binary:
		return j.binary(x)
	case *ast.Assign:
		return j.assign(x)
	case *ast.Cond:
		arm := x.Else
		if j.int(x.Cond) != 0 {
			arm = x.Then
		}
		if types.IsString(j.typ(x)) {
			return j.anyText(arm)
		}
		return val{n: j.pointer(arm)}
	case *ast.Cast:
		if types.IsString(j.typ(x)) {
			return j.anyText(x.X)
		}
		return val{n: types.Wrap(j.int(x.X), j.typ(x))}
	case *ast.Call:
		return j.call(x)
	case *ast.Index:
		if types.IsString(j.typ(x.X)) && j.prog.Refs[x] == nil {
			return j.character(x)
		}
	}
	return j.load(x)
}

// constant is the value of an inline that is one.
func (j *Judge) constant(x ast.Expr) (val, bool) {
	name := x
	if ix, ok := x.(*ast.Index); ok {
		name = j.prog.Means.Unparen(ix.X)
	}
	if id, ok := name.(*ast.Ident); !ok || !strings.HasPrefix(id.Name, "inl") {
		return val{}, false
	}
	if s, ok := j.prog.Strings[x]; ok {
		return val{s: j.cut(s)}, true
	}
	n, ok := j.prog.Consts[x]
	return val{n: n}, ok
}

func truth(b bool) val {
	if b {
		return val{n: 1}
	}
	return val{}
}

func (j *Judge) unary(x *ast.Unary) val {
	switch x.Op {
	case token.Inc, token.Dec:
		return j.step(x.Op, x.X, false)
	case token.Not:
		return truth(j.int(x.X) == 0)
	case token.Minus:
		if _, known := j.prog.Consts[x.X]; known {
			return val{n: check.Negate(j.int(x.X), j.typ(x))}
		}
		return val{n: -j.int(x.X)}
	case token.Plus:
		return val{n: j.int(x.X)}
	case token.Tilde:
		return val{n: ^j.int(x.X)}
	case token.Amp:
		return val{n: j.at(x.X)}
	case token.KwStringof:
		if types.IsCharArray(j.typ(x.X)) {
			return val{s: j.text(x.X)}
		}
		return val{s: j.str(j.kernel, j.int(x.X), 1<<20)}
	}
	return j.load(x)
}

func (j *Judge) binary(x *ast.Binary) val {
	switch x.Op {
	case token.Comma:
		j.eval(x.X)
		return j.eval(x.Y)
	case token.AndAnd:
		return truth(j.int(x.X) != 0 && j.int(x.Y) != 0)
	case token.OrOr:
		return truth(j.int(x.X) != 0 || j.int(x.Y) != 0)
	}
	if types.IsString(j.typ(x.X)) || types.IsString(j.typ(x.Y)) {
		a, b := j.anyText(x.X), j.anyText(x.Y)
		order := strings.Compare(a.s, b.s)
		if order == 0 && a.null != b.null {
			order = map[bool]int{true: -1, false: 1}[a.null] // NULL comes before ""
		}
		return relation(x.Op, order)
	}
	a, b := j.pointer(x.X), j.pointer(x.Y)
	return val{n: j.combine(x.Op, a, b, types.Decay(j.typ(x.X)), types.Decay(j.typ(x.Y)))}
}

func relation(op token.Kind, order int) val {
	switch op {
	case token.Eq:
		return truth(order == 0)
	case token.Ne:
		return truth(order != 0)
	case token.Lt:
		return truth(order < 0)
	case token.Le:
		return truth(order <= 0)
	case token.Gt:
		return truth(order > 0)
	}
	return truth(order >= 0)
}

// combine computes a op b; pointers count in what they point to.
func (j *Judge) combine(op token.Kind, a, b int64, ta, tb types.Type) int64 {
	pa, pb := types.IsPointer(ta), types.IsPointer(tb)
	switch {
	case pa && pb && op == token.Minus:
		return (a - b) / int64(types.Elem(ta).Size())
	case pa && op == token.Minus:
		return a - b*int64(types.Elem(ta).Size())
	case pa && !pb && op == token.Plus:
		return a + b*int64(types.Elem(ta).Size())
	case pb && !pa && op == token.Plus:
		return a*int64(types.Elem(tb).Size()) + b
	case pa || pb:
		ta, tb = types.ULong, types.ULong
	}
	v, ok := check.Fold(op, a, b, ta, tb)
	if !ok {
		panic(fault{4, 0})
	}
	return v
}

// step does ++ and --.
func (j *Judge) step(op token.Kind, x ast.Expr, old bool) val {
	get, set := j.variable(x)
	was := get()
	by := int64(1)
	if op == token.Dec {
		by = -1
	}
	now := val{n: j.changed(x, was.n+by)}
	set(now)
	if old {
		return was
	}
	return now
}

func (j *Judge) assign(x *ast.Assign) val {
	t := j.typ(x.X)
	if isObject(t) {
		j.assignWhole(x)
		return val{}
	}
	if x.Op == token.Assign {
		var v val
		if isText(t) {
			v = j.anyText(x.Y)
			v.s, v.null = j.cut(v.s), v.null || j.prog.Nulls[j.prog.Means.Unparen(x.Y)]
		} else {
			v.n = j.into(x.X, x.Y, j.pointer(x.Y))
		}
		_, set := j.variable(x.X)
		set(v)
		return v
	}
	get, set := j.variable(x.X)
	a := get()
	b := j.int(x.Y)
	v := val{n: j.changed(x.X, j.combine(x.Op.Binary(), a.n, b, t, j.typ(x.Y)))}
	set(v)
	return v
}

// variable gives access to a variable or element; its keys are computed now.
func (j *Judge) variable(x ast.Expr) (get func() val, set func(val)) {
	x = j.prog.Means.Unparen(x)
	if p, ok := j.own(x); ok {
		return func() val { return j.read(p) }, func(w val) { j.write(p, w) }
	}
	v := j.prog.Refs[x].(*check.Var)
	if ix, ok := x.(*ast.Index); ok {
		key := j.key(v, ix.Args)
		if j.arrays[v] == nil {
			j.arrays[v] = map[string]val{}
		}
		return func() val { return stored(v, j.arrays[v], key) }, func(w val) { j.arrays[v][key] = w }
	}
	table := j.globals
	switch v.Scope {
	case ast.This, ast.Local:
		table = j.this
	case ast.Self:
		if j.selfs[j.shot.TID] == nil {
			j.selfs[j.shot.TID] = map[*check.Var]val{}
		}
		table = j.selfs[j.shot.TID]
	}
	return func() val { return stored(v, table, v) }, func(w val) { table[v] = w }
}

// stored is what v holds, or an element of it. A string of a thread or of an array
// that nothing was assigned to is NULL.
func stored[K comparable](v *check.Var, table map[K]val, at K) val {
	w, ok := table[at]
	if !ok && types.IsString(v.Type) && (v.Scope == ast.Self || v.Keys != nil) {
		w.null = true
	}
	return w
}

func (j *Judge) key(v *check.Var, args []ast.Expr) string {
	key := ""
	if v.Scope == ast.Self {
		key = fmt.Sprint(j.shot.TID, " ")
	}
	for i, a := range args {
		key += j.keyOf(a, v.Keys[i]) + " "
	}
	return key
}

// keyOf spells one element of a key, whose type is t.
func (j *Judge) keyOf(x ast.Expr, t types.Type) string {
	if isText(t) {
		return show(val{s: j.text(x)}, t)
	}
	return show(val{n: j.pointer(x)}, t)
}

// load reads what x names: a variable, or memory.
func (j *Judge) load(x ast.Expr) val {
	if p, ok := j.own(x); ok {
		return j.read(p)
	}
	if _, ok := j.prog.Refs[j.prog.Means.Unparen(x)].(*check.Var); ok {
		get, _ := j.variable(x)
		return get()
	}
	if ix, ok := x.(*ast.Index); ok {
		if ref, ok := j.prog.Refs[ix].(*check.ArgRef); ok {
			return val{n: types.Wrap(j.shot.Args[ref.Arg.Slot], j.typ(x))}
		}
	}
	t := j.typ(x)
	addr := j.at(x)
	switch r := types.Resolve(t).(type) {
	case *types.Array:
		if types.IsCharArray(t) {
			return val{n: addr, s: j.charArray(x, addr, r)}
		}
		return val{n: addr}
	case *types.Struct:
		return val{n: addr}
	}
	if m, ok := x.(*ast.Member); ok && j.prog.Members[m].Bits > 0 {
		return val{n: j.bits(x, addr, j.prog.Members[m])}
	}
	return val{n: types.Wrap(little(j.look(x, addr, int64(t.Size()))), t)}
}

// charArray reads an array of characters as a string; it may be an operand of
// something that wants its address only, so it must not fail then.
func (j *Judge) charArray(x ast.Expr, addr int64, a *types.Array) (s string) {
	return j.str(j.kernel, addr, int64(a.Len))
}

func little(b []byte) int64 {
	var full [8]byte
	copy(full[:], b)
	return int64(binary.LittleEndian.Uint64(full[:]))
}

// bits reads a bit-field from the unit of its type that holds it.
func (j *Judge) bits(x ast.Expr, addr int64, f types.Field) int64 {
	size := int64(f.Type.Size())
	w := little(j.look(x, addr, size))
	v := w >> (int64(f.Off) % (8 * size)) & (1<<f.Bits - 1)
	if types.IsSigned(f.Type) && v>>(f.Bits-1) != 0 {
		v -= 1 << f.Bits
	}
	return v
}

// look reads n bytes of the kernel for x, which lies at addr. If that is no further
// than x is from the pointer that leads to it, the pointer was null, and the fault
// tells that.
func (j *Judge) look(x ast.Expr, addr, n int64) []byte {
	f := fault{1, addr}
	if uint64(addr) <= uint64(j.distance(x)) {
		f.value = 0
	}
	return j.bytesOr(j.kernel, addr, n, f)
}

// distance is how far x lies from where a pointer points to, as far as that is
// known before the firing.
func (j *Judge) distance(x ast.Expr) int64 {
	switch x := j.prog.Means.Unparen(x).(type) {
	case *ast.Member:
		f := j.prog.Members[x]
		d := int64(f.Off / 8)
		if unit := 8 * f.Type.Size(); f.Bits > 0 {
			d = int64(f.Off / unit * unit / 8)
		}
		if !x.Arrow {
			d += j.distance(x.X)
		}
		return d
	case *ast.Index:
		d := int64(0)
		if _, isArray := types.Resolve(j.typ(x.X)).(*types.Array); isArray {
			d = j.distance(x.X)
		}
		return d + j.prog.Consts[x.Args[0]]*int64(j.typ(x).Size())
	case *ast.Cast:
		return j.distance(x.X)
	}
	return 0
}

// at is the address of what x names.
func (j *Judge) at(x ast.Expr) int64 {
	switch x := j.prog.Means.Unparen(x).(type) {
	case *ast.Unary:
		if x.Op == token.Star {
			return j.pointer(x.X)
		}
	case *ast.Member:
		base := int64(0)
		if x.Arrow {
			base = j.pointer(x.X)
		} else {
			base = j.at(x.X)
		}
		f := j.prog.Members[x]
		if f.Bits > 0 {
			unit := 8 * f.Type.Size()
			return base + int64(f.Off/unit*unit/8)
		}
		return base + int64(f.Off/8)
	case *ast.Index:
		base := j.pointer(x.X)
		length := 0
		if a, ok := types.Resolve(j.typ(x.X)).(*types.Array); ok {
			length = a.Len
		}
		return base + j.inside(x, length)*int64(j.typ(x).Size())
	}
	panic(fmt.Sprintf("gen: %T has no address", x))
}

// pointer is x as an address: arrays become theirs without being read.
func (j *Judge) pointer(x ast.Expr) int64 {
	if _, ok := types.Resolve(j.typ(x)).(*types.Array); ok {
		return j.at(x)
	}
	return j.int(x)
}

// execargs are the arguments by the address of an mm_struct.
func execargs(mm int64) string {
	i := (mm - mmAddr) / 24
	if mm == 0 || i == int64(len(ends)-1) {
		return ""
	}
	return strings.TrimSuffix(strings.ReplaceAll(args[:ends[i]], "\x00", " "), " ")
}

func (j *Judge) builtin(b *check.Builtin) val {
	s := j.shot
	site := Sites(s.Hook)[s.Site]
	switch b.Name {
	case "pid":
		return val{n: int64(s.PID)}
	case "tid":
		return val{n: int64(s.TID)}
	case "ppid":
		return val{n: types.Wrap(little(j.bytes(j.kernel, s.Parent+12, 4)), types.IntType)}
	case "execname":
		return val{s: j.cut(s.Comm)}
	case "probefunc":
		return val{s: j.cut(site.Function)}
	case "probename":
		return val{s: j.cut(site.Name)}
	case "execargs":
		return val{s: j.cut(execargs(s.MM))}
	case "id":
		return val{n: int64(site.ID)}
	case "timestamp":
		return val{n: s.Timestamp}
	case "cpu":
		return val{n: s.CPU}
	case "uid":
		return val{n: s.UID}
	case "errno":
		return val{n: s.Errno}
	case "curthread":
		return val{n: s.At}
	}
	return val{n: s.Args[b.Name[3]-'0']}
}
