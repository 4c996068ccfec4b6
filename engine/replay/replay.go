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
//	{"format":"dscope recording","version":1,"made":…}     the first line
//	{"providers":[…]}  {"probes":[…]}  {"info":{…}}        the machine
//	{"run":{"script":"…","start":ns}}                      begins a run
//	{"at":ns,"snap":{…}}                                   what it delivered,
//	{"at":ns,"events":[…]}                                 and how long after
//	{"at":ns,"status":{…}}                                 its start
//	{"at":ns,"end":true}                                   ends it
//
// Names within are short because they repeat; wire.go spells them. Strings of
// traced processes keep every byte. A number that this version has no name for
// is refused, as is a file that is damaged, with the line in which it is so. A
// recording that breaks off (the machine died) plays up to there and then says
// so as a failed run.
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
	version = 1
)

// The bounds of what is read, so that a small hostile file does not become a
// large heap.
const (
	maxLine  = 64 << 20 // bytes
	maxTotal = 1 << 30  // bytes after decompression
)

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
	snaps  []stamped[trace.Snapshot]
	events []stamped[[]trace.Event]
	status []stamped[trace.Status]
	length time.Duration
	whole  bool // its end was recorded
}

// A stamped is a value and when it was delivered, since the start of its run.
type stamped[T any] struct {
	at    time.Duration
	value T
}

// Open reads the recording in a file.
func Open(path string) (*Player, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Read reads a recording.
func Read(r io.Reader) (*Player, error) {
	zip, err := gzip.NewReader(bufio.NewReader(r))
	if err != nil {
		return nil, fmt.Errorf("not a recording: %w", err)
	}
	defer zip.Close()
	lines := bufio.NewScanner(&limited{r: zip, left: maxTotal})
	lines.Buffer(nil, maxLine)
	p := newPlayer()
	n := 0
	for lines.Scan() {
		n++
		if n == 1 {
			err = p.header(lines.Bytes())
		} else {
			err = p.line(lines.Bytes())
		}
		if err != nil && !brokenOff(lines) {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d: longer than %d MiB", n+1, maxLine>>20)
	case errors.Is(err, errTooLarge):
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	case err != nil && n == 0:
		return nil, fmt.Errorf("not a recording: %w", err)
	case err != nil:
		p.broken = fmt.Errorf("the recording breaks off after line %d: %w", n, err)
	case n == 0:
		return nil, errors.New("not a recording: it is empty")
	}
	return p, nil
}

// brokenOff reports whether the line just read is the half one at which a
// file breaks off.
func brokenOff(lines *bufio.Scanner) bool {
	return !lines.Scan() && errors.Is(lines.Err(), io.ErrUnexpectedEOF)
}

// errTooLarge is what hostile files meet.
var errTooLarge = fmt.Errorf("the recording is larger than %d MiB", maxTotal>>20)

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
	if p.Header.Version != version {
		return fmt.Errorf("version %d of the format; this program reads version %d", p.Header.Version, version)
	}
	return nil
}

// line takes in one line after the first.
func (p *Player) line(line []byte) error {
	var r record
	if err := strictly(line, &r); err != nil {
		return err
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
	case r.Run != nil:
		p.runs = append(p.runs, &recorded{script: string(r.Run.Script), start: r.Run.Start.time()})
	default:
		return p.delivered(r)
	}
	return nil
}

// delivered takes in what the run under way delivered.
func (p *Player) delivered(r record) error {
	if r.Snapshot == nil && r.Events == nil && r.Status == nil && !r.End {
		return nil // a line of nothing, such as a machine without providers
	}
	if len(p.runs) == 0 {
		return errors.New("something is delivered before a run begins")
	}
	run := p.runs[len(p.runs)-1]
	at := time.Duration(r.At)
	if at < run.length || run.whole {
		return fmt.Errorf("delivered at %v, after %v", at, run.length)
	}
	run.length = at
	switch {
	case r.Snapshot != nil:
		if err := r.Snapshot.check(); err != nil {
			return err
		}
		run.snaps = append(run.snaps, stamped[trace.Snapshot]{at, r.Snapshot.snapshot()})
	case r.Events != nil:
		for _, e := range r.Events {
			if err := e.check(); err != nil {
				return err
			}
		}
		run.events = append(run.events, stamped[[]trace.Event]{at, each(r.Events, wireEvent.event)})
	case r.Status != nil:
		if err := r.Status.check(); err != nil {
			return err
		}
		run.status = append(run.status, stamped[trace.Status]{at, r.Status.status()})
	default:
		run.whole = true
	}
	return nil
}
