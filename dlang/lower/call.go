package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
)

// callWord lowers a call whose value is a scalar, or nothing.
func (f *fn) callWord(x *ast.Call) *ir.Value {
	name := x.Fn.Text
	if c := f.prog.Calls[x]; c != nil && c.User != nil {
		return f.userWord(x, c.User)
	} else if c != nil && c.Fn != nil {
		name = c.Fn.Name
	}
	switch name {
	case "alloca":
		return f.alloca(x)
	case "copyin":
		return f.copyin(x)
	case "copyinto":
		return f.copyinto(x)
	case "bcopy":
		return f.bcopy(x)
	case "strlen":
		return f.strlen(x)
	case "index":
		return f.indexOf(x)
	case "rindex":
		return f.rindexOf(x)
	case "strtoll":
		return f.strtoll(x)
	case "htons", "ntohs":
		return f.swap(x, 2)
	case "htonl", "ntohl":
		return f.swap(x, 4)
	case "htonll", "ntohll":
		return f.swap(x, 8)
	case "rand":
		return f.rand()
	case "speculation":
		return f.openSpec()
	case "getmajor":
		return f.getmajor(x)
	case "getminor":
		return f.getminor(x)
	case "mutex_owned":
		return f.mutexOwned(x)
	case "mutex_owner":
		return f.mutexOwner(x)
	case "mutex_type_adaptive":
		return f.mutexType(x, 1)
	case "mutex_type_spin":
		return f.mutexType(x, 0)
	case "rw_read_held":
		return f.rwlock(x, ^writerMask)
	case "rw_write_held":
		return f.rwlock(x, writerHas)
	case "rw_iswriter":
		return f.rwlock(x, writerMask)
	case "progenyof":
		return f.progenyof(x)
	}
	return f.errorf(x, "%s() is not supported yet", name)
}

// callStr lowers a call whose value is a string.
func (f *fn) callStr(x *ast.Call) str {
	name := x.Fn.Text
	if c := f.prog.Calls[x]; c != nil && c.User != nil {
		return f.userStr(x, c.User)
	} else if c != nil && c.Fn != nil {
		name = c.Fn.Name
	}
	switch name {
	case "copyinstr":
		return f.copyinstr(x)
	case "strjoin":
		return f.strjoin(x)
	case "strchr", "strrchr":
		return f.strchr(x, name)
	case "strstr":
		return f.strstr(x)
	case "substr":
		return f.substr(x)
	case "tolower", "toupper":
		return f.letters(x, name)
	case "basename":
		return f.basename(x)
	case "dirname":
		return f.dirname(x)
	case "lltostr":
		return f.lltostr(x)
	case "strtok":
		return f.strtok(x)
	case "cleanpath":
		return f.cleanpath(x)
	case "inet_ntoa":
		return f.inetNtoa(x)
	case "inet_ntoa6":
		return f.inetNtoa6(x)
	case "inet_ntop":
		return f.inetNtop(x)
	case "link_ntop":
		return f.linkNtop(x)
	}
	f.errorf(x, "%s() is not supported yet", name)
	return f.constant("")
}

// alloca gives scratch memory. A size that is not a constant is checked against
// the most that one call can give.
func (f *fn) alloca(x *ast.Call) *ir.Value {
	at, _ := f.give(x.Args[0])
	return f.Const(scratchBase + int64(at))
}

// give makes room for as many bytes as size says. The word is the size, at most
// the int.
func (f *fn) give(size ast.Expr) (at int, n sized) {
	if c, ok := f.prog.Consts[size]; ok {
		if c > 4*maxScratch || c < 0 {
			f.errorf(size, "more than %d bytes of scratch memory at once are not supported yet", 4*maxScratch)
			c = 0
		}
		return f.take(int(c)), sized{most: int(c)}
	}
	w := f.word(size)
	f.fault(f.Op(ir.OpLtU, f.Const(maxScratch), w), faultNoScratch, w)
	return f.take(maxScratch), sized{w: w, most: maxScratch}
}

