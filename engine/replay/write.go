package replay

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// A Writer writes a recording. Its methods may be called from several
// goroutines. The first error stays: later calls return it and write nothing.
type Writer struct {
	mu      sync.Mutex
	head    Header
	out     *wire.Writer
	err     error
	runs    int
	machine []wire.Message // kept if it is to be repeated in each file
	rotate  *Rotation      // nil if there is one file
	file    io.WriteCloser // of rotate
	began   time.Duration  // of the run, when file was begun
	at      time.Duration  // of the run: the last message
}

// A Rotation spreads a recording over files, each a recording of its own that begins with
// the state in which the run was when the one before ended.
type Rotation struct {
	Size  int64         // bytes from which on a new file is begun; 0 is never
	Every time.Duration // how much of a run a file has; 0 is all
	Next  func() (io.WriteCloser, error)
}

// NewWriter begins a recording. Close completes it; it does not close w.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	out, err := wire.NewWriter(w, h)
	if err != nil {
		return nil, writing(err)
	}
	return &Writer{head: h, out: out}, nil
}

// NewRotating begins a recording in the first of many files. Close completes and closes
// the last.
func NewRotating(r Rotation, h Header) (*Writer, error) {
	f, err := r.Next()
	if err != nil {
		return nil, writing(err)
	}
	w, err := NewWriter(f, h)
	if err != nil {
		f.Close()
		return nil, err
	}
	w.rotate, w.file = &r, f
	return w, nil
}

func writing(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write recording: %w", err)
}

// lost is how much of a run a recording may lack when the machine dies.
const lost = time.Second

// put writes one message. What a reader would refuse is refused here, by name.
func (w *Writer) put(m wire.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.err = writing(w.write(m))
	return w.err
}

func (w *Writer) write(m wire.Message) error {
	switch m := m.(type) {
	case *wire.Providers, *wire.Probes, *wire.Infos:
		if w.rotate != nil {
			w.machine = append(w.machine, m)
		}
	case *wire.Begin:
		w.runs++
		m.Run = w.runs
		w.began, w.at = 0, 0
	case *wire.Events:
		w.at = m.At
	case *wire.Snapshot:
		w.at = m.At
	case *wire.Status:
		w.at = m.At
	}
	if w.rotate != nil && w.full() {
		if err := w.next(); err != nil {
			return err
		}
	}
	if err := w.out.Write(m); err != nil {
		return err
	}
	if w.out.Due(w.at) >= lost {
		return w.out.Flush()
	}
	return nil
}

// full reports whether a new file is to be begun.
func (w *Writer) full() bool {
	r := w.rotate
	return r.Size > 0 && w.out.Offset() >= r.Size && w.at > w.began || r.Every > 0 && w.at >= w.began+r.Every
}

// next goes on in the next file.
func (w *Writer) next() error {
	f, err := w.rotate.Next()
	if err != nil {
		return err
	}
	out, err := wire.NewWriter(f, w.head)
	for _, m := range w.machine {
		if err == nil {
			err = out.Write(m)
		}
	}
	if err == nil {
		err = out.GoOn(w.out)
	}
	if err == nil {
		err = w.out.Write(&wire.End{At: w.at, More: true})
	}
	if err == nil {
		err = w.out.Finish()
	}
	if err == nil {
		err = w.file.Close()
	}
	w.out, w.file, w.began = out, f, w.at
	return err
}

// perMessage bounds how many probes are one message.
const perMessage = 1000

// Probes writes what the browser shows.
func (w *Writer) Probes(probes []trace.Probe, infos []trace.ProviderInfo) error {
	err := w.put(&wire.Providers{List: infos})
	for len(probes) > 0 && err == nil {
		n := min(len(probes), perMessage)
		err = w.put(&wire.Probes{List: probes[:n]})
		probes = probes[n:]
	}
	return err
}

// Info writes what is known of one probe.
func (w *Writer) Info(i trace.ProbeInfo) error {
	return w.put(&wire.Infos{List: []trace.ProbeInfo{i}})
}

// Record writes run from start to end, reading all of its channels: what the disk is too
// slow for waits in a wire.Queue, not the run. If ctx ends early the run is stopped and
// recorded to its end, and if writing fails it is stopped and read to its end. Record does
// not close run.
func (w *Writer) Record(ctx context.Context, script string, run trace.Run) error {
	failed := w.put(&wire.Begin{Script: trace.Script{Text: script}, Began: run.Began()})
	stop := context.AfterFunc(ctx, run.Stop)
	defer stop()
	q := wire.NewQueue(0)
	go q.Fill(run)
	for {
		m, more := q.Next(context.Background()) // the run ends, and so does this
		if !more {
			return failed
		}
		if failed = w.put(m); failed != nil {
			run.Stop() // what comes cannot be kept
		}
	}
}

// Close completes the recording.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = writing(w.out.Finish())
	}
	if w.file != nil {
		if err := w.file.Close(); w.err == nil {
			w.err = writing(err)
		}
		w.file = nil
	}
	return w.err
}
