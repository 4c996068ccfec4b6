package gen

import (
	"encoding/binary"
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/types"
)

// Structs and arrays that variables hold. The judge keeps each as its bytes, by
// the name of the variable or element; what is not there is all zeros.

// A part is an object of the script or what lies inside of one.
type part struct {
	root  string // names the variable or element
	size  int    // of the whole of it
	local bool   // whether it lives for one firing
	off   int64
	typ   types.Type
	field types.Field // of a bit-field; Off counts from the start of its struct
}

// own finds what x names if that is a part of a variable. Its keys and indices
// are computed now.
func (j *Judge) own(x ast.Expr) (part, bool) {
	x = j.prog.Means.Unparen(x)
	t := j.typ(x)
	if v, ok := j.prog.Refs[x].(*check.Var); ok {
		if !isObject(v.Type) {
			return part{}, false
		}
		p := part{root: fmt.Sprintf("%p", v), size: v.Type.Size(), local: v.Scope == ast.This, typ: t}
		if ix, ok := x.(*ast.Index); ok {
			p.root += "[" + j.key(v, ix.Args) + "]"
		} else if v.Scope == ast.Self {
			p.root += fmt.Sprint(" of ", j.shot.TID)
		}
		return p, true
	}
	switch x := x.(type) {
	case *ast.Member:
		if x.Arrow {
			break
		}
		p, ok := j.own(x.X)
		f := j.prog.Members[x]
		p.typ, p.field = t, types.Field{}
		if p.off += int64(f.Off / 8); f.Bits > 0 {
			p.off -= int64(f.Off / 8)
			p.field = f
		}
		return p, ok
	case *ast.Index:
		a, isArray := types.Resolve(j.typ(x.X)).(*types.Array)
		if !isArray {
			break
		}
		p, ok := j.own(x.X)
		if ok {
			p.off += j.inside(x, a.Len) * int64(t.Size())
			p.typ = t
		}
		return p, ok
	}
	return part{}, false
}

// inside is the index of x, which must lie in an array of so many elements unless
// the checker knows it.
func (j *Judge) inside(x *ast.Index, length int) int64 {
	i := j.int(x.Args[0])
	if _, known := j.prog.Consts[x.Args[0]]; !known && length > 1 && uint64(i) >= uint64(length) {
		panic(fault{badIndex, i})
	}
	return i
}

const badIndex = 11

