package replay

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

const (
	damagedSeconds = 30
	keyEvery       = 7
)

// damaged is a recording of half a minute of a dozen keys, with key frames, and what it plays.
func damaged(t testing.TB) (file []byte, whole played) {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, Header{Kernel: "made"})
	if err != nil {
		t.Fatal(err)
	}
	w.Probes([]trace.Probe{{ID: 1, Provider: "syscall", Module: "vmlinux", Function: "read", Name: "return"}}, nil)
	d := newDay(12)
	d.every = keyEvery
	d.write(t, w, damagedSeconds, 100, 10)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := readBytes(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	whole = playAll(t, p)
	if whole.status.State != trace.Done || len(whole.snaps) != damagedSeconds || len(whole.events) != 10*damagedSeconds {
		t.Fatalf("%d snapshots, %d events, %+v", len(whole.snaps), len(whole.events), whole.status)
	}
	return b.Bytes(), whole
}

// A played is all that a run delivers.
type played struct {
	snaps  []trace.Snapshot
	events []trace.Event
	status trace.Status
}

// playAll plays the last run at once; nothing if there is none.
func playAll(t testing.TB, p *Player) (out played) {
	t.Helper()
	defer p.Close()
	if len(p.runs) == 0 {
		return out
	}
	p.Speed = math.Inf(1)
	run := p.Play(len(p.runs) - 1)
	defer run.Close()
	snaps, events, status := run.Snapshots(), run.Events(), run.Status()
	late := time.NewTimer(20 * time.Second)
	defer late.Stop()
	for snaps != nil || events != nil || status != nil {
		select {
		case s, ok := <-snaps:
			if !ok {
				snaps = nil
				break
			}
			out.snaps = append(out.snaps, s)
		case e, ok := <-events:
			if !ok {
				events = nil
				break
			}
			out.events = append(out.events, e...)
		case s, ok := <-status:
			if !ok {
				status = nil
				break
			}
			out.status = s
		case <-late.C:
			t.Fatal("it does not end")
		}
	}
	return out
}

// isPart reports whether a run has delivered the beginning of another.
func (p played) isPart(of played) bool {
	if len(p.snaps) > len(of.snaps) || len(p.events) > len(of.events) {
		return false
	}
	for i := range p.snaps {
		if !reflect.DeepEqual(p.snaps[i], of.snaps[i]) {
			return false
		}
	}
	return len(p.events) == 0 || reflect.DeepEqual(p.events, of.events[:len(p.events)])
}

// ends returns where the frames of a recording end, and what stands there in time.
func ends(t testing.TB, file []byte) (list []int) {
	t.Helper()
	for at := 0; at+48 <= len(file) && string(file[at:at+4]) == "\x89dsw"; {
		at += 48 + int(binary.LittleEndian.Uint32(file[at+12:]))
		list = append(list, at)
	}
	return list
}

// TestCuts cuts a recording at a thousand places: it plays to the last whole frame, and says
// that it breaks off.
func TestCuts(t *testing.T) {
	file, whole := damaged(t)
	frames := ends(t, file)
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		at := r.IntN(len(file))
		p, err := readBytes(file[:at])
		if err != nil {
			if at >= frames[1] { // the machine is known by then
				t.Fatalf("cut at %d of %d: %v", at, len(file), err)
			}
			if text := err.Error(); !strings.Contains(text, "breaks off") && !strings.Contains(text, "empty") {
				t.Fatalf("cut at %d: %v", at, err)
			}
			continue
		}
		runs := len(p.runs)
		got := playAll(t, p)
		if !got.isPart(whole) {
			t.Fatalf("cut at %d: it plays something else", at)
		}
		isWhole := got.status.State == trace.Done
		switch {
		case isWhole && at < frames[len(frames)-2]: // the last is the index
			t.Fatalf("cut at %d: nobody says so", at)
		case !isWhole && runs > 0 && (got.status.Err == nil || !strings.Contains(got.status.Err.Error(), "breaks off")):
			t.Fatalf("cut at %d: it ends with %v", at, got.status.Err)
		}
		if runs == 0 {
			continue
		}
		// Each frame that is there but the last, which may begin with what follows, has a second.
		n := 0
		for n < len(frames) && frames[n] <= at {
			n++
		}
		if least := (n - 3) * damagedSeconds / len(frames); len(got.snaps) < least {
			t.Fatalf("cut at %d behind frame %d of %d: %d snapshots are shown", at, n, len(frames), len(got.snaps))
		}
	}
}

