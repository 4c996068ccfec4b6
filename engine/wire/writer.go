package wire

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
)

// A Writer writes a stream. It is used by one goroutine. The first error stays.
type Writer struct {
	to   io.Writer
	err  error
	zip  *zstd.Encoder
	enc  encoder
	diff differ
	raw  []byte // of the frame that is being filled
	out  []byte // the frame as it is written
	head Head
	ids  map[reflect.Type]int

	begin  *Begin // the run that is being written; nil if none is
	status *Status
	last   *Snapshot // without its examples

	offset int64  // bytes written
	since  int64  // bytes since the last key frame
	key    int64  // bytes that it had
	marks  []Mark // what the index will tell
}

// A frame is written when it has so many bytes before they are packed. A key frame is
// due when so much has been written since the last: keyRatio times what that took.
const (
	fullFrame = 256 << 10
	leastKey  = 256 << 10
	keyRatio  = 2
)

// NewWriter begins a stream.
func NewWriter(to io.Writer, h Hello) (*Writer, error) {
	zip, err := newPacker()
	if err != nil {
		return nil, err
	}
	w := &Writer{to: to, zip: zip, ids: map[reflect.Type]int{}}
	for i, t := range messages() {
		w.ids[t] = i
	}
	w.enc.forget()
	w.raw = ours().describe(w.raw)
	w.put(&h)
	w.head.Flags |= HelloFrame
	return w, w.Flush()
}

// Write adds a message to the stream. It may stay in memory until Flush.
func (w *Writer) Write(m Message) error {
	at := time.Duration(-1)
	switch m := m.(type) {
	case *Hello:
		return w.refuse(errors.New("a stream has one hello"))
	case *Providers, *Probes, *Infos:
		if w.begin != nil {
			return w.refuse(errors.New("the machine is told of between runs"))
		}
		w.head.Flags |= MachineFrame
		w.put(m)
	case *Begin:
		if w.begin != nil {
			return w.refuse(errors.New("a run begins within another"))
		}
		w.beginRun(m)
	case *Refusal:
		w.put(m)
	case *Events:
		at = m.At
	case *Snapshot:
		at = m.At
	case *Status:
		at = m.At
	case *End:
		at = m.At
	}
	if at >= 0 {
		w.deliver(at, m)
	}
	if w.err == nil && len(w.raw) >= fullFrame {
		return w.Flush()
	}
	return w.err
}

func (w *Writer) refuse(err error) error {
	if w.err == nil {
		w.err = err
	}
	return w.err
}

func (w *Writer) beginRun(m *Begin) {
	_ = w.Flush() // the first error stays
	w.begin, w.status, w.last = m, nil, nil
	w.head.Run, w.head.First, w.head.Last = uint32(m.Run), 0, 0
	w.forget()
	w.put(m)
	_ = w.Flush() // that there is a run is known whatever becomes of it
	w.since, w.key = 0, 0
}

// forget makes the frame that is begun now a key frame.
func (w *Writer) forget() {
	w.enc.forget()
	w.diff.forget()
	w.head.Flags |= KeyFrame
}

// deliver writes what a run delivered.
func (w *Writer) deliver(at time.Duration, m Message) {
	if w.begin == nil {
		_ = w.refuse(errors.New("nothing can be delivered before a run begins"))
		return
	}
	if w.since >= max(leastKey, keyRatio*w.key) {
		_ = w.Key()
	}
	w.time(at)
	switch m := m.(type) {
	case *Snapshot:
		w.snapshot(m, false)
	case *Status:
		w.status = m
		w.put(m)
	case *End:
		w.put(m)
		w.head.Flags |= EndFrame
		_ = w.Flush()
		w.begin, w.head.Run = nil, 0
	default:
		w.put(m)
	}
}

