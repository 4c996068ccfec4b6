// Package replay records runs to a file and plays them as runs.
//
// A recording opens anywhere later, without root and without Linux: it holds
// the probes of the machine, what was known of some of them, and one or more
// runs with all that they delivered and when. The workbench plays it through
// the same interface as it runs the tracer, so that a recording is also what
// its tests and demonstrations stand on.
//
// The form is a stream of engine/wire, and at its end an index. What is read when a
// recording is opened is the index, the machine and the first frame of each run; what
// runs delivered is read as it plays, a frame at a time, from the key frame before the
// moment that is asked for. So a recording of hours opens and takes as little as one of
// seconds.
//
// A recording that breaks off (the machine died) has no index: it is made from the heads
// of the frames that are there, and its last run plays as far as it goes, and then says
// so by failing. One that was damaged plays up to the damage, which checksums tell.
//
// Recordings of older versions are read too (package old): they are written anew to a file
// without a name, and that is played.
package replay

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"dscope.dev/engine/replay/old"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// What a recording may be at most: a small hostile file must not become a large heap.
const (
	maxHeld = 1 << 30 // bytes of memory for what is read and not delivered yet
	maxRuns = 10_000
)

// A Header is the beginning of a recording: where it was made.
type Header = wire.Hello

// A recorded is one run of a recording.
type recorded struct {
	script string
	start  time.Time
	keys   []wire.Mark   // where one can begin
	from   time.Duration // what the recording has of it begins here
	length time.Duration
	whole  bool // its end was recorded, and its beginning can be read
	late   bool // its beginning cannot
}