func isObject(t types.Type) bool {
	switch types.Resolve(t).(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// whole returns the bytes of what p is a part of, which the caller may change.
func (j *Judge) whole(p part) []byte {
	table := j.objects
	if p.local {
		table = j.locals
	}
	if table[p.root] == nil {
		table[p.root] = make([]byte, p.size)
	}
	return table[p.root]
}

// of returns the bytes of p.
func (j *Judge) of(p part) []byte { return j.whole(p)[p.off : p.off+int64(p.typ.Size())] }

// read reads p as a value.
func (j *Judge) read(p part) val {
	switch {
	case types.IsCharArray(p.typ):
		b := j.of(p)
		n := 0
		for n < len(b) && b[n] != 0 {
			n++
		}
		return val{s: j.cut(string(b[:n]))}
	case p.field.Bits == 0:
		return val{n: types.Wrap(little(j.of(p)), p.typ)}
	}
	v := int64(0)
	for i := range p.field.Bits {
		if at := int(p.off)*8 + p.field.Off + i; j.whole(p)[at/8]>>(at%8)&1 != 0 {
			v |= 1 << i
		}
	}
	if last := p.field.Bits - 1; types.IsSigned(p.field.Type) && v>>last&1 != 0 {
		v |= -1 << last
	}
	return val{n: v}
}

// write makes v the value of p.
func (j *Judge) write(p part, v val) {
	if p.field.Bits == 0 {
		var full [8]byte
		binary.LittleEndian.PutUint64(full[:], uint64(v.n))
		copy(j.of(p), full[:])
		return
	}
	b := j.whole(p)
	for i := range p.field.Bits {
		at := int(p.off)*8 + p.field.Off + i
		b[at/8] = b[at/8]&^(1<<(at%8)) | byte(v.n>>i&1)<<(at%8)
	}
}

// bytesOf are the bytes of the object that x names: a variable's, or the kernel's.
func (j *Judge) bytesOf(x ast.Expr) []byte {
	if p, ok := j.own(x); ok {
		return j.of(p)
	}
	return j.look(x, j.at(x), int64(j.typ(x).Size()))
}

// assignWhole assigns a whole struct, or zeros.
func (j *Judge) assignWhole(x *ast.Assign) {
	var src []byte
	if isObject(j.typ(x.Y)) {
		src = append(src, j.bytesOf(x.Y)...)
	} else {
		src = make([]byte, j.typ(x.X).Size())
	}
	p, _ := j.own(x.X)
	copy(j.of(p), src)
}

// objectDecls declares variables that hold objects. The fields have no holes
// whose bytes nobody gives.
const objectDecls = `struct inn { int x; short y; unsigned char z; char w; };
struct obj { int64_t l; struct inn in[3]; unsigned u : 5; int b : 11; int d : 16; short s[4]; char t[8]; int m[2][3]; };
struct obj go; self struct obj so; this struct obj to; struct obj ao[int]; struct inn gi2; struct pair gp; self struct pair sp;
`

// ShowObjects traces what is in the variables of a script that hold objects.
func ShowObjects(script string) string {
	var b strings.Builder
	body := strings.TrimPrefix(script, Decls)
	for _, name := range []string{"go", "self->so"} {
		if !strings.Contains(body, name) {
			continue
		}
		for _, field := range []string{"l", "u", "b", "d", "t", "in[0].x", "in[1].y", "in[2].z", "in[2].w", "s[0]", "s[3]", "m[0][1]", "m[1][2]"} {
			fmt.Fprintf(&b, "trace(%s.%s); ", name, field)
		}
	}
	for _, name := range []string{"gp", "self->sp"} {
		if strings.Contains(body, name) {
			fmt.Fprintf(&b, "trace(%[1]s.a); trace(%[1]s.b); trace(%[1]s.low); trace(%[1]s.mid); trace(%[1]s.name); ", name)
		}
	}
	if strings.Contains(body, "gi2") {
		b.WriteString("trace(gi2.x); trace(gi2.y); trace(gi2.z); trace(gi2.w);")
	}
	return b.String()
}

// object is a variable of type struct obj.
func (m *Maker) object() string {
	return pick(m.r, "go", "self->so", "this->to", fmt.Sprintf("ao[%s]", m.small()))
}

// index is an index of an array of n elements, now and then one outside.
func (m *Maker) index(n int) string {
	if m.r.IntN(12) == 0 {
		return pick(m.r, "(arg4 & 7)", "gi", "this->tc", "arg0")
	}
	return pick(m.r, fmt.Sprint(m.r.IntN(n)), fmt.Sprintf("((unsigned)arg4 %% %d)", n), fmt.Sprintf("(tid & %d)", (n-1)&^1))
}

// field is a scalar inside of an object.
func (m *Maker) field() string {
	switch m.r.IntN(12) {
	case 0:
		return "gi2." + pick(m.r, "x", "y", "z", "w")
	case 1, 2:
		return pick(m.r, "gp", "self->sp") + "." + pick(m.r, "a", "b", "low", "mid", fmt.Sprintf("nums[%s]", m.index(4)))
	case 3, 4:
		return fmt.Sprintf("%s.in[%s].%s", m.object(), m.index(3), pick(m.r, "x", "y", "z", "w"))
	case 5:
		return fmt.Sprintf("%s.s[%s]", m.object(), m.index(4))
	case 6:
		return fmt.Sprintf("%s.t[%s]", m.object(), m.index(8))
	case 7:
		return fmt.Sprintf("%s.m[%s][%s]", m.object(), m.index(2), m.index(3))
	}
	return m.object() + "." + pick(m.r, "l", "u", "b", "d")
}

// objectStmt copies, fills or records objects.
func (m *Maker) objectStmt() string {
	inner := func() string { return pick(m.r, "gi2", fmt.Sprintf("%s.in[%s]", m.object(), m.index(3))) }
	pair := pick(m.r, "gp", "self->sp")
	switch m.r.IntN(10) {
	case 0, 1:
		return m.object() + " = " + m.object()
	case 2:
		return inner() + " = " + inner()
	case 3:
		return pair + " = " + pick(m.r, "*args[1]", "*args[1]->next", "gp", "self->sp", "*(struct pair *)arg1")
	case 4:
		return fmt.Sprintf("trace(%s)", pick(m.r, m.object()+".t", pair+".name"))
	case 5:
		return pick(m.r, "self->so", "self->sp", fmt.Sprintf("ao[%s]", m.small())) + " = 0"
	case 6:
		return fmt.Sprintf("%s %s %s", m.field(), pick(m.r, "+=", "-=", "^=", "|=", "*="), m.top())
	case 7:
		return fmt.Sprintf(pick(m.r, "%s++", "--%s"), m.field())
	}
	return fmt.Sprintf("%s = %s", m.field(), m.top())
}
