package lower

import (
	"maps"
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

func pathHooks(h *hooks) {
	h.str[function.DPath] = (*fn).dPath
	h.str[function.FiPathname] = (*fn).fiPathname
	h.word[function.Getf] = (*fn).getf
	for _, id := range []function.ID{function.InodePath, function.InodeDir, function.InodeMount} {
		h.str[id] = func(f *fn, x *ast.Call) str { return f.inodePath(x, id) }
	}
}

// Paths of files. The kernel has a helper that spells one, but lets it be called
// from a handful of hooks only, so the way from a name to the root is walked here,
// through the mounts, as d_path() of the kernel does (fs/d_path.c). What changes
// meanwhile may make that a path that never was; a read that fails is a fault.

// fsFields are the members of the kernel's structs that a walk follows, by their
// words in the runtime.
var fsFields = map[string]struct{ of, member string }{
	"MNTROOT":    {"vfsmount", "mnt_root"},
	"MOUNTMNT":   {"mount", "mnt"},
	"MNTPARENT":  {"mount", "mnt_parent"},
	"MOUNTPOINT": {"mount", "mnt_mountpoint"},
	"DPARENT":    {"dentry", "d_parent"},
	"DNAME":      {"dentry", "d_name.name"},
}

// The magic numbers of file systems whose files have no path but a number, or are
// all called the same (linux/magic.h).
const (
	pipefs = 0x50495045
	sockfs = 0x534f434b
	anonfs = 0x09041934
)

const (
	longestName = 264 // of a part of a path, with its terminator
	longestNode = 80  // pipe:[ and a number
)

// offsetOf returns where a struct of the kernel has a member, in bytes, or complains.
// The member may be one of a member: d_name.name.
func (f *fn) offsetOf(x ast.Node, of, member string) (int64, bool) {
	off := 0
	var s *types.Struct
	if f.target.Struct != nil {
		s = f.target.Struct(of)
	}
	for name := range strings.SplitSeq(member, ".") {
		var m types.Field
		ok := s != nil
		if ok {
			m, ok = s.Member(name)
		}
		if !ok {
			f.untold(x, "struct %s keeps %s: it has no BTF", of, member)
			return 0, false
		}
		off += m.Off / 8
		s, _ = types.Resolve(m.Type).(*types.Struct)
	}
	return int64(off), true
}

// follow reads the member of a struct of the kernel that lies at an address, or
// leaves the clause.
func (f *fn) follow(x ast.Node, addr *ir.Value, of, member string, size int) *ir.Value {
	off, ok := f.offsetOf(x, of, member)
	if !ok {
		return f.Const(0)
	}
	buf := f.Alloca(8)
	f.read(kernelSpace, buf, 0, f.offset(addr, off), size)
	return f.Load(buf, 0, size)
}

// hasFiles reports whether the kernel tells how it keeps files, and complains once if
// it does not. It tells the runtime where the members are that that asks for.
func (f *fn) hasFiles(x ast.Node) bool {
	if _, ok := f.taskMember(x, "fs"); !ok {
		return false
	}
	for _, word := range slices.Sorted(maps.Keys(fsFields)) {
		off, ok := f.offsetOf(x, fsFields[word].of, fsFields[word].member)
		if !ok {
			return false
		}
		f.offsets[word] = int(off)
	}
	return true
}

// dPath lowers d_path(path).
func (f *fn) dPath(x *ast.Call) str {
	if !f.hasFiles(x) {
		return f.constant("")
	}
	return f.pathOf(x, f.fetched(x.Args[0], 16), f.fsPath(x, "root"))
}

// fiPathname lowers fi_pathname(fd).
func (f *fn) fiPathname(x *ast.Call) str {
	if !f.hasFiles(x) {
		return f.constant("")
	}
	off, ok := f.offsetOf(x, "file", "f_path")
	if !ok {
		return f.constant("")
	}
	path := f.Alloca(16)
	f.read(kernelSpace, path, 0, f.offset(f.getf(x), off), 16)
	return f.pathOf(x, path, f.fsPath(x, "root"))
}

// workDir is the working directory of the process, or its root directory as a
// process sees it that has another.
func (f *fn) workDir(x ast.Expr, name string) (s str) {
	f.ours("the process", func() { s = f.workDirOf(x, name) })
	return s
}

func (f *fn) workDirOf(x ast.Expr, name string) str {
	if !f.hasFiles(x) {
		return f.constant("")
	}
	if name == "cwd" {
		return f.pathOf(x, f.fsPath(x, "pwd"), f.fsPath(x, "root"))
	}
	top := f.Alloca(16)
	f.zero(top, 0, 16)
	return f.pathOf(x, f.fsPath(x, "root"), top)
}

// fsPath copies the struct path of the process that struct fs_struct keeps as name. A
// process that ends has none at last, and sees everything.
func (f *fn) fsPath(x ast.Node, name string) *ir.Value {
	buf := f.Alloca(16)
	off, ok := f.offsetOf(x, "fs_struct", name)
	fs, known := f.taskMember(x, "fs")
	if !ok || !known {
		f.zero(buf, 0, 16)
		return buf
	}
	at := f.Emit(ir.Value{Op: ir.OpTaskLoad, Imm: fs, Size: 8}, f.Op(ir.OpTask))
	has, none, done := f.Block(), f.Block(), f.Block()
	f.Branch(at, has, none)
	f.Go(has)
	f.read(kernelSpace, buf, 0, f.offset(at, off), 16)
	f.Jump(done)
	f.Go(none)
	f.zero(buf, 0, 16)
	f.Jump(done)
	f.Go(done)
	return buf
}

// getf lowers getf(fd): the struct file that the process has open under a number, or
// 0 if it has none.
func (f *fn) getf(x *ast.Call) *ir.Value {
	files, ok := f.taskMember(x, "files")
	if !ok {
		return f.Const(0)
	}
	fd := f.as(x.Args[0], types.IntType)
	if _, ok := f.offsetOf(x, "fdtable", "fd"); !ok {
		return fd
	}
	table := f.Emit(ir.Value{Op: ir.OpTaskLoad, Imm: files, Size: 8}, f.Op(ir.OpTask))
	has, within, none, done := f.Block(), f.Block(), f.Block(), f.Block()
	f.Branch(table, has, none) // a thread of the kernel has no files
	f.Go(has)
	fdt := f.follow(x, table, "files_struct", "fdt", 8)
	most := f.follow(x, fdt, "fdtable", "max_fds", 4)
	f.Branch(f.Op(ir.OpLtU, fd, most), within, none)
	f.Go(none)
	zero := f.Const(0)
	f.Jump(done)
	f.Go(within)
	list := f.follow(x, fdt, "fdtable", "fd", 8)
	buf := f.Alloca(8)
	f.read(kernelSpace, buf, 0, f.Op(ir.OpAdd, list, f.Op(ir.OpShl, fd, f.Const(3))), 8)
	file := f.Load(buf, 0, 8)
	f.Jump(done)
	f.Go(done)
	return f.Phi(zero, file)
}

// pathOf spells the struct path in the 16 bytes at p, as seen from another.
func (f *fn) pathOf(x ast.Node, p, root *ir.Value) str {
	n := f.strSize()
	dst := f.Alloca(max(n+longestName, longestNode))
	dentry := f.Load(p, 8, 8)
	magic := f.follow(x, f.follow(x, dentry, "dentry", "d_sb", 8), "super_block", "s_magic", 8)
	done := f.Block()
	f.node(x, dst, dentry, magic, done)

	length := f.call("dpath", dst, p, root)
	f.fault(f.Op(ir.OpEq, length, f.Const(-1)), faultBadAddr, dentry)
	f.fault(f.Op(ir.OpEq, length, f.Const(-2)), faultIllop, dentry)
	lost, named, gone := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpEq, length, f.Const(-3)), lost, named)
	f.Go(lost)
	f.Store(dst, 0, 1, f.Const('/'))
	name := f.follow(x, dentry, "dentry", "d_name.name", 8)
	got := f.copyStr(f.offset(dst, 1), name, longestName-8)
	f.fault(f.Op(ir.OpLtS, got, f.Const(0)), faultBadAddr, name)
	f.append(dst, got, " (deleted)")
	f.Jump(done)
	f.Go(named)
	f.Branch(f.isGone(x, dentry), gone, done)
	f.Go(gone)
	f.append(dst, length, " (deleted)")
	f.Jump(done)
	f.Go(done)
	f.Store(dst, int64(n-1), 1, f.Const(0))
	return f.inMemory(dst)
}