func (w *Writer) snapshot(m *Snapshot, again bool) {
	s := m.Snapshot
	s.Aggs = nil
	w.diff.snapshot(moment{At: m.At, Again: again, Snapshot: s}, m.Snapshot.Aggs, func(part any) {
		if w.put(part); len(w.raw) >= fullFrame {
			_ = w.Flush()
		}
	})
	keep := *m
	keep.Snapshot.Examples = nil
	w.last = &keep
}

// Key writes a key frame: one from which a reader can go on.
func (w *Writer) Key() error {
	if w.begin == nil {
		return w.err
	}
	_ = w.Flush()
	before := w.offset
	w.forget()
	w.time(w.head.Last)
	w.put(&resume{*w.begin, w.status})
	if w.last != nil {
		w.snapshot(w.last, true)
	}
	err := w.Flush()
	w.since, w.key = 0, w.offset-before
	return err
}

// GoOn takes up the run that another Writer has written so far: with a key frame.
func (w *Writer) GoOn(before *Writer) error {
	w.begin, w.status, w.last = before.begin, before.status, before.last
	w.head.Run, w.head.Last = before.head.Run, before.head.Last
	return w.Key()
}

// time notes when a message was delivered.
func (w *Writer) time(at time.Duration) {
	if len(w.raw) == 0 {
		w.head.First = at
	}
	w.head.Last = at
}

// put adds a message to the frame.
func (w *Writer) put(m any) {
	if w.err != nil {
		return
	}
	v := reflect.ValueOf(m).Elem()
	id := w.ids[v.Type()]
	w.enc.b = w.enc.b[:0]
	w.enc.value(ours().messages[id], v)
	if len(w.enc.b) > MaxFrame-fullFrame-32 {
		w.err = fmt.Errorf("%d MiB were delivered at once, and no more than %d can be: give the script fewer keys", len(w.enc.b)>>20, (MaxFrame-fullFrame)>>20)
		return
	}
	w.raw = appendUint(w.raw, uint64(id))
	w.raw = appendUint(w.raw, uint64(len(w.enc.b)))
	w.raw = append(w.raw, w.enc.b...)
	if cap(w.enc.b) > 4*fullFrame {
		w.enc.b = nil
	}
}

// Flush writes what is in memory. Who reads has everything that was written before.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.raw) == 0 {
		return w.err
	}
	w.out = append(w.out[:0], make([]byte, headSize)...)
	w.out = w.zip.EncodeAll(w.raw, w.out)
	h := &w.head
	h.Packed, h.Unpacked = uint32(len(w.out)-headSize), uint32(len(w.raw))
	h.Sum = crc32.Checksum(w.out[headSize:], castagnoli)
	h.append(w.out[:0])
	w.mark(*h)
	if _, err := w.to.Write(w.out); err != nil {
		w.err = err
	}
	w.offset += int64(len(w.out))
	w.since += int64(len(w.out))
	h.Seq++
	h.Flags, h.First = 0, h.Last
	if w.raw = w.raw[:0]; cap(w.raw) > 4*fullFrame {
		w.raw, w.out = nil, nil
	}
	return w.err
}

// Offset returns how many bytes have been written.
func (w *Writer) Offset() int64 { return w.offset }

// Due returns how long ago, in the time of the run, the oldest message was delivered that
// is still in memory.
func (w *Writer) Due(now time.Duration) time.Duration {
	if len(w.raw) == 0 {
		return 0
	}
	return now - w.head.First
}

// mark remembers a frame that the index tells of.
func (w *Writer) mark(h Head) {
	w.marks = addMark(w.marks, Mark{Offset: w.offset, Flags: uint8(h.Flags), Run: h.Run, First: h.First, Last: h.Last})
}

// addMark keeps of the frames of a run those where one can begin, and the last.
func addMark(list []Mark, m Mark) []Mark {
	const always = HelloFrame | MachineFrame | KeyFrame | IndexFrame
	if n := len(list); n > 0 && Flags(list[n-1].Flags)&always == 0 && list[n-1].Run == m.Run {
		list = slices.Delete(list, n-1, n)
	}
	return append(list, m)
}
