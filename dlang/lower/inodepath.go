package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
)

// A file that only its inode tells of has as many paths as names, times the places
// where its file system is mounted. One of the names is taken, and a mount that
// shows the whole file system.

// mountsTried is how many mounts of a file system are looked at. Those that show a
// part of it, and not the name perhaps, are passed over.
const mountsTried = 6

// inodePath lowers inode_path(inode, path), inode_dir(inode, path) and
// inode_mount(inode, path): the path of an open file, if there is one, or else that of
// an inode; the directory that it is in; where its file system is mounted. Nobody keeps
// the file from being removed meanwhile: what is not there, or not any more, is <none>.
func (f *fn) inodePath(x *ast.Call, which function.ID) str {
	if !f.hasFiles(x) {
		return f.constant("")
	}
	inode, open := f.word(x.Args[0]), f.Const(0)
	if len(x.Args) > 1 {
		open = f.word(x.Args[1])
	}
	path, root, dst, size := f.Alloca(linux.PathSize), f.fsPath(x, linux.RootDir), f.fresh(), f.strSize()
	none, done := f.Block(), f.Block()
	f.inodeOrOpen(x, path, inode, open, none)
	f.orElse(none, func() {
		if which == function.InodeMount {
			f.toMount(x, path, none)
		}
		s := f.pathOf(x, path, root)
		if which == function.InodeDir {
			s = f.dirOf(f.full(s, size))
		}
		f.putStr(s, dst, 0, size, false)
	})
	f.Jump(done)
	f.Go(none)
	f.putConst("<none>", dst, 0, size, false)
	f.Jump(done)
	f.Go(done)
	return f.inMemory(dst)
}

// inodeOrOpen fills in the struct path at path: that at open, if there is one, or one
// for an inode, which is a fault if nothing lies there.
func (f *fn) inodeOrOpen(x ast.Node, path, inode, open *ir.Value, none *ir.Block) {
	known, bare, done := f.Block(), f.Block(), f.Block()
	f.Branch(open, known, bare)
	f.Go(known)
	f.read(kernelSpace, path, 0, open, linux.PathSize)
	f.Jump(done)
	f.Go(bare)
	first := f.follow(x, inode, linux.InodeNames)
	f.orElse(none, func() { f.findPath(x, path, inode, first) })
	f.Jump(done)
	f.Go(done)
}

// findPath fills in the struct path at path for an inode whose first name is known.
func (f *fn) findPath(x ast.Node, path, inode, first *ir.Value) {
	f.fault(f.Op(ir.OpEq, first, f.Const(0)), faultBadAddr, inode)
	alias, ok := f.offsetOf(x, linux.DentryAlias)
	mnt, ok2 := f.offsetOf(x, linux.MountPublic)
	if !ok || !ok2 {
		f.zero(path, 0, linux.PathSize)
		return
	}
	f.Store(path, 0, 8, f.Op(ir.OpAdd, f.mountOf(x, f.follow(x, inode, linux.InodeFS)), f.Const(mnt)))
	f.Store(path, linux.PathName, 8, f.Op(ir.OpSub, first, f.Const(alias)))
}

// toMount makes of the struct path at path that of where its file system is mounted,
// or goes on at none: the kernel has mounts of its own, which are nowhere, and files
// may be open on what has been unmounted.
func (f *fn) toMount(x ast.Node, path *ir.Value, none *ir.Block) {
	mnt, _ := f.offsetOf(x, linux.MountPublic)
	at := f.Load(path, 0, 8)
	space := f.follow(x, f.Op(ir.OpSub, at, f.Const(mnt)), linux.MountSpace)
	somewhere := f.Block()
	f.Branch(f.Op(ir.OpLtU, f.Op(ir.OpAdd, space, f.Const(linux.Errors)), f.Const(linux.Errors+1)), none, somewhere)
	f.Go(somewhere)
	f.Store(path, linux.PathName, 8, f.follow(x, at, linux.MountRoot))
}

// mountOf returns a mount of a file system: one that shows its root, if one of the
// first few does.
func (f *fn) mountOf(x ast.Node, sb *ir.Value) *ir.Value {
	at := f.follow(x, sb, linux.FSMounts)
	back := int64(0)
	if f.target.HasOlder(linux.MountNext) { // which leads from one struct list_head to the next
		back, _ = f.offsetOf(x, linux.MountNext)
	}
	root := f.follow(x, sb, linux.FSRoot)
	mount := func() *ir.Value { return f.Op(ir.OpSub, at, f.Const(back)) }
	var found []*ir.Value
	done := f.Block()
	for range mountsTried - 1 {
		other := f.Block()
		shown := f.follow(x, mount(), linux.MountShown)
		found = append(found, mount())
		f.Branch(f.Op(ir.OpEq, shown, root), done, other)
		f.Go(other)
		more := f.follow(x, mount(), linux.MountNext)
		last := f.Block()
		found = append(found, mount())
		f.Branch(f.Op(ir.OpEq, more, f.Const(0)), done, last)
		f.Go(last)
		at = more
	}
	found = append(found, mount())
	f.Jump(done)
	f.Go(done)
	return f.Phi(found...)
}
