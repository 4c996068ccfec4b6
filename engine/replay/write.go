package replay

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"dscope.dev/engine/trace"
)

// A Writer writes a recording. Its methods may be called from several
// goroutines. The first error stays: later calls return it and write nothing.
type Writer struct {
	mu    sync.Mutex
	buf   *bufio.Writer
	zip   *gzip.Writer
	enc   *json.Encoder
	start time.Time // of the run being recorded
	err   error
}

// NewWriter begins a recording. Close completes it; it does not close w.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	out := &Writer{buf: bufio.NewWriterSize(w, 64<<10)}
	out.zip = gzip.NewWriter(out.buf)
	out.enc = json.NewEncoder(out.zip)
	out.enc.SetEscapeHTML(false)
	h.Format, h.Version = format, version
	return out, out.put(h)
}

// put writes one line.
func (w *Writer) put(line any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		if w.err = w.enc.Encode(line); w.err != nil {
			w.err = fmt.Errorf("write recording: %w", w.err)
		}
	}
	return w.err
}

// perLine bounds how many probes stand on one line.
const perLine = 1000

// Probes writes what the browser shows.
func (w *Writer) Probes(probes []trace.Probe, infos []trace.ProviderInfo) error {
	err := w.put(record{Providers: each(infos, func(i trace.ProviderInfo) wireProvider {
		return wireProvider{text(i.Name), text(i.Help), text(i.Unavailable)}
	})})
	for len(probes) > 0 && err == nil {
		n := min(len(probes), perLine)
		err = w.put(record{Probes: each(probes[:n], toProbe)})
		probes = probes[n:]
	}
	return err
}

// Info writes what is known of one probe.
func (w *Writer) Info(i trace.ProbeInfo) error {
	wire := toInfo(i)
	return w.put(record{Info: &wire})
}

// Record writes run from start to end, reading all of its channels. If ctx
// ends early the run is stopped and recorded to its end. It does not close run.
func (w *Writer) Record(ctx context.Context, script string, run trace.Run) error {
	return w.tee(ctx, script, run, nil)
}

// Tee records run while somebody else reads it: the result behaves as run
// does and writes what comes through. Closing it closes run. A recording that
// fails does not end the run; Err of the Writer says so.
func (w *Writer) Tee(script string, run trace.Run) trace.Run {
	t := &tee{
		inner:  run,
		snaps:  make(chan trace.Snapshot, 1),
		events: make(chan []trace.Event, 64),
		status: make(chan trace.Status, 1),
		quit:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	go func() {
		defer close(t.done)
		_ = w.tee(context.Background(), script, run, t) // Err tells
	}()
	return t
}

// Err returns the first error of writing.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// tee writes all that run delivers and passes it on to t if that is not nil.
// If writing fails the run is still read to its end; the first error stays in w.
func (w *Writer) tee(ctx context.Context, script string, run trace.Run, t *tee) error {
	w.mu.Lock()
	w.start = time.Now()
	w.mu.Unlock()
	_ = w.put(record{Run: &wireRun{text(script), wireTime(w.start)}})
	stop := context.AfterFunc(ctx, run.Stop)
	defer stop()
	snaps, events, status := run.Snapshots(), run.Events(), run.Status()
	for snaps != nil || events != nil || status != nil {
		r := record{}
		select {
		case s, ok := <-snaps:
			if !ok {
				snaps = nil
				t.endSnapshots()
				continue
			}
			r.Snapshot = toSnapshot(s)
			t.snapshot(s)
		case e, ok := <-events:
			if !ok {
				events = nil
				t.endEvents()
				continue
			}
			r.Events = each(e, toEvent)
			t.batch(e)
		case s, ok := <-status:
			if !ok {
				status = nil
				t.endStatus()
				continue
			}
			r.Status = toStatus(s)
			t.state(s)
		}
		r.At = max(int64(time.Since(w.start)), 1)
		_ = w.put(r)
	}
	return w.put(record{At: max(int64(time.Since(w.start)), 1), End: true})
}

// Close completes the recording.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, end := range []func() error{w.zip.Close, w.buf.Flush} {
		if err := end(); w.err == nil && err != nil {
			w.err = fmt.Errorf("write recording: %w", err)
		}
	}
	return w.err
}

// A tee passes on what a run delivers, with the manners of a run: the latest
// snapshot and status win, events are queued within a bound and counted beyond.
type tee struct {
	inner  trace.Run
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	quit   chan struct{} // closed by Close: nobody reads any more
	done   chan struct{} // closed when the run has been read to its end
	lost   uint64        // events that the queue had no room for
	once   sync.Once
	err    error
}

func (t *tee) Snapshots() <-chan trace.Snapshot { return t.snaps }
func (t *tee) Events() <-chan []trace.Event     { return t.events }
func (t *tee) Status() <-chan trace.Status      { return t.status }
func (t *tee) Stop()                            { t.inner.Stop() }

// Close stops the run, records what it still delivers, and frees it.
func (t *tee) Close() error {
	t.once.Do(func() {
		close(t.quit)
		t.inner.Stop()
		<-t.done
		t.err = t.inner.Close()
	})
	return t.err
}

func (t *tee) snapshot(s trace.Snapshot) {
	if t != nil {
		latest(t.snaps, s)
	}
}

func (t *tee) state(s trace.Status) {
	if t != nil {
		latest(t.status, s)
	}
}

// latest replaces what waits in ch. There is one sender, so that the second
// send cannot block.
func latest[T any](ch chan T, v T) {
	select {
	case <-ch:
	default:
	}
	ch <- v
}

func (t *tee) batch(e []trace.Event) {
	if t == nil {
		return
	}
	if t.lost > 0 {
		e = append([]trace.Event{lostEvents(t.lost)}, e...)
	}
	select {
	case t.events <- e:
		t.lost = 0
	default:
		if t.lost > 0 {
			e = e[1:]
		}
		t.lost += uint64(len(e))
	}
}

func lostEvents(n uint64) trace.Event {
	return trace.Event{Kind: trace.DropEvent, Drop: trace.Drop{Kind: trace.DropReader, CPU: -1, Count: n}}
}

func (t *tee) endSnapshots() {
	if t != nil {
		close(t.snaps)
	}
}

func (t *tee) endStatus() {
	if t != nil {
		close(t.status)
	}
}

// endEvents closes the queue, after a word on what it had no room for.
func (t *tee) endEvents() {
	if t == nil {
		return
	}
	if t.lost > 0 {
		select {
		case t.events <- []trace.Event{lostEvents(t.lost)}:
		case <-t.quit:
		}
	}
	close(t.events)
}
