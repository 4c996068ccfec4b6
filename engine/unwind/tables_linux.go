package unwind

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/sideband"
	"dscope.dev/engine/symbol"
	"dscope.dev/probes/space"
)

// A Tables fills the maps by which programs walk stacks, while a run lasts.
type Tables struct {
	procs, rows, misses *ebpf.Map
	shardSpec           *ebpf.MapSpec

	mu     sync.Mutex
	files  map[space.FileID][]piece
	seen   map[uint32]*seen
	fill   []byte // what is in the last shard
	shards []*ebpf.Map

	late map[uint32]bool // processes that a program has met before they were known

	ears *sideband.Ears // nil if the kernel tells nothing of new processes
	wake int            // an eventfd: the end
	quit chan struct{}
	done chan struct{}
}

// A seen is what was done for a process.
type seen struct {
	head  [HeadSize - 4]byte
	reads int
	next  time.Time // when it is worth while to look again
}

// maxFiles is of how many files rows are kept.
const maxFiles = 1 << 12

// New returns what fills the maps of a loaded script.
func New(procs, rows, misses *ebpf.Map, shard *ebpf.MapSpec) *Tables {
	return &Tables{procs: procs, rows: rows, misses: misses, shardSpec: shard,
		files: map[space.FileID][]piece{}, seen: map[uint32]*seen{}, late: map[uint32]bool{}, wake: -1}
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
		if t.seen[m.pid] == nil && len(t.late) < maxFiles {
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

// Late returns of how many processes stacks were asked for before anything was known of
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
	n := 0
	for _, c := range symbol.CodeOf(pid) {
		for _, p := range t.file(pid, &c) {
			if n < MaxPieces && p.put(value[HeadSize+n*EntrySize:], &c) {
				n++
			}
		}
	}
	if n == 0 && binary.LittleEndian.Uint32(head[8:]) == AnyExec {
		return // a kernel thread, most likely: there is time until it is missed
	}
	binary.LittleEndian.PutUint32(value[HeadSize-4:], uint32(n))
	t.procs.Put(pid, value) // a map that is full leaves the process to the kernel's walk
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

// file returns where the rows of a file are, reading them if it is new. A file without
// rows has no pieces.
func (t *Tables) file(pid uint32, c *symbol.Code) []piece {
	key := c.Key()
	if p, ok := t.files[key]; ok {
		return p
	}
	if len(t.files) >= maxFiles {
		return nil
	}
	f, err := c.Open(pid)
	if err != nil {
		return nil // it may be reached through another process
	}
	defer f.Close()
	rows, err := Read(f)
	if err != nil || len(rows) > maxRows {
		rows = nil
	}
	pieces, err := t.store(rows)
	if err != nil {
		pieces = nil
	}
	t.files[key] = pieces
	return pieces
}

// store puts rows into shards.
func (t *Tables) store(rows []Row) (list []piece, err error) {
	for len(rows) > 0 {
		if len(t.shards) == 0 || ShardUnits-len(t.fill)/8 < leastPiece {
			if err := t.newShard(); err != nil {
				return list, err
			}
		}
		p, n, data := cut(rows, len(t.fill)/8)
		p.shard = uint16(len(t.shards) - 1)
		t.fill = append(t.fill, data...)
		list, rows = append(list, p), rows[n:]
		if len(rows) > 0 && ShardUnits-len(t.fill)/8 >= leastPiece {
			continue
		}
		shard := t.shards[len(t.shards)-1]
		if err := shard.Put(uint32(0), slices.Concat(t.fill, make([]byte, ShardSize-len(t.fill)))); err != nil {
			return list, fmt.Errorf("store unwind tables: %w", err)
		}
	}
	return list, nil
}

func (t *Tables) newShard() error {
	if len(t.shards) >= MaxShards {
		return errors.New("store unwind tables: there are too many")
	}
	m, err := ebpf.NewMap(t.shardSpec)
	if err != nil {
		return fmt.Errorf("store unwind tables: %w", err)
	}
	t.shards, t.fill = append(t.shards, m), t.fill[:0]
	if err := t.rows.Put(uint32(len(t.shards)-1), m); err != nil {
		return fmt.Errorf("store unwind tables: %w", err)
	}
	return nil
}