// A sized is a number of bytes: a word of at most most, or, if it is nil, most.
type sized struct {
	w    *ir.Value
	most int
}

// sizeOf lowers a size that must not exceed maxScratch.
func (f *fn) sizeOf(x ast.Expr) sized {
	if c, ok := f.prog.Consts[x]; ok {
		if c > 4*maxScratch || c < 0 {
			f.errorf(x, "more than %d bytes of scratch memory at once are not supported yet", 4*maxScratch)
			c = 0
		}
		return sized{most: int(c)}
	}
	w := f.word(x)
	f.fault(f.Op(ir.OpLtU, f.Const(maxScratch), w), faultNoScratch, w)
	return sized{w: w, most: maxScratch}
}

// readSized copies n bytes from an address to dst, or leaves the clause.
func (f *fn) readSized(s space, dst *ir.Value, off int64, addr *ir.Value, from *ir.Value, n sized) {
	if n.most == 0 {
		return
	}
	user := s == userSpace
	v := ir.Value{Op: ir.OpReadK, Imm: off, Size: n.most}
	args := []*ir.Value{dst, from}
	if user {
		v.Op = ir.OpReadU
	}
	if n.w != nil {
		v.Op = map[bool]ir.Op{false: ir.OpReadKN, true: ir.OpReadUN}[user]
		args = append(args, n.w)
	}
	f.fault(f.Emit(v, args...), faultBadAddr, addr)
}

// copyin copies memory of the process to scratch memory and gives its address.
func (f *fn) copyin(x *ast.Call) *ir.Value {
	addr := f.word(x.Args[0])
	at, n := f.give(x.Args[1])
	f.readSized(userSpace, f.scratchMem(), int64(at), addr, addr, n)
	return f.Const(scratchBase + int64(at))
}

// copyinto copies memory of the process to scratch memory that exists.
func (f *fn) copyinto(x *ast.Call) *ir.Value {
	addr, n, to := f.word(x.Args[0]), f.sizeOf(x.Args[1]), f.word(x.Args[2])
	f.intoScratch(to, n, func(dst *ir.Value) { f.readSized(userSpace, dst, 0, addr, addr, n) })
	return f.Const(0)
}

// bcopy copies from the kernel or from scratch memory to scratch memory.
func (f *fn) bcopy(x *ast.Call) *ir.Value {
	s := f.spaceOf(x.Args[0])
	from, to, n := f.word(x.Args[0]), f.word(x.Args[1]), f.sizeOf(x.Args[2])
	f.intoScratch(to, n, func(dst *ir.Value) {
		if s != scratchSpace {
			f.readSized(notTask(s), dst, 0, from, from, n)
			return
		}
		f.locate(from, n.most, finding{
			here:    func(src *ir.Value) { f.readSized(kernelSpace, dst, 0, from, src, n) },
			absent:  func() {},
			nowhere: func() { f.readSized(kernelSpace, dst, 0, from, from, n) },
		})
	})
	return f.Const(0)
}

// intoScratch writes n bytes at an address that must lie in scratch memory.
func (f *fn) intoScratch(to *ir.Value, n sized, write func(dst *ir.Value)) {
	f.toScratch(to, n.most, write)
}

// copyinstr describes a string of the process.
func (f *fn) copyinstr(x *ast.Call) str {
	size := f.strLimit()
	if len(x.Args) > 1 {
		n, ok := f.prog.Consts[x.Args[1]]
		if !ok || n <= 0 {
			f.errorf(x.Args[1], "a size of copyinstr() that is no constant is not supported yet")
			n = 1
		}
		size = min(size, int(min(n, 1<<20))) // the zero byte counts
	}
	return str{kind: readStr, from: userSpace, addr: f.word(x.Args[0]), size: size}
}
