package lower

import (
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/types"
)

// A file that only its inode tells of has as many paths as names, times the places
// where its file system is mounted. One of the names is taken, and a mount that
// shows the whole file system.

// mountsTried is how many mounts of a file system are looked at. Those that show a
// part of it, and not the name perhaps, are passed over.
const mountsTried = 6

// inodePath lowers inode_path(inode, path): the path of an open file, if there is
// one, or else that of an inode. An inode without a name is a fault.
func (f *fn) inodePath(x *ast.Call) str {
	if !f.hasFiles(x) {
		return f.constant("")
	}
	path := f.Alloca(16)
	if len(x.Args) < 2 {
		f.findPath(x, path, f.word(x.Args[0]))
		return f.pathOf(x, path, f.fsPath(x, "root"))
	}
	known := f.word(x.Args[1])
	open, bare, done := f.Block(), f.Block(), f.Block()
	f.Branch(known, open, bare)
	f.Go(open)
	f.read(kernelSpace, path, 0, known, 16)
	f.Jump(done)
	f.Go(bare)
	f.findPath(x, path, f.word(x.Args[0]))
	f.Jump(done)
	f.Go(done)
	return f.pathOf(x, path, f.fsPath(x, "root"))
}

// findPath fills in the struct path at path for an inode.
func (f *fn) findPath(x ast.Node, path, inode *ir.Value) {
	first := f.follow(x, inode, "inode", "i_dentry", 8)
	f.fault(f.Op(ir.OpEq, first, f.Const(0)), faultBadAddr, inode)
	alias, ok := f.offsetOf(x, "dentry", "d_u")
	mnt, ok2 := f.offsetOf(x, "mount", "mnt")
	if !ok || !ok2 {
		f.zero(path, 0, 16)
		return
	}
	f.Store(path, 0, 8, f.Op(ir.OpAdd, f.mountOf(x, f.follow(x, inode, "inode", "i_sb", 8)), f.Const(mnt)))
	f.Store(path, 8, 8, f.Op(ir.OpSub, first, f.Const(alias)))
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
