package wire

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"math/rand"
	"sync"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

var packer = sync.OnceValues(newPacker)

// frameOf makes a frame whose checksums are right, whatever is in it.
func frameOf(t testing.TB, flags Flags, seq uint32, raw []byte) []byte {
	t.Helper()
	zip, err := packer()
	if err != nil {
		t.Fatal(err)
	}
	packed := zip.EncodeAll(raw, nil)
	h := Head{Flags: flags, Run: 1, Packed: uint32(len(packed)), Unpacked: uint32(len(raw)), Sum: crc32.Checksum(packed, castagnoli), Seq: seq}
	return append(h.append(nil), packed...)
}

// raws returns what the frames of a stream hold.
func raws(t testing.TB, stream []byte) (list [][]byte) {
	t.Helper()
	zip, err := newUnpacker()
	if err != nil {
		t.Fatal(err)
	}
	s := source{from: bytes.NewReader(stream), zip: zip}
	for {
		h, raw, err := s.next()
		if err != nil || h.Flags&IndexFrame != 0 {
			return list
		}
		list = append(list, bytes.Clone(raw))
	}
}

// examples are streams with all that there is.
func examples(t testing.TB) (list []*bytes.Buffer) {
	for seed := range int64(3) {
		r := rand.New(rand.NewSource(seed))
		var b bytes.Buffer
		w, err := NewWriter(&b, Hello{})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(&Probes{made[[]trace.Probe](r)})
		w.Write(&Begin{1, made[trace.Script](r), time.Unix(0, 5)})
		var snap trace.Snapshot
		for i := range 5 {
			snap = next(r, snap)
			w.Write(&Snapshot{time.Duration(3 * i), snap})
			w.Write(&Events{time.Duration(3*i + 1), made[[]trace.Event](r)})
			w.Write(&Status{time.Duration(3*i + 2), made[trace.Status](r)})
			if i == 2 {
				w.Key()
			}
		}
		if err := errors.Join(w.Write(&End{At: 20}), w.Flush()); err != nil {
			t.Fatal(err)
		}
		list = append(list, &b)
	}
	return list
}

// tight are limits that a test can afford to meet.
var tight = Limits{Message: 4 << 20, State: 16 << 20, Work: 1 << 20}

// drainReader reads to the end, from the start or from a moment on.
func drainReader(t testing.TB, stream []byte, from time.Duration) {
	r, err := NewReader(bytes.NewReader(stream), tight)
	if err != nil {
		return
	}
	defer r.Close()
	if from > 0 {
		r.Forward(from)
	}
	for range 1 << 20 {
		m, err := r.Next()
		if err != nil {
			var damage *DamageError
			if err != io.EOF && err != io.ErrUnexpectedEOF && !errors.As(err, &damage) {
				t.Errorf("an error that says nothing: %v", err)
			}
			return
		}
		if m == nil {
			t.Fatal("neither message nor error")
		}
		if err := Check(m); err != nil {
			t.Fatalf("a message came through that is refused: %v", err)
		}
	}
}

// FuzzMessages reads frames that are right as frames, and hold anything.
func FuzzMessages(f *testing.F) {
	for _, b := range examples(f) {
		list := raws(f, b.Bytes())
		f.Add(list[len(list)-1], uint8(0))
		f.Add(bytes.Join(list[1:], nil), uint8(7))
	}
	var hello bytes.Buffer
	if _, err := NewWriter(&hello, Hello{}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte, from uint8) {
		drainReader(t, append(bytes.Clone(hello.Bytes()), frameOf(t, KeyFrame, 1, raw)...), time.Duration(from))
	})
}

// FuzzSchema reads streams of programs that never were.
func FuzzSchema(f *testing.F) {
	for _, b := range examples(f)[:1] {
		list := raws(f, b.Bytes())
		f.Add(list[0], bytes.Join(list[1:], nil))
	}
	f.Fuzz(func(t *testing.T, hello, raw []byte) {
		drainReader(t, append(frameOf(t, HelloFrame, 0, hello), frameOf(t, KeyFrame, 1, raw)...), 0)
	})
}

// TestWork reads a table that is changed far more often than what changes it has bytes for.
func TestWork(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, Hello{})
	if err != nil {
		t.Fatal(err)
	}
	snap := trace.Snapshot{Aggs: []trace.Table{{Rows: make([]trace.Row, 100_000)}}}
	for i := range snap.Aggs[0].Rows {
		snap.Aggs[0].Rows[i].ID = string(rune(i))
	}
	w.Write(&Begin{Run: 1})
	for i := range 200 {
		table := snap.Aggs[0]
		table.Rows = append([]trace.Row(nil), table.Rows...)
		table.Rows[0].Value++
		snap.Aggs = []trace.Table{table}
		w.Write(&Snapshot{time.Duration(i), snap})
	}
	if err := errors.Join(w.Write(&End{At: 1000}), w.Flush()); err != nil {
		t.Fatal(err)
	}
	if list, err := read(b.Bytes()); err != io.EOF || len(list) != 202 {
		t.Errorf("%d messages, %v", len(list), err)
	}
	r, err := NewReader(bytes.NewReader(b.Bytes()), Limits{Work: -200 * int64(b.Len()) * workPerByte / 200})
	for err == nil {
		_, err = r.Next()
	}
	if !errors.Is(err, errWork) {
		t.Errorf("error %v", err)
	}
}

// TestChangedBytes changes bytes behind the checksums: what is read is something else, or is
// refused, and takes no more than it may.
func TestChangedBytes(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	for _, b := range examples(t) {
		list := raws(t, b.Bytes())
		for range 1000 {
			changed := append([][]byte(nil), list...)
			i := r.Intn(len(list))
			raw := bytes.Clone(list[i])
			for range 1 + r.Intn(3) {
				raw[r.Intn(len(raw))] = byte(r.Intn(256))
			}
			changed[i] = raw
			var stream []byte
			for n, raw := range changed {
				flags := Flags(0)
				switch n {
				case 0:
					flags = HelloFrame
				case 2:
					flags = KeyFrame
				}
				stream = append(stream, frameOf(t, flags, uint32(n), raw)...)
			}
			drainReader(t, stream, time.Duration(r.Intn(20)-10))
		}
	}
}