// append writes text at a place of the string at dst.
func (f *fn) append(dst, at *ir.Value, text string) {
	more := f.Alloca(16)
	f.putConst(text, more, 0, 16, false)
	f.copyStr(f.bounded(dst, at, f.strSize()), more, 16)
}

// node spells what has no path: pipes, sockets, and files without a name. It goes
// on in a block where there is one.
func (f *fn) node(x ast.Node, dst, dentry, magic *ir.Value, done *ir.Block) {
	numbered := func(what string) {
		inode := f.follow(x, dentry, "dentry", "d_inode", 8)
		number := f.follow(x, inode, "inode", "i_ino", 8)
		digits := f.Alloca(72)
		f.run("lltostr", digits, number, f.Const(10))
		f.putConst(what, dst, 0, 16, false)
		got := f.copyStr(f.offset(dst, int64(len(what))), digits, 24)
		f.Store(f.bounded(dst, f.Op(ir.OpAdd, got, f.Const(int64(len(what)-1))), 64), 0, 2, f.Const(']'))
	}
	for _, kind := range []struct {
		magic int64
		spell func()
	}{
		{pipefs, func() { numbered("pipe:[") }},
		{sockfs, func() { numbered("socket:[") }},
		{anonfs, func() {
			f.putConst("anon_inode:", dst, 0, 16, false)
			name := f.follow(x, dentry, "dentry", "d_name.name", 8)
			got := f.copyStr(f.offset(dst, int64(len("anon_inode:"))), name, 64)
			f.fault(f.Op(ir.OpLtS, got, f.Const(0)), faultBadAddr, name)
		}},
	} {
		yes, no := f.Block(), f.Block()
		f.Branch(f.Op(ir.OpEq, magic, f.Const(kind.magic)), yes, no)
		f.Go(yes)
		kind.spell()
		f.Jump(done)
		f.Go(no)
	}
}

// isGone is a word that is not 0 if the file of a path has been removed: it is in no
// directory any more, and is not one where a file system begins.
func (f *fn) isGone(x ast.Node, dentry *ir.Value) *ir.Value {
	hashed := f.follow(x, dentry, "dentry", "d_hash.pprev", 8)
	parent := f.follow(x, dentry, "dentry", "d_parent", 8)
	return f.Op(ir.OpAnd, f.Op(ir.OpEq, hashed, f.Const(0)), f.Op(ir.OpNe, parent, dentry))
}
