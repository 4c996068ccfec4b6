package lower

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/ir/interp"
)

// A tree is kernel memory with dentries and mounts in it.
type tree struct {
	mem  map[int64]byte
	next int64
}

// Where the structs of a tree have their members.
var treeOffsets = map[string]int{
	"MNTROOT": 8, "MOUNTMNT": 32, "MNTPARENT": 16, "MOUNTPOINT": 24, "DPARENT": 24, "DNAME": 40,
}

func (k *tree) put(at int64, w int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(w))
	for i, c := range b {
		k.mem[at+int64(i)] = c
	}
}

func (k *tree) room(n int64) int64 {
	at := k.next
	k.next += n + 64
	return at
}

// dentry makes a name in a directory; with parent 0 it is its own.
func (k *tree) dentry(name string, parent int64) int64 {
	at, text := k.room(64), k.room(int64(len(name)+1))
	for i, c := range []byte(name + "\x00") {
		k.mem[text+int64(i)] = c
	}
	if parent == 0 {
		parent = at
	}
	k.put(at+24, parent)
	k.put(at+40, text)
	return at
}

// mount makes a mount of a root, on a dentry of another mount; with no other it is its
// own. It returns the struct vfsmount within.
func (k *tree) mount(root, on, parent int64) int64 {
	at := k.room(64)
	up := at
	if parent != 0 {
		up = parent - 32
	}
	k.put(at+16, up)
	k.put(at+24, on)
	k.put(at+32+8, root)
	return at + 32
}

func structPath(mnt, dentry int64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(mnt)), uint64(dentry))
}

func pathFuncs(t *testing.T, level int) map[string]*ir.Func {
	t.Helper()
	l := &lowerer{opts: ir.Options{StrSize: size}, out: &ir.Program{}, subs: map[string]bool{"dpath": true, "progenyof": true}, offsets: treeOffsets}
	l.link()
	funcs := map[string]*ir.Func{}
	for _, f := range l.out.Funcs {
		if err := ir.Optimize(f, level, nil); err != nil {
			t.Fatal(err)
		}
		funcs[f.Name] = f
	}
	return funcs
}

// walk spells a path by dpath.
func (k *tree) walk(t *testing.T, f *ir.Func, path, root []byte) (string, int64) {
	t.Helper()
	dst := make([]byte, size+longestName)
	n, err := interp.New(&ir.Program{}).CallIn(&interp.Firing{Kernel: k.mem}, f, make([]int64, 3), [][]byte{dst, path, root})
	if err != nil {
		t.Fatal(err)
	}
	dst[size-1] = 0
	return text(dst), n
}

// TestDpath walks random trees of mounts.
func TestDpath(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, level := range []int{0, 2} {
		f := pathFuncs(t, level)["dpath"]
		for range 300 {
			k := &tree{mem: map[int64]byte{}, next: 1 << 20}
			dentry := k.dentry("/", 0)
			mnt := k.mount(dentry, dentry, 0)
			root, want := structPath(mnt, dentry), ""
			for range r.IntN(12) {
				name := strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(6))
				dentry = k.dentry(name, dentry)
				want += "/" + name
				switch r.IntN(6) {
				case 0: // something is mounted here
					top := k.dentry("/", 0)
					mnt = k.mount(top, dentry, mnt)
					dentry = top
				case 1: // the process sees no more than this
					root, want = structPath(mnt, dentry), ""
				}
			}
			if want == "" {
				want = "/"
			}
			got, n := k.walk(t, f, structPath(mnt, dentry), root)
			if got != want[:min(len(want), size-1)] || n < 1 {
				t.Fatalf("-O%d: got %q, %d, want %q", level, got, n, want)
			}
		}
	}
}

func TestDpathOdd(t *testing.T) {
	f := pathFuncs(t, 2)["dpath"]
	k := &tree{mem: map[int64]byte{}, next: 1 << 20}
	top := k.dentry("/", 0)
	mnt := k.mount(top, top, 0)
	root := structPath(mnt, top)
	deep := top
	for range 128 {
		deep = k.dentry("d", deep)
	}
	alone := k.dentry("memfd:x", 0)
	for _, tt := range []struct {
		name string
		path []byte
		want int64
	}{
		{"too many parts", structPath(mnt, k.dentry("d", deep)), -2},
		{"no address", structPath(8, 8), -1},
		{"no mount", structPath(8, deep), -1},
		{"in no directory", structPath(mnt, alone), -3},
	} {
		if got, n := k.walk(t, f, tt.path, root); n != tt.want {
			t.Errorf("%s: got %q, %d, want %d", tt.name, got, n, tt.want)
		}
	}
	if got, n := k.walk(t, f, structPath(mnt, deep), root); n < 1 || got != strings.Repeat("/d", size)[:size-1] {
		t.Errorf("128 parts: got %q, %d", got, n)
	}
	if got, n := k.walk(t, f, structPath(mnt, k.dentry("elsewhere", alone)), root); n < 1 || got != "/elsewhere" {
		t.Errorf("beside the root: got %q, %d", got, n)
	}
}

func TestProgenyof(t *testing.T) {
	const tgid, parent = 8, 16
	f := pathFuncs(t, 2)["progenyof"]
	k := &tree{mem: map[int64]byte{}}
	task := func(i int64) int64 { return 0x10000 + 64*i }
	for i := range int64(300) {
		k.put(task(i)+tgid, 1000+i)
		k.put(task(i)+parent, task(max(i-1, 0)))
	}
	k.put(task(400)+tgid, 7)
	for _, tt := range []struct{ from, pid, want int64 }{
		{3, 1003, 1}, {3, 1001, 1}, {3, 1000, 1}, {3, 1004, 0}, {3, -1, 0},
		{255, 1000, 1}, {299, 1000, -1}, // too far up
		{400, 7, 1}, {400, 8, -1}, {500, 8, -1},
	} {
		t.Run(fmt.Sprint(tt.from, tt.pid), func(t *testing.T) {
			got, err := interp.New(&ir.Program{}).CallIn(&interp.Firing{Kernel: k.mem}, f, []int64{task(tt.from), tt.pid, tgid, parent}, make([][]byte, 4))
			if err != nil || got != tt.want {
				t.Errorf("got %d, %v, want %d", got, err, tt.want)
			}
		})
	}
}
