package unwind

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/clock"
	"dscope.dev/engine/python"
	"dscope.dev/engine/sideband"
	"dscope.dev/engine/symbol"
	"dscope.dev/probes/resolver"
	"dscope.dev/probes/space"
)

// A Tables fills the maps by which programs walk stacks, while a run lasts.
type Tables struct {
	procs, rows, misses *ebpf.Map
	shardSpec           *ebpf.MapSpec

	mu        sync.Mutex
	files     map[space.FileID]*file
	generated map[Row][]piece // for code that is the same wherever it is made
	seen      map[uint32]*seen
	fill      []byte // what is in the last shard, with zeros behind it
	unsaid    bool   // whether the kernel lacks some of it
	shards    []*ebpf.Map

	hanging int             // processes whose memory could not be read in time
	scripts []uint32        // processes that run Python, the newest last
	came    chan struct{}   // that there is one more of them
	late    map[uint32]bool // processes that a program has met before they were known

	ears *sideband.Ears // nil if the kernel tells nothing of new processes
	wait *sideband.Wait // for ears
	quit chan struct{}
	done chan struct{}
}

// A seen is what was done for a process.
type seen struct {
	head  [HeadSize - 4]byte
	reads int
	next  time.Time // when it is worth while to look again
	hangs bool      // its memory could not be read in time
}

// A file is what is known of one that processes map.
type file struct {
	pieces   []piece
	py       *python.Interpreter // nil if it is none
	specific uint32              // of a C library: where threads have their specific data
}

// maxFiles is of how many files rows are kept.
const maxFiles = 1 << 12

// New returns what fills the maps of a loaded script.
func New(procs, rows, misses *ebpf.Map, shard *ebpf.MapSpec) *Tables {
	return &Tables{procs: procs, rows: rows, misses: misses, shardSpec: shard,
		files: map[space.FileID]*file{}, generated: map[Row][]piece{}, seen: map[uint32]*seen{}, late: map[uint32]bool{}, came: make(chan struct{}, 1)}
}

// Close ends Run and frees the rows. The maps are the script's.
func (t *Tables) Close() error {
	errs := []error{t.stop()}
	for _, m := range t.shards {
		errs = append(errs, m.Close())
	}
	t.shards = nil
	return errors.Join(errs...)
}

// mostRunning is how many processes are learned of before they are missed. Each takes
// ProcSize bytes of the kernel's memory.
const mostRunning = 1 << 10

// addRunning learns of the processes that are there when a run begins, the newest
// first, and of new ones and misses on the way.
func (t *Tables) addRunning() {
	pids, err := space.Processes("/proc")
	if err != nil {
		return
	}
	slices.Reverse(pids)
	for _, pid := range pids[:min(len(pids), mostRunning)] {
		select {
		case <-t.quit:
			return
		default:
		}
		if pid != os.Getpid() {
			t.Add(uint32(pid))
		}
		t.hear()
		t.Poll()
	}
}

// Poll learns of the processes that programs have missed, and reports whether there were
// any.
func (t *Tables) Poll() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	var pid uint32
	var miss [MissSize]byte
	type missed struct {
		pid  uint32
		miss [MissSize]byte
	}
	var list []missed
	for it := t.misses.Iterate(); it.Next(&pid, &miss); {
		list = append(list, missed{pid, miss})
	}
	for _, m := range list {
		t.misses.Delete(m.pid)
		if (t.seen[m.pid] == nil || isYoung(binary.LittleEndian.Uint64(m.miss[:]))) && len(t.late) < maxFiles {
			t.late[m.pid] = true
		}
		t.learn(m.pid, [HeadSize - 4]byte(m.miss[:HeadSize-4]), false)
	}
	return len(list) > 0
}

