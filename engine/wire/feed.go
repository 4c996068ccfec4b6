package wire

import "bytes"

// A Feed reads a stream whose frames come as whole pieces, as over a network that carries
// messages: it never waits, so that one goroutine reads many streams. It is used by one
// goroutine at a time.
type Feed struct {
	limits Limits
	r      *Reader
	failed error // why the stream could not be begun
}

// NewFeed begins to read a stream, of which the first piece holds the first frame.
func NewFeed(l Limits) *Feed { return &Feed{limits: l} }

// Take reads one piece: one or more frames, each of them whole. It returns what they hold.
// After an error nothing more can be read.
func (f *Feed) Take(piece []byte) (list []Message, err error) {
	from := bytes.NewReader(piece)
	switch {
	case f.failed != nil:
		return nil, f.failed
	case f.r == nil:
		if f.r, f.failed = NewReader(from, f.limits); f.failed != nil {
			f.r = nil
			return nil, f.failed
		}
	default:
		f.r.in.from = from
	}
	r := f.r
	defer func() { r.in.from = nil }() // the piece is the caller's
	for {
		list, r.pending = append(list, r.pending...), nil
		if r.failed != nil {
			return list, r.failed
		}
		if len(r.dec.b) == 0 && from.Len() == 0 {
			return list, nil
		}
		part, err := r.message()
		if err == nil {
			err = r.take(part)
		}
		r.failed = err
	}
}

// Hello returns the first message; nothing before it has come.
func (f *Feed) Hello() (h Hello) {
	if f.r != nil {
		h = f.r.hello
	}
	return h
}

// Close gives back what the Feed holds, which is memory alone.
func (f *Feed) Close() {
	if f.r != nil {
		f.r.Close()
	}
}
