package sideband

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/space"
)

// A teller is a ring into which a test writes what the kernel would.
type teller struct{ ring }

func newTeller() *teller {
	page := os.Getpagesize()
	mem := make([]byte, 2*page)
	return &teller{ring{mem: mem, data: mem[page:]}}
}

func (r *teller) meta() *unix.PerfEventMmapPage {
	return (*unix.PerfEventMmapPage)(unsafe.Pointer(&r.mem[0]))
}

// at lets the ring go on from a place.
func (r *teller) at(place uint64) { r.meta().Data_head, r.meta().Data_tail = place, place }

// tells writes a record, whose body is padded to eight bytes.
func (r *teller) tells(kind uint32, time uint64, body []byte) {
	for len(body)%8 != 0 {
		body = append(body, 0)
	}
	rec := binary.NativeEndian.AppendUint32(nil, kind)
	rec = binary.NativeEndian.AppendUint16(rec, 0)
	rec = binary.NativeEndian.AppendUint16(rec, uint16(8+len(body)+8))
	rec = append(rec, body...)
	rec = binary.NativeEndian.AppendUint64(rec, time)
	meta := r.meta()
	for i, b := range rec {
		r.data[(meta.Data_head+uint64(i))%uint64(len(r.data))] = b
	}
	meta.Data_head += uint64(len(rec))
}

func words(list ...uint64) (b []byte) {
	for _, w := range list {
		b = binary.NativeEndian.AppendUint64(b, w)
	}
	return b
}

// mapped is the body of a notice that a process maps code of a file.
func mapped(pid uint64, inode uint64, name string) []byte {
	const exec = 5
	return append(words(pid, 0x1000, 0x2000, 0x300, 8<<32|1, inode, 77, exec), name+"\x00"...)
}

// What CPUs tell is put into the order in which it happened, also where a record begins
// at the end of a ring and goes on at its start.
func TestDrain(t *testing.T) {
	one, two := newTeller(), newTeller()
	e := &Ears{rings: []*ring{&one.ring, &two.ring}}
	size := uint64(len(one.data))
	for round := range uint64(3) {
		one.at(size*(round+1) - 24) // the head of the second and its body are apart
		one.tells(unix.PERF_RECORD_FORK, 30, words(7|8<<32))
		one.tells(unix.PERF_RECORD_MMAP2, 50, mapped(7, 42, "/usr/lib/libshop.so (deleted)"))
		two.tells(unix.PERF_RECORD_FORK, 40, words(9|7<<32))
		two.tells(unix.PERF_RECORD_LOST, 60, words(1, 5))
		var got strings.Builder
		for _, n := range e.Drain() {
			switch pid, _ := n.Process(); n.Kind {
			case unix.PERF_RECORD_FORK:
				fmt.Fprintf(&got, "%d from %d; ", pid, n.Parent())
			case unix.PERF_RECORD_MMAP2:
				m, generation, ok := n.Code()
				fmt.Fprintf(&got, "%d maps %x-%x+%x %v %s %v %d %v; ", pid, m.Start, m.End, m.Offset, m.File, m.Path, m.Deleted, generation, ok)
			}
		}
		want := fmt.Sprintf("7 from 8; 9 from 7; 7 maps 1000-3000+300 %v /usr/lib/libshop.so true 77 true; ", space.FileID{Major: 1, Minor: 8, Inode: 42})
		if got.String() != want || e.Lost != 5*(round+1) {
			t.Errorf("round %d: heard %q, %d lost; want %q", round, got.String(), e.Lost, want)
		}
		if left := e.Drain(); len(left) > 0 {
			t.Errorf("round %d: %d notices are heard twice", round, len(left))
		}
	}
}