// Add learns of a process before it is missed.
func (t *Tables) Add(pid uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	start, ok := symbol.StartOf(pid)
	if !ok {
		return
	}
	var head [HeadSize - 4]byte
	binary.LittleEndian.PutUint64(head[:], start)
	binary.LittleEndian.PutUint32(head[8:], AnyExec)
	t.learn(pid, head, true)
}

// young is how long after its start what is missed of a process may be code that was not
// mapped yet when the process was looked at.
const young = time.Second

// isYoung reports whether a process was started a moment ago: start is as symbol.StartOf has it.
func isYoung(start uint64) bool { return int64(clock.Boot()-start*Tick) < int64(young) }

// Late returns of how many processes stacks were asked for before all was known of
// them: of those the kernel has walked the first, along frame pointers.
func (t *Tables) Late() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.late)
}

// learn tells programs what code a process has. One that is missed again and again,
// because it runs code that no file has, is looked at less and less often; one of which it
// was heard that there is something new is looked at in any case.
func (t *Tables) learn(pid uint32, head [HeadSize - 4]byte, heard bool) {
	s := t.seen[pid]
	if s == nil || s.head != head {
		if len(t.seen) > maxFiles {
			clear(t.seen)
		}
		s = &seen{head: head}
		t.seen[pid] = s
	}
	now := time.Now()
	if now.Before(s.next) && !heard {
		return
	}
	if s.reads++; s.reads > 8 {
		s.next = now.Add(min(time.Duration(s.reads)*every, time.Second))
	}
	value := make([]byte, ProcSize)
	copy(value, head[:])
	code := symbol.CodeOf(pid)
	var py interpreter
	for i := range code {
		if f := t.file(pid, &code[i]); f != nil {
			py.meet(f, &code[i])
		}
	}
	n := 0
	for i := range code {
		for _, p := range t.pieces(pid, &code[i], py.Interpreter != nil) {
			if n < MaxPieces && p.put(value[HeadSize+n*EntrySize:], &code[i]) {
				n++
			}
		}
	}
	if py.complete() {
		putPython(value, py.Interpreter, py.bias, py.specific)
		t.noteScripts(pid)
	}
	if n == 0 && binary.LittleEndian.Uint32(head[8:]) == AnyExec {
		return // a kernel thread, most likely: there is time until it is missed
	}
	if t.flush() != nil {
		return // it is missed again, and what is unsaid is tried again
	}
	binary.LittleEndian.PutUint32(value[HeadSize-4:], uint32(n))
	t.procs.Put(pid, value) // a map that is full leaves the process to the kernel's walk
}

// pieces returns where the rows are for code of a process, which may be one that runs Python.
func (t *Tables) pieces(pid uint32, c *symbol.Code, python bool) []piece {
	if c.Generated && python {
		return t.trampoline(pid, c)
	}
	if f := t.file(pid, c); f != nil {
		return f.pieces
	}
	return nil
}

// put writes where the rows of a piece of a file are, for the code that a process has
// mapped from it, and reports whether they have any part in common.
func (p *piece) put(b []byte, c *symbol.Code) bool {
	from, to := max(p.from, c.Offset), min(p.to, c.Offset+c.End-c.Start)
	if from >= to || to-from > 1<<32-1 {
		return false
	}
	binary.LittleEndian.PutUint64(b, c.Start+from-c.Offset)
	binary.LittleEndian.PutUint32(b[8:], uint32(to-from))
	binary.LittleEndian.PutUint32(b[12:], uint32(from-p.from))
	binary.LittleEndian.PutUint16(b[16:], p.shard)
	binary.LittleEndian.PutUint16(b[18:], p.index)
	binary.LittleEndian.PutUint32(b[20:], p.last)
	return true
}

