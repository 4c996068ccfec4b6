// Package replay records runs to a file and plays them as runs.
//
// A recording opens anywhere later, without root and without Linux: it holds
// the probes of the machine, what was known of some of them, and one or more
// runs with all that they delivered and when. The workbench plays it through
// the same interface as it runs the tracer, so that a recording is also what
// its tests and demonstrations stand on.
//
// The form is JSON lines, compressed with gzip:
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
// Names within are short because they repeat; wire.go spells them. Strings of
// traced processes keep every byte. A number that this version has no name for
// is refused, with the line in which it stands.
//
// A recording is read to its end before anything of it is shown: one whose checksum
// is wrong, or that something follows, is not what was recorded, and is refused. One
// that breaks off (the machine died) has no checksum: its runs play as far as they go,
// and then say so by failing.
// What runs delivered is not kept then, but read again as it plays, a line at a
// time, so that a long recording takes no more memory than a short one.
package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"dscope.dev/engine/trace"
)

const (
	format  = "dscope recording"
	version = 2 // 1 knew no origins of aggregations and no examples, and is read too
)

// The bounds of a recording, which its writer keeps too: a small hostile file must not
// become a large heap, nor a run a file that cannot be read.
const (
	maxLine  = 64 << 20 // bytes
	maxTotal = 8 << 30  // bytes after decompression
	maxHeld  = 1 << 30  // bytes of memory for what is read and not delivered yet
)

// cost returns about how many bytes a line takes once it is decoded, and a little more:
// what the smallest elements become that it can consist of.
func cost(line []byte) uint64 {
	const object, element = 200, 16
	return 2*uint64(len(line)) + object*uint64(bytes.Count(line, []byte("{"))) + element*uint64(bytes.Count(line, []byte(",")))
}

// A Header is the first line of a recording.
type Header struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Made    time.Time `json:"made,omitzero"`
	Kernel  string    `json:"kernel,omitempty"`
	Machine string    `json:"machine,omitempty"`
}

// A recorded is one run of a recording.
type recorded struct {
	script string
	start  time.Time
	line   int // of the recording in which it begins
	length time.Duration
	whole  bool // its end was recorded
}

// Open reads the recording in a file, which stays open until the Player is closed.
func Open(path string) (*Player, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p, err := readFile(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.close = f.Close
	return p, nil
}

func readFile(f *os.File) (*Player, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	return Read(f, info.Size())
}

// Read reads a recording of so many bytes, which the Player reads again for each run
// that it plays.
func Read(r io.ReaderAt, size int64) (*Player, error) {
	p := newPlayer()
	p.source = io.NewSectionReader(r, 0, size)
	n := 0
	err := p.lines(func(number int, line []byte) (bool, error) {
		n = number
		if number == 1 {
			return true, p.header(line)
		}
		return true, p.line(number, line)
	})
	var at *lineError
	switch {
	case err == nil && n == 0:
		return nil, errors.New("not a recording: it is empty")
	case err == nil:
		return p, nil
	case errors.As(err, &at):
		return nil, err
	case n == 0:
		return nil, fmt.Errorf("not a recording: %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.broken = fmt.Errorf("the recording breaks off after line %d: %w", n, err)
		return p, nil
	}
	return nil, fmt.Errorf("the recording is damaged behind line %d: %w", n, err)
}

// A lineError is a mistake in a line.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e *lineError) Unwrap() error { return e.err }

// lines calls take for each line of the recording, as long as it returns true, and ends
// with the checksum.
func (p *Player) lines(take func(number int, line []byte) (more bool, err error)) error {
	in := bufio.NewReader(io.NewSectionReader(p.source, 0, p.source.Size()))
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
		var more bool
		if err = nil; cost(line) > maxHeld {
			err = errTooMuch
		} else {
			more, err = take(n, line)
		}
		if err != nil && brokenOff(lines) {
			break
		}
		if err != nil {
			return &lineError{n, err}
		}
		if !more {
			return nil
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

// strictly decodes one line; a name that this version does not know is an
// error, because what it means may matter.
func strictly(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

func (p *Player) header(line []byte) error {
	if err := json.Unmarshal(line, &p.Header); err != nil || p.Header.Format != format {
		return errors.New("not a recording of dscope")
	}
	if v := p.Header.Version; v < 1 || v > version {
		return fmt.Errorf("version %d of the format; this program reads versions up to %d", v, version)
	}
	return nil
}

// line takes in one line after the first: it keeps what is known of the machine and when
// runs began and ended, and checks the rest.
func (p *Player) line(number int, line []byte) error {
	r, err := decode(line)
	if err != nil {
		return err
	}
	if r.Providers != nil || r.Probes != nil || r.Info != nil || r.Run != nil || r.Origins != nil {
		if p.kept += cost(line); p.kept > maxHeld {
			return errTooMuch
		}
	}
	switch {
	case r.Providers != nil:
		for _, i := range r.Providers {
			p.providers = append(p.providers, trace.ProviderInfo{Name: string(i.Name), Help: string(i.Help), Unavailable: string(i.Unavailable), Processes: i.Processes})
		}
	case r.Probes != nil:
		p.probes = append(p.probes, each(r.Probes, wireProbe.probe)...)
	case r.Info != nil:
		i := r.Info.info()
		p.infos[i.Probe] = i
	case r.Origins != nil && len(p.runs) == 0:
		return errors.New("origins are told before a run begins")
	case r.Origins != nil:
		p.known.learn(r)
	case r.Run != nil:
		p.known = nil
		p.runs = append(p.runs, &recorded{script: string(r.Run.Script), start: r.Run.Start.time(), line: number})
	case r.Snapshot != nil || r.Events != nil || r.Status != nil || r.End:
		return p.delivered(r)
	}
	return nil // or a line of nothing, such as a machine without providers
}

// decode reads and checks a line.
func decode(line []byte) (*record, error) {
	var r record
	if err := strictly(line, &r); err != nil {
		return nil, err
	}
	if r.Snapshot != nil {
		if err := r.Snapshot.check(); err != nil {
			return nil, err
		}
	}
	for _, e := range r.Events {
		if err := e.check(); err != nil {
			return nil, err
		}
	}
	if r.Status != nil {
		if err := r.Status.check(); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// delivered takes notice of when the run under way delivered something.
func (p *Player) delivered(r *record) error {
	if len(p.runs) == 0 {
		return errors.New("something is delivered before a run begins")
	}
	if err := p.known.check(r); err != nil {
		return err
	}
	run := p.runs[len(p.runs)-1]
	at := time.Duration(r.At)
	if at < run.length || run.whole {
		return fmt.Errorf("delivered at %v, after %v", at, run.length)
	}
	run.length = at
	run.whole = r.End
	return nil
}