// Open opens the recording in a file, which stays open until the Player is closed.
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
	if p.close != nil { // of a file that has taken its place
		f.Close()
		return p, nil
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

// Read opens a recording of so many bytes, which the Player reads for each run that it
// plays.
func Read(r io.ReaderAt, size int64) (*Player, error) {
	first := make([]byte, len(old.Magic))
	if _, err := r.ReadAt(first, 0); err == nil && string(first) == old.Magic {
		return readOld(io.NewSectionReader(r, 0, size))
	}
	if size == 0 {
		return nil, errors.New("not a recording: it is empty")
	}
	p := newPlayer()
	p.source = io.NewSectionReader(r, 0, size)
	return p, p.open()
}

// open reads what there is besides what runs delivered.
func (p *Player) open() error {
	in, err := wire.NewReader(p.section(0), wire.Limits{})
	switch {
	case errors.Is(err, wire.ErrFormat):
		return errors.New("not a recording of dscope")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the recording breaks off before anything was recorded: %w", err)
	case err != nil:
		return fmt.Errorf("the recording is %w", err)
	}
	defer in.Close()
	p.Header = in.Hello()
	marks, err := in.Marks(p.source, p.source.Size())
	p.broken = broken(err)
	for i := 0; i < len(marks); i++ {
		switch m := marks[i]; {
		case m.Is(wire.KeyFrame):
			err = p.run(in, m)
		case m.Is(wire.MachineFrame) && m.Offset >= in.Offset():
			err = p.machine(in, m)
		default:
			p.end(m)
		}
		if damage := (*wire.DamageError)(nil); errors.As(err, &damage) || errors.Is(err, io.ErrUnexpectedEOF) {
			p.broken = broken(err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// section is the recording from a byte on.
func (p *Player) section(from int64) io.Reader {
	return io.NewSectionReader(p.source, from, p.source.Size()-from)
}

// broken says what is wrong with a recording, and what that means for who looks at it.
func broken(err error) error {
	var at *wire.DamageError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF) && errors.As(err, &at):
		return fmt.Errorf("the recording breaks off at byte %d; what it has is shown", at.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the recording breaks off (%w); what it has is shown", err)
	}
	return fmt.Errorf("the recording is %w; what stands before that is shown", err)
}

// machine reads what is known of the machine, from a frame on.
func (p *Player) machine(in *wire.Reader, m wire.Mark) error {
	in.Resume(p.section(m.Offset), m.Offset)
	for {
		next, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if p.kept += in.Cost(); p.kept > maxHeld {
			return fmt.Errorf("what it tells of its machine would take more than %d MiB of memory", maxHeld>>20)
		}
		switch m := next.(type) {
		case *wire.Providers:
			p.providers = append(p.providers, m.List...)
		case *wire.Probes:
			p.probes = append(p.probes, m.List...)
		case *wire.Infos:
			for _, i := range m.List {
				p.infos[i.Probe] = i
			}
		default:
			return nil
		}
	}
}

// run takes in a frame in which one can begin to read a run.
func (p *Player) run(in *wire.Reader, m wire.Mark) error {
	if r := p.last(); r != nil && r.keys[0].Run == m.Run {
		r.keys = append(r.keys, m)
		p.end(m)
		return nil
	}
	if len(p.runs) == maxRuns {
		return fmt.Errorf("it has more than %d runs", maxRuns)
	}
	in.Resume(p.section(m.Offset), m.Offset)
	next, err := in.Next()
	if err != nil {
		p.unread = m.Run // what comes after it plays, from the next key frame on
		return err
	}
	b, ok := next.(*wire.Begin)
	if !ok {
		return &wire.DamageError{Offset: m.Offset, Err: errors.New("no run begins here")}
	}
	if p.kept += in.Cost(); p.kept > maxHeld {
		return fmt.Errorf("its scripts would take more than %d MiB of memory", maxHeld>>20)
	}
	p.runs = append(p.runs, &recorded{script: b.Script.Text, start: b.Began, keys: []wire.Mark{m}, from: m.First, late: p.unread == m.Run})
	p.end(m)
	return nil
}

// end takes in the last frame of a run, so far.
func (p *Player) end(m wire.Mark) {
	if r := p.last(); r != nil && r.keys[0].Run == m.Run {
		r.length = max(r.length, m.Last)
		r.whole = m.Is(wire.EndFrame) && !r.late
	}
}

func (p *Player) last() *recorded {
	if len(p.runs) == 0 {
		return nil
	}
	return p.runs[len(p.runs)-1]
}

// keyBefore returns the last place from which one comes to a moment.
func (r *recorded) keyBefore(at time.Duration) wire.Mark {
	i, _ := slices.BinarySearchFunc(r.keys, at, func(m wire.Mark, at time.Duration) int {
		if m.First <= at {
			return -1
		}
		return 1
	})
	return r.keys[max(i-1, 0)]
}

// readOld writes a recording of an older version anew, where nobody else sees it, and opens
// that.
func readOld(in io.Reader) (*Player, error) {
	f, err := os.CreateTemp("", "dscope-recording-")
	if err != nil {
		return nil, fmt.Errorf("a recording of an older version is written anew before it is shown: %w", err)
	}
	// On systems where a file that is open cannot be removed it is, once it is closed.
	early := os.Remove(f.Name()) == nil
	leave := func() error {
		err := f.Close()
		if !early {
			err = errors.Join(err, os.Remove(f.Name()))
		}
		return err
	}
	p, err := convert(in, f)
	if err != nil {
		return nil, errors.Join(err, leave())
	}
	p.close = leave
	return p, nil
}

// convert writes an old recording to f and opens it. One that breaks off is as long as it is.
func convert(in io.Reader, f *os.File) (*Player, error) {
	cut, err := Convert(in, f)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p := newPlayer()
	p.source = io.NewSectionReader(f, 0, info.Size())
	if err := p.open(); err != nil {
		return nil, err
	}
	if cut != nil {
		p.broken = cut
	}
	return p, nil
}

// Convert writes a recording of an older version as one of this. Cut says so if the old one
// breaks off.
func Convert(in io.Reader, to io.Writer) (cut, err error) {
	var w *wire.Writer
	err = old.Read(in, func(m wire.Message) (err error) {
		if h, ok := m.(*wire.Hello); ok {
			w, err = wire.NewWriter(to, *h)
			return err
		}
		return w.Write(m)
	})
	if errors.Is(err, old.ErrBrokenOff) && w != nil {
		cut, err = err, nil
	}
	if err != nil {
		return nil, err
	}
	return cut, w.Finish()
}

var _ trace.Run = (*playback)(nil)
