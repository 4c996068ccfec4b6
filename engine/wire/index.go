package wire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"reflect"
	"time"
)

// A Mark says where a frame is at which one can begin, or that ends a run.
type Mark struct {
	Offset      int64
	Flags       uint8
	Run         uint32
	First, Last time.Duration
}

// Is reports whether the frame has one of the flags.
func (m Mark) Is(f Flags) bool { return Flags(m.Flags)&f != 0 }

// An index is the last frame of a file. The tail behind it says where it begins.
type index struct{ Marks []Mark }

const (
	tailSize  = 24
	tailMagic = "dsw tail"
)

// Finish writes the index of a file. Nothing can be written afterwards.
func (w *Writer) Finish() error {
	if err := w.Flush(); err != nil {
		return err
	}
	tail := binary.LittleEndian.AppendUint64([]byte(tailMagic), uint64(w.offset))
	tail = binary.LittleEndian.AppendUint32(tail, crc32.Checksum(tail, castagnoli))
	tail = append(tail, 0, 0, 0, 0)
	list := w.marks
	w.enc.forget()
	w.put(&index{list})
	w.head.Flags, w.head.Run = IndexFrame, 0
	if err := w.Flush(); err != nil {
		return err
	}
	_, w.err = w.to.Write(tail)
	if w.err == nil {
		w.err = errors.New("the file is complete")
		return nil
	}
	return w.err
}

// Marks returns where the frames of a file are: by its index or, if it has none that is
// whole, by the heads of all its frames. If they do not go on to the end of the file, err
// says why; the marks are of those before.
func (r *Reader) Marks(file io.ReaderAt, size int64) (list []Mark, err error) {
	if list := r.index(file, size); list != nil {
		return list, nil
	}
	var b [headSize]byte
	for at := int64(0); at < size; {
		n, err := file.ReadAt(b[:], at)
		if n < headSize {
			if string(b[:min(n, len(tailMagic))]) == tailMagic[:min(n, len(tailMagic))] && n <= tailSize {
				return list, nil
			}
			return list, cut(at, err)
		}
		var h Head
		if err := h.parse(b[:]); err != nil {
			return list, &DamageError{at, err}
		}
		if h.Flags&IndexFrame != 0 {
			return list, nil
		}
		end := at + headSize + int64(h.Packed)
		if end > size {
			return list, cut(at, io.EOF)
		}
		list = addMark(list, Mark{Offset: at, Flags: uint8(h.Flags), Run: h.Run, First: h.First, Last: h.Last})
		at = end
	}
	return list, cut(size, io.EOF) // there is no index
}

// cut says where a file ends that should go on.
func cut(at int64, err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &DamageError{at, err}
}

// index reads the index; nil if there is none that is whole.
func (r *Reader) index(file io.ReaderAt, size int64) []Mark {
	var tail [tailSize]byte
	if _, err := file.ReadAt(tail[:], size-tailSize); size < tailSize || err != nil && err != io.EOF {
		return nil
	}
	at := int64(binary.LittleEndian.Uint64(tail[8:]))
	if string(tail[:8]) != tailMagic || crc32.Checksum(tail[:16], castagnoli) != binary.LittleEndian.Uint32(tail[16:]) || at < 0 || at >= size {
		return nil
	}
	s := source{from: io.NewSectionReader(file, at, size-at), zip: r.in.zip}
	h, raw, err := s.next()
	if err != nil || h.Flags != IndexFrame {
		return nil
	}
	d := decoder{b: raw, left: r.limits.Message, schema: r.dec.schema}
	id := d.uint()
	d.uint() // its length
	if d.err != nil || id >= uint64(len(d.schema.messages)) || d.schema.messages[id].typ != reflect.TypeFor[index]() {
		return nil
	}
	var x index
	d.value(d.schema.messages[id], reflect.ValueOf(&x).Elem())
	if d.err != nil || len(x.Marks) == 0 {
		return nil
	}
	for _, m := range x.Marks {
		if m.Offset < 0 || m.Offset >= at {
			return nil
		}
	}
	return x.Marks
}
