package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
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

// pathWords are the members that a walk follows, by their words in the runtime.
var pathWords = map[string]linux.Member{
	"MNTROOT":    linux.MountRoot,
	"MOUNTMNT":   linux.MountPublic,
	"MNTPARENT":  linux.MountParent,
	"MOUNTPOINT": linux.MountPoint,
	"DPARENT":    linux.DentryParent,
	"DNAME":      linux.DentryName,
}

const (
	longestName = 264 // of a part of a path, with its terminator
	longestNode = 80  // pipe:[ and a number
)

// hasFiles reports whether the kernel tells how it keeps files, and complains once if
// it does not.
func (f *fn) hasFiles(x ast.Node) bool {
	_, ok := f.offsetOf(x, linux.TaskFS)
	return ok && f.tellRuntime(x, pathWords)
}

// dPath lowers d_path(path).
func (f *fn) dPath(x *ast.Call) str {
	if !f.hasFiles(x) {
		return f.constant("")
	}
	return f.pathOf(x, f.fetched(x.Args[0], linux.PathSize), f.fsPath(x, linux.RootDir))
}

// fiPathname lowers fi_pathname(fd).
func (f *fn) fiPathname(x *ast.Call) str {
	if !f.hasFiles(x) {
		return f.constant("")
	}
	off, ok := f.offsetOf(x, linux.FilePath)
	if !ok {
		return f.constant("")
	}
	path := f.Alloca(linux.PathSize)
	f.read(kernelSpace, path, 0, f.offset(f.getf(x), off), linux.PathSize)
	return f.pathOf(x, path, f.fsPath(x, linux.RootDir))
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
		return f.pathOf(x, f.fsPath(x, linux.WorkDir), f.fsPath(x, linux.RootDir))
	}
	top := f.Alloca(linux.PathSize)
	f.zero(top, 0, linux.PathSize)
	return f.pathOf(x, f.fsPath(x, linux.RootDir), top)
}

// fsPath copies the root or the working directory of the process, a struct path. A process
// that ends has none at last, and sees everything.
func (f *fn) fsPath(x ast.Node, dir linux.Member) *ir.Value {
	buf := f.Alloca(linux.PathSize)
	off, ok := f.offsetOf(x, dir)
	fs, known := f.offsetOf(x, linux.TaskFS)
	if !ok || !known {
		f.zero(buf, 0, linux.PathSize)
		return buf
	}
	at := f.Emit(ir.Value{Op: ir.OpTaskLoad, Imm: fs, Size: 8}, f.Op(ir.OpTask))
	has, none, done := f.Block(), f.Block(), f.Block()
	f.Branch(at, has, none)
	f.Go(has)
	f.read(kernelSpace, buf, 0, f.offset(at, off), linux.PathSize)
	f.Jump(done)
	f.Go(none)
	f.zero(buf, 0, linux.PathSize)
	f.Jump(done)
	f.Go(done)
	return buf
}

// getf lowers getf(fd): the struct file that the process has open under a number, or
// 0 if it has none.
func (f *fn) getf(x *ast.Call) *ir.Value {
	files, ok := f.offsetOf(x, linux.TaskFiles)
	if !ok {
		return f.Const(0)
	}
	fd := f.as(x.Args[0], types.IntType)
	if _, ok := f.offsetOf(x, linux.OpenList); !ok {
		return fd
	}
	table := f.Emit(ir.Value{Op: ir.OpTaskLoad, Imm: files, Size: 8}, f.Op(ir.OpTask))
	has, within, none, done := f.Block(), f.Block(), f.Block(), f.Block()
	f.Branch(table, has, none) // a thread of the kernel has no files
	f.Go(has)
	fdt := f.follow(x, table, linux.OpenFiles)
	most := f.follow(x, fdt, linux.OpenMost)
	f.Branch(f.Op(ir.OpLtU, fd, most), within, none)
	f.Go(none)
	zero := f.Const(0)
	f.Jump(done)
	f.Go(within)
	list := f.follow(x, fdt, linux.OpenList)
	buf := f.Alloca(8)
	f.read(kernelSpace, buf, 0, f.Op(ir.OpAdd, list, f.Op(ir.OpShl, fd, f.Const(3))), 8)
	file := f.Load(buf, 0, 8)
	f.Jump(done)
	f.Go(done)
	return f.Phi(zero, file)
}

// pathOf spells the struct path at p, as seen from another.
func (f *fn) pathOf(x ast.Node, p, root *ir.Value) str {
	n := f.strSize()
	dst := f.Alloca(max(n+longestName, longestNode))
	dentry := f.Load(p, linux.PathName, 8)
	magic := f.follow(x, f.follow(x, dentry, linux.DentryFS), linux.FSMagic)
	done := f.Block()
	f.node(x, dst, dentry, magic, done)

	length := f.call("dpath", dst, p, root)
	f.fault(f.Op(ir.OpEq, length, f.Const(-1)), faultBadAddr, dentry)
	f.fault(f.Op(ir.OpEq, length, f.Const(-2)), faultIllop, dentry)
	lost, named, gone := f.Block(), f.Block(), f.Block()
	f.Branch(f.Op(ir.OpEq, length, f.Const(-3)), lost, named)
	f.Go(lost)
	f.Store(dst, 0, 1, f.Const('/'))
	name := f.follow(x, dentry, linux.DentryName)
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
		inode := f.follow(x, dentry, linux.DentryInode)
		number := f.follow(x, inode, linux.InodeNumber)
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
		{linux.Pipefs, func() { numbered("pipe:[") }},
		{linux.Sockfs, func() { numbered("socket:[") }},
		{linux.Anonfs, func() {
			f.putConst("anon_inode:", dst, 0, 16, false)
			name := f.follow(x, dentry, linux.DentryName)
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
	hashed := f.follow(x, dentry, linux.DentryHashed)
	parent := f.follow(x, dentry, linux.DentryParent)
	return f.Op(ir.OpAnd, f.Op(ir.OpEq, hashed, f.Const(0)), f.Op(ir.OpNe, parent, dentry))
}
