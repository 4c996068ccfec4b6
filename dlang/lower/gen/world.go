package gen

import (
	"encoding/binary"
	"math/rand/v2"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/ir/interp"
)

// A Shot is one firing of one probe of the made-up machine.
type Shot struct {
	Hook string
	Site int // in Sites(Hook)
	Facts
}

// Facts are what a firing sees.
type Facts struct {
	Args      [10]int64
	PID, TID  int32
	Start     uint64 // when the thread started
	Comm      string
	Timestamp int64
	At        int64    // address of the current task_struct
	Inner     [56]byte // curthread->inner, a struct pair
	Parent    int64    // address of the task_struct of the parent
	Pair      int64    // curthread->pair
	MM        int64    // curthread->mm
	CPU       int64
	UID       int64
	Errno     int64
}

// Addresses of the machine's memory. What lies elsewhere is bad.
const (
	taskAddr   = 0x7f00_0000_1000
	parentAddr = 0x7f00_0000_2000
	pairAddr   = 0x7f00_0000_3000 // two struct pairs, the second after the first; see Data
	mmAddr     = 0x7f00_0000_5000 // three struct mm_structs
	userAddr   = 0x0000_5555_0000 // strings of the process, 32 bytes apart
	argsAddr   = 0x0000_7777_0000 // the arguments of the process

	textOff = 0x80 // of a string of the kernel from the pairs
)

var userTexts = []string{"/etc/passwd", "", "dd", "/usr//lib/", "a,b,c", "12ab", "-0x7f", "read"}

// args are the arguments of the process, and ends where the mm_structs say that
// they end.
const args = "ls\x00-l\x00/usr/share/doc/a_long_name/another_long_name/the_last_long_name\x00"

var ends = []int64{6, int64(len(args)), 1 << 20}

// Kernel returns the kernel's memory by address, without the current task.
func Kernel() map[int64]byte {
	mem := map[int64]byte{}
	put := func(addr int64, b []byte) {
		for i, c := range b {
			mem[addr+int64(i)] = c
		}
	}
	parent := make([]byte, 128)
	binary.LittleEndian.PutUint32(parent[8:], 71)
	binary.LittleEndian.PutUint32(parent[12:], 70)
	copy(parent[32:], "parent")
	put(parentAddr, parent)
	put(pairAddr, Data(pairAddr))
	for i, end := range ends {
		mm := make([]byte, 24)
		binary.LittleEndian.PutUint64(mm[8:], argsAddr)
		binary.LittleEndian.PutUint64(mm[16:], uint64(argsAddr+end))
		if i == len(ends)-1 {
			binary.LittleEndian.PutUint64(mm[8:], 0x10) // not in memory
		}
		put(mmAddr+24*int64(i), mm)
	}
	return mem
}

// DataSize is the size of Data.
const DataSize = 0x100

// Data returns the kernel's memory that arguments lead to, as it is at addr: two
// struct pairs, and a string.
func Data(addr int64) []byte {
	mem := make([]byte, DataSize)
	for i := range int64(2) {
		pair := mem[56*i:]
		binary.LittleEndian.PutUint32(pair, uint32(int32(-5-i)))
		binary.LittleEndian.PutUint64(pair[8:], uint64(1<<40+i))
		binary.LittleEndian.PutUint64(pair[16:], uint64((addr+56)*(1-i))) // the last has a null pointer
		copy(pair[24:32], []string{"eightchr", "two"}[i])
		binary.LittleEndian.PutUint32(pair[32:], 0x9d|0x40*uint32(i))
		binary.LittleEndian.PutUint64(pair[40:], uint64(addr+textOff+i))
		for k := range 4 {
			binary.LittleEndian.PutUint16(pair[48+2*k:], uint16(k*1000)-uint16(i))
		}
	}
	copy(mem[textOff:], "kernel text")
	return mem
}

// Move makes s a firing on a machine that has Data at addr.
func (s *Shot) Move(addr int64) {
	if s.Args[1] != 0 {
		s.Args[1] += addr - pairAddr
	}
}