// TestFlips turns bytes of a recording into others, one at a time: what stands before plays,
// and what is wrong is said, unless the byte is in the index, which is made anew.
// DSCOPE_FLIPS=10000 does so ten thousand times, which takes half a minute or more.
func TestFlips(t *testing.T) {
	file, whole := damaged(t)
	frames := ends(t, file)
	index := frames[len(frames)-2]
	r := rand.New(rand.NewPCG(7, 8))
	flips, err := strconv.Atoi(cmp.Or(os.Getenv("DSCOPE_FLIPS"), "1000"))
	if err != nil {
		t.Fatal(err)
	}
	for range flips {
		b := bytes.Clone(file)
		at := r.IntN(len(b))
		b[at] ^= byte(1 + r.IntN(255))
		p, err := readBytes(b)
		if err != nil {
			if at >= frames[0] {
				t.Fatalf("byte %d: %v", at, err)
			}
			continue
		}
		wrong := p.Broken()
		got := playAll(t, p)
		if at >= frames[1] && at < frames[2] && wrong != nil { // the beginning cannot be read: it plays from the next key frame on
			whole := played{snaps: whole.snaps[len(whole.snaps)-len(got.snaps):], events: whole.events[len(whole.events)-len(got.events):]}
			if !got.isPart(whole) || len(got.snaps) < damagedSeconds-keyEvery || got.status.State != trace.Failed {
				t.Fatalf("byte %d of the beginning: %d snapshots, %+v", at, len(got.snaps), got.status)
			}
			continue
		}
		if !got.isPart(whole) {
			t.Fatalf("byte %d: it plays something else", at)
		}
		if at >= index {
			if len(got.snaps) != len(whole.snaps) || got.status.State != trace.Done {
				t.Fatalf("byte %d of the index: %d snapshots, %v", at, len(got.snaps), got.status.Err)
			}
			continue
		}
		if at < frames[1] { // the machine alone cannot be read
			if wrong == nil || got.status.State != trace.Done {
				t.Fatalf("byte %d of the machine: %v, %+v", at, wrong, got.status)
			}
			continue
		}
		if wrong == nil && (got.status.State != trace.Failed || got.status.Err == nil) {
			t.Fatalf("byte %d: nobody says so", at)
		}
		before := 0 // frames that are whole
		for frames[before] <= at {
			before++
		}
		if least := (before - 3) * damagedSeconds / len(frames); len(got.snaps) < least {
			t.Fatalf("byte %d in frame %d of %d: %d snapshots are shown", at, before, len(frames), len(got.snaps))
		}
	}
}

// frame makes a frame with right checksums of what may be wrong otherwise.
func frame(flags byte, raw, packed []byte, claims int, seq uint32) []byte {
	if packed == nil {
		zip, _ := zstd.NewWriter(nil)
		packed = zip.EncodeAll(raw, nil)
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	b := append([]byte("\x89dsw"), wire.Version, flags, 0, 0)
	for _, n := range []uint32{0, uint32(len(packed)), uint32(claims), crc32.Checksum(packed, table), 0, 0, 0, 0, seq} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, table))
	return append(b, packed...)
}

// TestBombs reads small files that want to become large.
func TestBombs(t *testing.T) {
	zip, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	var big bytes.Buffer
	stream, err := zstd.NewWriter(&big)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 << 10 {
		stream.Write(zeros)
	}
	stream.Close()
	var hello bytes.Buffer
	if _, err := wire.NewWriter(&hello, wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	head := hello.Bytes()
	// A message of ten million events of a byte each: Events is message 5, and its second
	// field is the list.
	many := binary.AppendUvarint(nil, 10_000_000)
	body := append([]byte{2}, append(many, make([]byte, 10_000_000)...)...)
	events := append(binary.AppendUvarint([]byte{5}, uint64(len(body))), body...)
	// One that claims more elements than bytes are there.
	claim := append([]byte{2}, binary.AppendUvarint(nil, math.MaxInt64)...)
	claims := append(binary.AppendUvarint([]byte{5}, uint64(len(claim))), claim...)
	begin := []byte{4, 2, 1, 2} // run 1
	for name, tt := range map[string]struct {
		file []byte
		want string
	}{
		"4 GiB of zeros as the first frame":      {frame(1, nil, big.Bytes(), 100, 0), "unpacks to something else"},
		"4 GiB of zeros, and a head that admits": {frame(1, nil, big.Bytes(), math.MaxUint32, 0), "a frame of 4095 MiB, and the largest has 64"},
		"64 MiB of zeros as a schema":            {frame(1, nil, zip.EncodeAll(make([]byte, wire.MaxFrame), nil), wire.MaxFrame, 0), "damaged at byte 0"},
		"4 GiB of zeros as a key frame":          {append(bytes.Clone(head), frame(4, nil, big.Bytes(), 1<<20, 1)...), "unpacks to something else"},
		"ten million events of a byte":           {append(bytes.Clone(head), frame(4, append(bytes.Clone(begin), events...), nil, len(begin)+len(events), 1)...), "too much memory"},
		"more events than bytes":                 {append(bytes.Clone(head), frame(4, append(bytes.Clone(begin), claims...), nil, len(begin)+len(claims), 1)...), "ends within a value"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		p, err := readBytes(tt.file)
		if err == nil {
			wrong := p.Broken()
			got := playAll(t, p)
			err = errors.Join(wrong, got.status.Err)
		}
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 800<<20 || took > 5*time.Second {
			t.Errorf("%s: %d MB were allocated in %v", name, n>>20, took)
		}
	}
}

// FuzzRead reads any bytes as a recording and plays it.
func FuzzRead(f *testing.F) {
	var small bytes.Buffer
	synctestRecord(f, &small, "BEGIN { }")
	f.Add(small.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := readBytes(b)
		if err == nil {
			playAll(t, p)
		}
	})
}
