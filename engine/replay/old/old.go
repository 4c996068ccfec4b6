// Package old reads recordings as dscope wrote them before they were a stream of
// engine/wire: JSON lines, compressed with gzip, with short names.
//
//	{"format":"dscope recording","version":2,"made":…}     the first line
//	{"providers":[…]}  {"probes":[…]}  {"info":{…}}        the machine
//	{"run":{"script":"…","start":ns}}                      begins a run
//	{"origins":[[…]]}                                      where its script fills what follows
//	{"at":ns,"snap":{…}}                                   what it delivered,
//	{"at":ns,"events":[…]}                                 and how long after
//	{"at":ns,"status":{…}}                                 its start
//	{"at":ns,"end":true}                                   ends it
//
// Nothing writes them any more. names.go has the short names; what they mean is in the
// types of engine/trace.
package old

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// Magic is what every old recording begins with.
const Magic = "\x1f\x8b"

const (
	format  = "dscope recording"
	version = 2 // 1 knew no origins of aggregations and no examples
)

// The bounds of a recording: a small hostile file must not become a large heap.
const (
	maxLine  = 64 << 20 // bytes
	maxTotal = 8 << 30  // bytes after decompression
	maxHeld  = 1 << 30  // bytes of memory for a line
)

// cost returns about how many bytes a line takes once it is decoded, and a little more:
// what the smallest elements become that it can consist of.
func cost(line []byte) uint64 {
	const object, element = 260, 16
	return 2*uint64(len(line)) + object*uint64(bytes.Count(line, []byte("{"))) + element*uint64(bytes.Count(line, []byte(",")))
}

// ErrBrokenOff is that a recording is not there to its end. What it has was handed on.
var ErrBrokenOff = errors.New("the recording breaks off")

// A lineError is a mistake in a line.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e *lineError) Unwrap() error { return e.err }

// Read reads a recording and hands on what it has, the Hello first.
func Read(in io.Reader, put func(wire.Message) error) error {
	r := &reader{put: put}
	n := 0
	err := lines(in, func(line []byte) error {
		n++
		if n == 1 {
			return r.header(line)
		}
		return r.line(line)
	})
	var at *lineError
	switch {
	case err == nil && n == 0:
		return errors.New("not a recording: it is empty")
	case err == nil:
		return nil
	case errors.As(err, &at):
		return err
	case n == 0:
		return fmt.Errorf("not a recording: %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w after line %d: %w", ErrBrokenOff, n, err)
	}
	return fmt.Errorf("the recording is damaged behind line %d: %w", n, err)
}

// lines hands on each line, and ends with the checksum.
func lines(from io.Reader, take func(line []byte) error) error {
	in := bufio.NewReader(from)
	zip, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	defer zip.Close()
	zip.Multistream(false)
	lines := bufio.NewScanner(&limited{r: zip, left: maxTotal})
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Bytes()
		if err = errTooMuch; cost(line) <= maxHeld {
			err = take(line)
		}
		if err != nil && brokenOff(lines) {
			break
		}
		if err != nil {
			return &lineError{n, err}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &lineError{n + 1, fmt.Errorf("longer than %d MiB", maxLine>>20)}
	case errors.Is(err, errTooLarge):
		return &lineError{n + 1, err}
	case err != nil:
		return err
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return errors.New("something follows it")
	}
	return nil
}

// brokenOff reports whether the line just read is the half one at which a
// file breaks off.
func brokenOff(lines *bufio.Scanner) bool {
	return !lines.Scan() && errors.Is(lines.Err(), io.ErrUnexpectedEOF)
}

// errTooMuch is what one line can be.
var errTooMuch = fmt.Errorf("it would take more than %d MiB of memory", maxHeld>>20)

// errTooLarge is what hostile files meet.
var errTooLarge = fmt.Errorf("the recording is larger than %d GiB", maxTotal>>30)

// limited fails after a number of bytes, where io.LimitReader would end as if
// all had been read.
type limited struct {
	r    io.Reader
	left int
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(b[:min(len(b), l.left)])
	l.left -= n
	return n, err
}

// A reader makes messages of lines.
type reader struct {
	put     func(wire.Message) error
	runs    int
	at      time.Duration
	ended   bool
	origins [][]trace.Origin // of the run that is being read
}

func (r *reader) header(line []byte) error {
	var h struct {
		Format          string
		Version         int
		Made            time.Time
		Kernel, Machine string
	}
	if err := json.Unmarshal(line, &h); err != nil || h.Format != format {
		return errors.New("not a recording of dscope")
	}
	if h.Version < 1 || h.Version > version {
		return fmt.Errorf("version %d of the format; this program reads versions up to %d", h.Version, version)
	}
	return r.put(&wire.Hello{Made: h.Made, Kernel: h.Kernel, Machine: h.Machine})
}

// line hands on what one line after the first has.
func (r *reader) line(line []byte) error {
	var l record
	if err := r.decode(line, &l); err != nil {
		return err
	}
	at := time.Duration(l.At)
	switch {
	case l.Providers != nil:
		return r.hand(&wire.Providers{List: l.Providers})
	case l.Probes != nil:
		return r.hand(&wire.Probes{List: l.Probes})
	case l.Info != nil:
		return r.hand(&wire.Infos{List: []trace.ProbeInfo{*l.Info}})
	case l.Run != nil:
		return r.begin(l.Run)
	case l.Origins != nil:
		if r.runs == 0 {
			return errors.New("origins are told before a run begins")
		}
		r.origins = append(r.origins, l.Origins...)
	case l.Snapshot != nil:
		s := l.Snapshot.Snapshot
		if err := l.Snapshot.Told.into(&s); err != nil {
			return err
		}
		return r.deliver(at, &wire.Snapshot{At: at, Snapshot: s})
	case l.Events != nil:
		return r.deliver(at, &wire.Events{At: at, List: l.Events})
	case l.Status != nil:
		s := l.Status.Status
		if l.Status.Dear != nil && s.Err != nil {
			s.Err = l.Status.Dear
		}
		return r.deliver(at, &wire.Status{At: at, Status: s})
	case l.End:
		err := r.deliver(at, &wire.End{At: at})
		r.ended = true
		return err
	}
	return nil // a line of nothing, such as a machine without providers
}

func (r *reader) begin(b *begin) error {
	if r.runs > 0 && !r.ended { // it was cut short, and another followed
		if err := r.put(&wire.End{At: r.at}); err != nil {
			return err
		}
	}
	r.runs++
	r.at, r.ended, r.origins = 0, false, nil
	return r.put(&wire.Begin{Run: r.runs, Script: trace.Script{Text: b.Script}, Began: b.Start})
}

// hand hands on what is told of the machine, wherever it stands.
func (r *reader) hand(m wire.Message) error {
	if r.runs > 0 && !r.ended {
		return errors.New("the machine is told of within a run")
	}
	return r.put(m)
}

// deliver hands on what a run delivered.
func (r *reader) deliver(at time.Duration, m wire.Message) error {
	switch {
	case r.runs == 0:
		return errors.New("something is delivered before a run begins")
	case at < r.at || r.ended:
		return fmt.Errorf("delivered at %v, after %v", at, r.at)
	}
	r.at = at
	if err := wire.Check(m); err != nil {
		return err
	}
	return r.put(m)
}