// User returns the memory of the process by address.
func User() map[int64]byte {
	mem := map[int64]byte{}
	for i, s := range userTexts {
		for k := range 32 {
			c := byte(0)
			if k < len(s) {
				c = s[k]
			}
			mem[userAddr+int64(32*i+k)] = c
		}
	}
	for i := range len(args) {
		mem[argsAddr+int64(i)] = args[i]
	}
	return mem
}

// Task returns the bytes of the current task_struct.
func (f *Facts) Task() []byte {
	b := make([]byte, 128)
	binary.LittleEndian.PutUint32(b[8:], uint32(f.TID))
	binary.LittleEndian.PutUint32(b[12:], uint32(f.PID))
	binary.LittleEndian.PutUint64(b[16:], uint64(f.Parent))
	binary.LittleEndian.PutUint64(b[24:], f.Start)
	copy(b[32:48], f.Comm)
	binary.LittleEndian.PutUint64(b[48:], uint64(f.Pair))
	copy(b[56:], f.Inner[:])
	binary.LittleEndian.PutUint64(b[112:], uint64(f.MM))
	return b
}

// Firings returns shots as the interpreter of the intermediate form sees them.
func Firings(shots []Shot) []*interp.Firing {
	kernel, user := Kernel(), User()
	var list []*interp.Firing
	for i := range shots {
		list = append(list, shots[i].firing(kernel, user))
	}
	return list
}

func (s *Shot) firing(kernel, user map[int64]byte) *interp.Firing {
	site := Sites(s.Hook)[s.Site]
	return &interp.Firing{
		Key: site.Key, Args: s.Args, Thread: int64(s.TID), Task: s.Task(), TaskAddr: s.At,
		Builtins: map[ir.Sym]int64{
			"timestamp": s.Timestamp, "vtimestamp": s.Timestamp / 2, "walltimestamp": s.Timestamp * 3,
			"cpu": s.CPU, "uid": s.UID, "gid": 100, "errno": s.Errno, "id": int64(site.ID),
		},
		Kernel: kernel, User: user,
		Probe: [4]string{site.Provider, site.Module, site.Function, site.Name},
	}
}

// Shots makes up n firings.
func Shots(r *rand.Rand, n int) []Shot {
	var list []Shot
	for i := range n {
		s := Shot{Hook: []string{"entry", "entry", "return", "exec"}[r.IntN(4)]}
		s.Site = r.IntN(len(Sites(s.Hook)))
		s.Timestamp = int64(1000 * (i + 1))
		s.CPU, s.UID, s.Errno = 3, 1000, 2
		who := r.IntN(3)
		s.PID, s.TID, s.Start = int32(100+who/2), int32(100+who), uint64(7*who)
		s.Comm = []string{"dd", "bash", "sixteen_bytes__"}[who]
		s.At, s.Parent, s.Pair = taskAddr, parentAddr, pick[int64](r, pairAddr, pairAddr+56, 0, 0x666)
		s.MM = pick[int64](r, 0, mmAddr, mmAddr+24, mmAddr+48)
		for k := range s.Inner {
			s.Inner[k] = byte(r.IntN(256))
		}
		for k := range s.Args {
			s.Args[k] = number(r)
		}
		s.Args[1] = pick[int64](r, pairAddr, pairAddr+56, 0)
		s.Args[2] = pick[int64](r, userAddr+32*r.Int64N(int64(len(userTexts))), userAddr, 0x10)
		list = append(list, s)
	}
	return list
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// number makes up a number: most often one at which something changes.
func number(r *rand.Rand) int64 {
	edge := pick[int64](r, 0, 1, -1, 2, 7, 10, 127, 128, 255, 256, -128, 32767, 65535, 1<<31-1, -1<<31, 1<<32-1, 1<<32, 1<<63-1, -1<<63)
	switch r.IntN(4) {
	case 0:
		return r.Int64N(20) - 5
	case 1:
		return int64(r.Uint64()) >> r.IntN(64)
	}
	return edge
}