// file returns what is known of a file, reading it if it is new; nil if that can't be, or code
// is from none.
func (t *Tables) file(pid uint32, c *symbol.Code) *file {
	if c.Generated {
		return nil
	}
	key := c.Key()
	if f, ok := t.files[key]; ok {
		return f
	}
	if len(t.files) >= maxFiles {
		return nil
	}
	known := &file{}
	var rows []Row
	if c.VDSO {
		if f, err := c.Kernel(); err == nil {
			rows, _ = Read(f, nil)
		}
	} else {
		f, err := c.Open(pid)
		if err != nil {
			return nil // it may be reached through another process
		}
		defer f.Close()
		rows = known.ask(f)
	}
	var err error
	if known.pieces, err = t.store(rows); err != nil {
		known.pieces = nil
	}
	t.files[key] = known
	return known
}

// ask asks for what is in a file, and returns its rows.
func (k *file) ask(f resolver.File) []Row {
	c, ok := said.get(f.Stamp)
	if !ok {
		var err error
		if c, err = tableOf.Ask(f, nothing{}); err != nil {
			return nil
		}
		c.Python = python.Believe(c.Python)
		if len(c.Rows) > maxRows || !slices.IsSortedFunc(c.Rows, func(a, b Row) int { return cmp.Compare(a.Place(), b.Place()) }) {
			c.Rows = nil
		}
		said.put(f.Stamp, c)
	}
	k.py, k.specific = c.Python, c.Specific
	return c.Rows
}

// tableOf asks for what programs in the kernel are to know of a file.
var tableOf = resolver.New("unwind table", 16*maxRows, func(r *resolver.Room, _ nothing) (c content, err error) {
	f, err := r.Binary()
	if err != nil {
		return c, err
	}
	c.Python, c.Specific = python.Of(f), python.Specific(f)
	c.Rows, _ = Read(f, c.Python) // a file without a table may be one of Python
	return c, nil
})

type (
	nothing struct{}

	content struct {
		Rows     rows
		Python   *python.Interpreter
		Specific uint32
	}

	// rows travel as they lie in memory of the machine.
	rows []Row
)

// MarshalBinary returns them as bytes.
func (r rows) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, 8*len(r))
	for _, row := range r {
		b = binary.LittleEndian.AppendUint64(b, uint64(row))
	}
	return b, nil
}

// UnmarshalBinary is the reverse.
func (r *rows) UnmarshalBinary(b []byte) error {
	list := make(rows, len(b)/8)
	for i := range list {
		list[i] = Row(binary.LittleEndian.Uint64(b[8*i:]))
	}
	*r = list
	return nil
}

// store puts rows into shards, which the kernel has from the next flush on.
func (t *Tables) store(rows []Row) (list []piece, err error) {
	for len(rows) > 0 {
		if len(t.shards) == 0 || ShardUnits-len(t.fill)/8 < leastPiece {
			if err := t.newShard(); err != nil {
				return list, err
			}
		}
		p, n, data := cut(rows, len(t.fill)/8)
		p.shard = uint16(len(t.shards) - 1)
		t.fill, t.unsaid = append(t.fill, data...), true
		list, rows = append(list, p), rows[n:]
	}
	return list, nil
}

// flush tells the kernel what is new in the last shard.
func (t *Tables) flush() error {
	if !t.unsaid {
		return nil
	}
	shard := t.shards[len(t.shards)-1]
	if err := shard.Put(uint32(0), t.fill[:ShardSize]); err != nil {
		return fmt.Errorf("store unwind tables: %w", err)
	}
	t.unsaid = false
	return nil
}

func (t *Tables) newShard() error {
	if err := t.flush(); err != nil {
		return err
	}
	if len(t.shards) >= MaxShards {
		return errors.New("store unwind tables: there are too many")
	}
	m, err := ebpf.NewMap(t.shardSpec)
	if err != nil {
		return fmt.Errorf("store unwind tables: %w", err)
	}
	t.shards, t.fill = append(t.shards, m), make([]byte, 0, ShardSize)
	if err := t.rows.Put(uint32(len(t.shards)-1), m); err != nil {
		return fmt.Errorf("store unwind tables: %w", err)
	}
	return nil
}
