package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
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
	path, root, dst, size := f.Alloca(16), f.fsPath(x, "root"), f.fresh(), f.strSize()
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
	f.read(kernelSpace, path, 0, open, 16)
	f.Jump(done)
	f.Go(bare)
	first := f.follow(x, inode, "inode", "i_dentry", 8)
	f.orElse(none, func() { f.findPath(x, path, inode, first) })
	f.Jump(done)
	f.Go(done)
}

// findPath fills in the struct path at path for an inode whose first name is known.
func (f *fn) findPath(x ast.Node, path, inode, first *ir.Value) {
	f.fault(f.Op(ir.OpEq, first, f.Const(0)), faultBadAddr, inode)
	alias, ok := f.offsetOf(x, "dentry", f.aliasMember())
	mnt, ok2 := f.offsetOf(x, "mount", "mnt")
	if !ok || !ok2 {
		f.zero(path, 0, 16)
		return
	}
	f.Store(path, 0, 8, f.Op(ir.OpAdd, f.mountOf(x, f.follow(x, inode, "inode", "i_sb", 8)), f.Const(mnt)))
	f.Store(path, 8, 8, f.Op(ir.OpSub, first, f.Const(alias)))
}

// aliasMember is the member of struct dentry by which an inode lists its names. Kernels
// before 7.2 have it in a union with a name.
func (f *fn) aliasMember() string {
	if f.target.Struct != nil {
		if s := f.target.Struct("dentry"); s != nil {
			if _, ok := s.Member("d_alias"); ok {
				return "d_alias"
			}
		}
	}
	return "d_u"
}

// toMount makes of the struct path at path that of where its file system is mounted,
// or goes on at none: the kernel has mounts of its own, which are nowhere, and files
// may be open on what has been unmounted.
func (f *fn) toMount(x ast.Node, path *ir.Value, none *ir.Block) {
	const errors = 4096 // the highest addresses are not of memory, but numbers of errors
	mnt, _ := f.offsetOf(x, "mount", "mnt")
	at := f.Load(path, 0, 8)
	space := f.follow(x, f.Op(ir.OpSub, at, f.Const(mnt)), "mount", "mnt_ns", 8)
	somewhere := f.Block()
	f.Branch(f.Op(ir.OpLtU, f.Op(ir.OpAdd, space, f.Const(errors)), f.Const(errors+1)), none, somewhere)
	f.Go(somewhere)
	f.Store(path, 8, 8, f.follow(x, at, "vfsmount", "mnt_root", 8))
}

// orElse calls do, which makes what goes on at other where the clause would have ended
// with a fault.
func (f *fn) orElse(other *ir.Block, do func()) {
	was := f.other
	f.other = other
	do()
	f.other = was
}

// mountOf returns a mount of a file system: one that shows its root, if one of the
// first few does.
func (f *fn) mountOf(x ast.Node, sb *ir.Value) *ir.Value {
	at := f.follow(x, sb, "super_block", "s_mounts", 8)
	next, back := "mnt_next_for_sb", int64(0)
	if f.listsMounts() { // kernels before 6.18 chain them by struct list_head
		next = "mnt_instance"
		back, _ = f.offsetOf(x, "mount", next)
	}
	root := f.follow(x, sb, "super_block", "s_root", 8)
	mount := func() *ir.Value { return f.Op(ir.OpSub, at, f.Const(back)) }
	var found []*ir.Value
	done := f.Block()
	for range mountsTried - 1 {
		other := f.Block()
		shown := f.follow(x, mount(), "mount", "mnt.mnt_root", 8)
		found = append(found, mount())
		f.Branch(f.Op(ir.OpEq, shown, root), done, other)
		f.Go(other)
		more := f.follow(x, mount(), "mount", next, 8)
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

// listsMounts reports whether super_block.s_mounts is the head of a list, and not a
// pointer.
func (f *fn) listsMounts() bool {
	if f.target.Struct == nil {
		return false
	}
	s := f.target.Struct("super_block")
	if s == nil {
		return false
	}
	m, ok := s.Member("s_mounts")
	return ok && !types.IsPointer(m.Type)
}
