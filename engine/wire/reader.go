package wire

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"
)

// A Reader reads a stream. It is used by one goroutine.
type Reader struct {
	in     source
	limits Limits
	dec    decoder
	merge  merger
	head   Head
	start  int64 // of the frame that is read
	hello  Hello

	pending []Message
	failed  error // that follows them
	group   []any // parts of a snapshot
	cost    uint64
	grouped uint64 // bytes of memory that the parts take

	run     *Begin // nil before the first
	at      time.Duration
	ended   bool
	jumped  bool // the next frame is where one begins
	resumed bool // what a key frame repeats has not been delivered
}

// NewReader begins to read a stream.
func NewReader(from io.Reader, l Limits) (*Reader, error) {
	zip, err := newUnpacker()
	if err != nil {
		return nil, err
	}
	r := &Reader{in: source{from: from, zip: zip}, limits: l.or()}
	r.merge.limit, r.merge.work = r.limits.State, r.limits.Work
	r.forget()
	if err := r.begin(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// ErrFormat is that something is no stream of this kind at all.
var ErrFormat = errors.New("not what dscope has written")

// begin reads the first frame.
func (r *Reader) begin() error {
	h, raw, err := r.in.next()
	switch {
	case err == io.EOF || err == errMagic:
		return ErrFormat
	case err != nil:
		return r.damage(err)
	case h.Flags&HelloFrame == 0:
		return r.damage(errors.New("the first frame is missing"))
	}
	r.head = h
	r.dec.b, r.dec.left = raw, r.limits.Message
	if r.dec.schema, err = learn(&r.dec); err != nil {
		return r.damage(err)
	}
	m, err := r.message()
	if err != nil {
		return err
	}
	hello, ok := m.(*Hello)
	if !ok {
		return r.damage(errors.New("the first message is missing"))
	}
	r.hello = *hello
	return nil
}

// Hello returns the first message.
func (r *Reader) Hello() Hello { return r.hello }

// Close gives back what the Reader holds, which is memory alone.
func (r *Reader) Close() { r.in.zip.Close() }

// Cost returns about how many bytes of memory the last message takes.
func (r *Reader) Cost() uint64 { return r.cost }

// Offset returns where the next frame begins.
func (r *Reader) Offset() int64 { return r.in.offset }

// Resume goes on elsewhere: with the key frame at offset, from which on bytes come from
// from. What the run had delivered by then follows, as it was last.
func (r *Reader) Resume(from io.Reader, offset int64) {
	r.in.from, r.in.offset = from, offset
	r.dec.b, r.dec.err = nil, nil
	r.pending, r.failed, r.group, r.grouped = nil, nil, nil, 0
	r.run, r.at, r.ended, r.jumped, r.resumed = nil, 0, false, true, true
}

func (r *Reader) forget() {
	r.dec.forget()
	r.merge.forget()
}

func (r *Reader) damage(err error) error {
	return &DamageError{r.start, err}
}

// frame reads the next frame.
func (r *Reader) frame() error {
	r.start = r.in.offset
	h, raw, err := r.in.next()
	switch {
	case err == io.EOF && r.run != nil && !r.ended:
		return io.ErrUnexpectedEOF
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return err
	case err != nil:
		return r.damage(err)
	case h.Flags&IndexFrame != 0:
		return io.EOF
	case r.jumped && h.Flags&(KeyFrame|MachineFrame) == 0:
		return r.damage(errors.New("one cannot begin here"))
	case !r.jumped && h.Seq != r.head.Seq+1:
		return r.damage(fmt.Errorf("frame %d follows frame %d", h.Seq, r.head.Seq))
	}
	if h.Flags&KeyFrame != 0 {
		r.forget()
	}
	r.head, r.dec.b, r.jumped = h, raw, false
	r.merge.work += int64(h.Packed) * workPerByte
	return nil
}

// message reads the next message, or part of one. Those of types that we do not know are
// left out.
func (r *Reader) message() (any, error) {
	for {
		for len(r.dec.b) == 0 {
			if err := r.frame(); err != nil {
				return nil, err
			}
		}
		d := &r.dec
		d.left = r.limits.Message
		id := d.uint()
		body := d.bytes(d.uint())
		rest := d.b
		if d.err != nil {
			return nil, r.damage(d.err)
		}
		if id >= uint64(len(d.schema.messages)) {
			return nil, r.damage(fmt.Errorf("a message of the unknown type %d", id))
		}
		p := d.schema.messages[id]
		d.b = body
		var v reflect.Value
		if p.typ != nil {
			v = reflect.New(p.typ)
			d.value(p, v.Elem())
		} else {
			d.value(p, v)
		}
		if d.err == nil && len(d.b) > 0 {
			d.err = errors.New("a message that is longer than its value")
		}
		if d.err != nil {
			return nil, r.damage(d.err)
		}
		d.b = rest
		if r.cost = r.limits.Message - d.left; p.typ != nil {
			return v.Interface(), nil
		}
	}
}

// Next returns the next message. At the end it returns io.EOF; io.ErrUnexpectedEOF if the
// stream breaks off, and a *DamageError if it is not what was written.
func (r *Reader) Next() (Message, error) {
	for {
		if len(r.pending) > 0 {
			m := r.pending[0]
			r.pending = r.pending[1:]
			return m, nil
		}
		if r.failed != nil {
			return nil, r.failed
		}
		part, err := r.message()
		if err == nil {
			err = r.take(part)
		}
		if err != nil {
			r.failed = err
		}
	}
}

// take makes messages of what was read.
func (r *Reader) take(part any) error {
	if err := r.check(part); err != nil {
		return r.damage(err)
	}
	var out Message
	switch m := part.(type) {
	case *rows, *change:
		return r.keepPart(part)
	case *moment:
		s, err := r.snapshot(m)
		if err != nil {
			return r.damage(err)
		}
		if m.Again && !r.resumed {
			return nil
		}
		out = s
	case *resume:
		if r.resumed {
			r.pending = append(r.pending, &m.Begin)
			if m.Status != nil {
				r.pending = append(r.pending, m.Status)
			}
		}
		return nil
	case Message:
		out = m
	default:
		return r.damage(errors.New("a message that does not belong here"))
	}
	r.resumed = r.resumed && isState(out)
	r.pending = append(r.pending, out)
	return nil
}

// isState reports whether m may be what a key frame repeats.
func isState(m Message) bool {
	switch m.(type) {
	case *Providers, *Probes, *Infos:
		return true
	}
	return false
}

// keepPart keeps a part of a snapshot until it is whole.
func (r *Reader) keepPart(part any) error {
	r.group = append(r.group, part)
	if r.grouped += r.cost; r.grouped > r.limits.State {
		return r.damage(errState)
	}
	return nil
}

// snapshot puts the parts together.
func (r *Reader) snapshot(m *moment) (*Snapshot, error) {
	if err := r.apply(m.Tables); err != nil {
		return nil, err
	}
	s := &Snapshot{m.At, m.Snapshot}
	s.Snapshot.Aggs = r.merge.snapshot()
	for i := range s.Snapshot.Aggs {
		r.cost += rowSize * uint64(len(s.Snapshot.Aggs[i].Rows))
	}
	return s, checkExamples(&s.Snapshot)
}

// apply changes the tables, of which there are n then.
func (r *Reader) apply(n int) error {
	for _, part := range r.group {
		var err error
		switch p := part.(type) {
		case *rows:
			if err = checkRows(p.List); err == nil {
				err = r.merge.rows(p.List)
			}
		case *change:
			err = r.merge.change(p)
		}
		if err != nil {
			return err
		}
	}
	r.cost += r.grouped
	r.group, r.grouped = nil, 0
	return r.merge.moment(n)
}

// check refuses what does not belong where it stands.
func (r *Reader) check(part any) error {
	at := time.Duration(-1)
	switch m := part.(type) {
	case *Begin:
		if r.run != nil && !r.ended {
			return errors.New("a run begins within another")
		}
		r.run, r.at, r.ended = m, 0, false
	case *resume:
		switch {
		case r.resumed:
			r.run, r.at, r.ended = &m.Begin, 0, false
		case r.run == nil || r.ended || r.run.Run != m.Begin.Run:
			return errors.New("another run goes on")
		}
		if m.Status != nil {
			return checkStatus(&m.Status.Status)
		}
	case *Events:
		at = m.At
		if err := checkEvents(m.List); err != nil {
			return err
		}
	case *Status:
		at = m.At
		if err := checkStatus(&m.Status); err != nil {
			return err
		}
	case *moment:
		if !m.Again {
			at = m.At
		}
	case *End:
		at = m.At
	case *Hello:
		return errors.New("a second hello")
	}
	if at < 0 {
		return nil
	}
	if r.run == nil || r.ended {
		return errors.New("something is delivered before a run begins")
	}
	if at < r.at {
		return fmt.Errorf("delivered at %v, after %v", at, r.at)
	}
	_, r.ended = part.(*End)
	r.at = at
	return nil
}