// A ring that makes no sense is passed over, and heard again from where it is now.
func TestDamaged(t *testing.T) {
	r := newTeller()
	e := &Ears{rings: []*ring{&r.ring}}
	r.tells(unix.PERF_RECORD_FORK, 1, words(7))
	binary.NativeEndian.PutUint16(r.data[6:], 3)
	r.tells(unix.PERF_RECORD_FORK, 2, words(7))
	if got := e.Drain(); len(got) > 0 {
		t.Errorf("heard %+v", got)
	}
	r.tells(unix.PERF_RECORD_FORK, 3, words(9))
	if got := e.Drain(); len(got) != 1 || got[0].Time != 3 {
		t.Errorf("heard %+v afterwards", got)
	}
	for _, n := range []Notice{{Body: []byte("short")}, {Body: bytes.Repeat([]byte{1}, 64)}, {}} {
		if _, _, ok := n.Code(); ok {
			t.Errorf("%+v is code", n)
		}
	}
}

// BenchmarkDrain hears of a program that is executed: it allocates nothing once it is
// under way.
func BenchmarkDrain(b *testing.B) {
	r := newTeller()
	e := &Ears{rings: []*ring{&r.ring}}
	for range 8 {
		r.tells(unix.PERF_RECORD_MMAP2, 1, mapped(7, 42, "/usr/lib/x86_64-linux-gnu/libc.so.6"))
	}
	b.ReportAllocs()
	for b.Loop() {
		r.meta().Data_tail = 0 // once more
		if len(e.Drain()) != 8 {
			b.Fatal("not all is heard")
		}
	}
}

// Whoever waits is woken by what is heard, by the end of his patience, and by Close, and not by
// that something was heard which has been drained.
func TestWait(t *testing.T) {
	cpus, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		t.Skip(err)
	}
	var last int
	if _, err := fmt.Sscanf(strings.TrimSpace(string(cpus)), "0-%d", &last); err != nil {
		last = 0
	}
	var list []int
	for cpu := range last + 1 {
		list = append(list, cpu)
	}
	e, err := Listen(list, Options{Lives: true, Pages: 64, Wake: true})
	if err != nil {
		t.Skip(err)
	}
	defer e.Close()
	w, err := NewWait(e.FDs()...)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		begun := make(chan int, 1)
		go func() {
			child := exec.Command("true")
			child.Run()
			begun <- child.Process.Pid
		}()
		want, heard := 0, map[uint32]bool{} // others begin programs as well
		for want == 0 || !heard[uint32(want)] {
			if !w.For(time.Minute, e.Heard) || !e.Heard() {
				t.Fatalf("round %d: nothing was heard for a minute", round)
			}
			for _, n := range e.Drain() {
				if pid, ok := n.Process(); ok && n.Kind == unix.PERF_RECORD_MMAP2 {
					heard[pid] = true
				}
			}
			select {
			case want = <-begun:
			default:
			}
			if want == 0 && len(heard) > 0 { // it has ended, or something of it is still to come
				want = <-begun
				for _, n := range e.Drain() {
					if pid, ok := n.Process(); ok {
						heard[pid] = true
					}
				}
			}
		}
	}
	// While nobody waits the poller is not woken, but what it was told then is not forgotten.
	exec.Command("true").Run()
	if err := w.calls.Control(func(fd uintptr) {
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0); n > 0 {
			t.Error("the gate is open while nobody waits")
		}
	}); err != nil {
		t.Error(err)
	}
	if !w.For(time.Minute, e.Heard) || !e.Heard() {
		t.Error("what was heard before the wait did not end it")
	}
	deaf := func() bool { return false }
	if began := time.Now(); !w.For(10*time.Millisecond, deaf) || time.Since(began) < 10*time.Millisecond {
		t.Error("the wait has not ended by itself")
	}
	ended, waits := make(chan bool), make(chan bool, 1)
	go func() {
		ended <- w.For(time.Hour, func() bool {
			select {
			case waits <- true:
			default:
			}
			return false
		})
	}()
	<-waits
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if <-ended || w.For(time.Hour, deaf) {
		t.Error("a wait that was closed goes on")
	}
}
