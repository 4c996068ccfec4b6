package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
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
	case "copyout":
		return f.copyout(x)
	case "copyoutstr":
		return f.copyoutstr(x)
	case "getf":
		return f.getf(x)
	case "addr_kind":
		return f.addrKind(x)
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
	case "json":
		return f.json(x)
	case "d_path":
		return f.dPath(x)
	case "inode_path", "inode_dir", "inode_mount":
		return f.inodePath(x, name)
	case "fi_pathname":
		return f.fiPathname(x)
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

// alloca gives scratch memory, in which all is zero.
func (f *fn) alloca(x *ast.Call) *ir.Value {
	_, addr := f.take(f.sizeOf(x.Args[0], faultNoScratch), true)
	return addr
}

// A sized is a number of bytes: a word of at most most, or, if it is nil, most.
type sized struct {
	w    *ir.Value
	most int
}

// sizeOf lowers a size, which must not exceed what there is of scratch memory.
func (f *fn) sizeOf(x ast.Expr, kind int64) sized {
	limit := f.scratchLimit()
	if c, ok := f.prog.Consts[x]; ok {
		if c > int64(limit) || c < 0 {
			f.fault(f.Const(1), kind, f.Const(c))
			c = 0
		}
		return sized{most: int(c)}
	}
	w := f.word(x)
	f.fault(f.Op(ir.OpLtU, f.Const(int64(limit)), w), kind, w)
	return sized{w: w, most: limit}
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
	status := f.Emit(v, args...)
	if from.Type() != ir.Ptr { // memory of the program is there
		f.fault(status, faultBadAddr, addr)
	}
}

// copyin copies memory of the process to scratch memory and gives its address.
func (f *fn) copyin(x *ast.Call) *ir.Value {
	from := f.word(x.Args[0])
	n := f.sizeOf(x.Args[1], faultNoScratch)
	p, addr := f.take(n, false)
	f.readSized(userSpace, p, 0, from, from, n)
	return addr
}

// copyinto copies memory of the process to scratch memory that exists.
func (f *fn) copyinto(x *ast.Call) *ir.Value {
	addr, n, to := f.word(x.Args[0]), f.sizeOf(x.Args[1], faultBadSize), f.word(x.Args[2])
	f.intoScratch(to, n, func(dst *ir.Value) { f.readSized(userSpace, dst, 0, addr, addr, n) })
	return f.Const(0)
}

// bcopy copies a string, or from the kernel, or from scratch memory, to scratch
// memory.
func (f *fn) bcopy(x *ast.Call) *ir.Value {
	if types.IsString(f.typeOf(x.Args[0])) {
		return f.bcopyStr(x)
	}
	s := f.spaceOf(x.Args[0])
	from, to, n := f.word(x.Args[0]), f.word(x.Args[1]), f.sizeOf(x.Args[2], faultBadSize)
	f.intoScratch(to, n, func(dst *ir.Value) {
		if s != scratchSpace {
			f.readSized(notTask(s), dst, 0, from, from, n)
			return
		}
		f.locate(from, n, finding{
			here:    func(src *ir.Value) { f.readSized(kernelSpace, dst, 0, from, src, n) },
			absent:  func() { f.readSized(kernelSpace, dst, 0, from, f.zeros(n.most), n) },
			nowhere: func() { f.readSized(kernelSpace, dst, 0, from, from, n) },
		})
	})
	return f.Const(0)
}

// bcopyStr copies the bytes of a string, and zeros behind them.
func (f *fn) bcopyStr(x *ast.Call) *ir.Value {
	buf := f.padded(x.Args[0])
	to := f.word(x.Args[1])
	n := f.withinStr(f.sizeOf(x.Args[2], faultBadSize))
	f.intoScratch(to, n, func(dst *ir.Value) { f.readSized(kernelSpace, dst, 0, to, buf, n) })
	return f.Const(0)
}

// padded copies a string to memory, with zeros behind it.
func (f *fn) padded(x ast.Expr) *ir.Value {
	buf := f.fresh()
	f.putStr(f.str(x), buf, 0, f.strSize(), true)
	return buf
}

// withinStr is n, which must not exceed the memory of a string.
func (f *fn) withinStr(n sized) sized {
	size := f.strSize()
	if n.most <= size {
		return n
	}
	w := f.size(n)
	f.fault(f.Op(ir.OpLtU, f.Const(int64(size)), w), faultBadSize, w)
	return sized{w: n.w, most: size}
}

// intoScratch writes n bytes at an address that must lie in scratch memory.
func (f *fn) intoScratch(to *ir.Value, n sized, write func(dst *ir.Value)) {
	f.toScratch(to, n, write)
}

// copyinstr describes a string of the process, of as many characters as any other. A
// size that the script gives counts the zero byte, and is at most what sizeof (string)
// says.
func (f *fn) copyinstr(x *ast.Call) str {
	size := f.strLimit()
	if len(x.Args) < 2 {
		return str{kind: readStr, from: userSpace, addr: f.word(x.Args[0]), size: size}
	}
	if f.opts.CopyStr > 0 {
		size = min(size, f.opts.CopyStr)
	}
	if n, ok := f.prog.Consts[x.Args[1]]; ok && 0 < n {
		return str{kind: readStr, from: userSpace, addr: f.word(x.Args[0]), size: int(min(n, int64(size)))}
	}
	addr, n := f.word(x.Args[0]), f.word(x.Args[1])
	s := f.memory(str{kind: readStr, from: userSpace, addr: addr, size: size})
	f.fault(f.Op(ir.OpEq, n, f.Const(0)), faultBadSize, n)
	last := f.Emit(ir.Value{Op: ir.OpBound, Imm: int64(size)}, f.Op(ir.OpSub, n, f.Const(1)))
	f.Store(f.Op(ir.OpAdd, s.ptr, last), 0, 1, f.Const(0))
	return s
}
