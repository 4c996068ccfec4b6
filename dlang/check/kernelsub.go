package check

import (
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/types"
)

// kernelSubs are the subroutines that look at structures of the kernel or of the
// network. Those that take a pointer want it to point to what they read, or to
// void.
func kernelSubs() []signature {
	str, i, dev := types.StrType, types.IntType, types.UInt32
	sub := func(name string, result types.Type, proto, help string, behind string, params ...want) signature {
		return signature{Function: Function{Name: name}, result: result, params: params, min: 1, proto: proto, help: help, behind: behind}
	}
	list := []signature{
		sub("addr_kind", i, "addr_kind(addr)", "gives the number below 8 that the probe has added to an address to say what lies there; known when the script is compiled", "", wantAddr),
		sub("d_path", str, "d_path(struct path *path)", "gives the path of a file", "struct path", wantPtr),
		sub("fi_pathname", str, "fi_pathname(int fd)", "gives the path of a file that the process has open", "", wantInt),
		sub("getf", types.VoidPtr, "getf(int fd)", "gives the struct file * that the process has open, or 0", "", wantInt),
		sub("getmajor", dev, "getmajor(dev_t)", "gives the number of the driver of a device", "", wantInt),
		sub("getminor", dev, "getminor(dev_t)", "gives the number of a device at its driver", "", wantInt),
		sub("inet_ntoa", str, "inet_ntoa(ipaddr_t *addr)", "spells an IPv4 address", "ipaddr_t", wantPtr),
		sub("inet_ntoa6", str, "inet_ntoa6(struct in6_addr *addr[, int strict])", "spells an IPv6 address", "struct in6_addr", wantPtr, wantInt),
		sub("inet_ntop", str, "inet_ntop(int family, void *addr)", "spells an address of a family", "", wantInt, wantPtr),
		sub("inode_dir", str, "inode_dir(struct inode *inode[, struct path *path])", "gives the directory that inode_path() is in", "struct inode", wantPtr, wantPtr),
		sub("inode_mount", str, "inode_mount(struct inode *inode[, struct path *path])", "gives the path where the file system of inode_path() is mounted", "struct inode", wantPtr, wantPtr),
		sub("inode_path", str, "inode_path(struct inode *inode[, struct path *path])", "gives a path of the file of an inode, or the one that is known; <none> if it has no name any more", "struct inode", wantPtr, wantPtr),
		sub("link_ntop", str, "link_ntop(int type, void *addr)", "spells the address of a network card", "", wantInt, wantPtr),
		sub("mutex_owned", i, "mutex_owned(struct mutex *m)", "says whether this thread has a mutex", "struct mutex", wantPtr),
		sub("mutex_owner", types.VoidPtr, "mutex_owner(struct mutex *m)", "gives the thread that has a mutex", "struct mutex", wantPtr),
		sub("mutex_type_adaptive", i, "mutex_type_adaptive(struct mutex *m)", "says whether a mutex may sleep: 1", "struct mutex", wantPtr),
		sub("mutex_type_spin", i, "mutex_type_spin(struct mutex *m)", "says whether a mutex only spins: 0", "struct mutex", wantPtr),
		sub("progenyof", i, "progenyof(pid_t pid)", "says whether the process is pid or descends from it", "", wantInt),
		sub("rw_iswriter", i, "rw_iswriter(rwlock_t *l)", "says whether a writer has a lock or waits for it", "rwlock_t", wantPtr),
		sub("rw_read_held", i, "rw_read_held(rwlock_t *l)", "says whether readers have a lock", "rwlock_t", wantPtr),
		sub("rw_write_held", i, "rw_write_held(rwlock_t *l)", "says whether a writer has a lock", "rwlock_t", wantPtr),
	}
	for i := range list {
		if list[i].Name == "inet_ntop" || list[i].Name == "link_ntop" {
			list[i].min = 2
		}
	}
	for _, out := range []signature{
		sub("copyout", nil, "copyout(void *from, addr, size_t size)", "writes memory of the process", "", wantPtr, wantAddr, wantInt),
		sub("copyoutstr", nil, "copyoutstr(string s, addr, size_t max)", "writes a string to memory of the process", "", wantString, wantAddr, wantInt),
	} {
		out.min, out.destructive = 3, true
		list = append(list, out)
	}
	return list
}

// behind checks that the first argument points to what the subroutine reads.
func (c *checker) behind(p *pending) {
	want := p.sig.behind
	if want == "" || len(p.args) == 0 || c.isZero(p.ast.Args[0]) {
		return
	}
	elem := types.Elem(p.args[0])
	if elem == nil || types.IsVoid(elem) || pointsTo(elem, want) {
		return
	}
	c.errorf(p.ast.Args[0], diag.ProtoArg, "argument 1 of %s() must point to %s, not to %s", p.sig.Name, want, elem).
		Suggest("(%s *)%s", want, c.text(p.ast.Args[0]))
}

// pointsTo reports whether t is what the word want says. An address of IPv4 may be
// any number of its size, or the struct that holds it. rwlock_t is what the kernel's
// header calls a struct that has no other name.
func pointsTo(t types.Type, want string) bool {
	s, isStruct := types.Resolve(t).(*types.Struct)
	switch want {
	case "ipaddr_t":
		return types.IsInteger(t) && t.Size() == 4 || isStruct && s.Tag == "in_addr"
	case "rwlock_t":
		return isStruct && (s.Tag == "" || s.Tag == "rwlock")
	}
	return isStruct && s.String() == want
}

// strict checks the second argument of inet_ntoa6().
func (c *checker) strict(p *pending) {
	if len(p.ast.Args) < 2 {
		return
	}
	if _, ok := c.prog.Consts[p.ast.Args[1]]; !ok {
		c.errorf(p.ast.Args[1], diag.ProtoArg, "argument 2 of inet_ntoa6() must be a constant").
			Suggest("inet_ntoa6(addr, 1) spells ::ffff:1.2.3.4 in full")
	}
}

// pointerTo is a pointer to a struct of the kernel, or to void where that is not
// known.
func (c *checker) pointerTo(tag string) types.Type {
	t, err := c.lookupType("struct", "", tag)
	if err != nil {
		return types.VoidPtr
	}
	return &types.Pointer{Elem: t}
}
