package replay

import (
	"bufio"
	"bytes"
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
	mu  sync.Mutex
	buf *bufio.Writer
	zip *gzip.Writer
	enc *json.Encoder
	err error

	line    bytes.Buffer // that is being written
	written int          // bytes before they were packed
}

// NewWriter begins a recording. Close completes it; it does not close w.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	out := &Writer{buf: bufio.NewWriterSize(w, 64<<10)}
	out.zip = gzip.NewWriter(out.buf)
	out.enc = json.NewEncoder(&out.line)
	out.enc.SetEscapeHTML(false)
	h.Format, h.Version = format, version
	return out, out.put(h)
}

// put writes one line. What a reader would refuse is refused here, by name.
func (w *Writer) put(line any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		if w.err = w.write(line); w.err != nil {
			w.err = fmt.Errorf("write recording: %w", w.err)
		}
	}
	return w.err
}

func (w *Writer) write(line any) error {
	w.line.Reset()
	if err := w.enc.Encode(line); err != nil {
		return err
	}
	text := w.line.Bytes()
	switch w.written += len(text); {
	case len(text) >= maxLine, cost(text) > maxHeld:
		return fmt.Errorf("%d MiB were delivered at once, and a recording takes no more than %d: give the script fewer keys", len(text)>>20, maxLine>>20)
	case w.written > maxTotal:
		return fmt.Errorf("it has %d GiB, which is as long as a recording can be", maxTotal>>30)
	}
	if w.line.Cap() > keptLine {
		defer func() { w.line = bytes.Buffer{} }()
	}
	_, err := w.zip.Write(text)
	return err
}

// keptLine is how much memory for lines is kept from one to the next.
const keptLine = 1 << 20

// perLine bounds how many probes stand on one line.
const perLine = 1000

// Probes writes what the browser shows.
func (w *Writer) Probes(probes []trace.Probe, infos []trace.ProviderInfo) error {
	err := w.put(record{Providers: each(infos, func(i trace.ProviderInfo) wireProvider {
		return wireProvider{text(i.Name), text(i.Help), text(i.Unavailable), i.Processes}
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
// ends early the run is stopped and recorded to its end, and if writing fails
// it is stopped and read to its end. Record does not close run.
func (w *Writer) Record(ctx context.Context, script string, run trace.Run) error {
	start := run.Began()
	_ = w.put(record{Run: &wireRun{text(script), wireTime(start)}}) // the first error stays
	stop := context.AfterFunc(ctx, run.Stop)
	defer stop()
	snaps, events, status := run.Snapshots(), run.Events(), run.Status()
	var told told
	for snaps != nil || events != nil || status != nil {
		var r record
		select {
		case s, ok := <-snaps:
			if !ok {
				snaps = nil
				continue
			}
			r.Snapshot = toSnapshot(s)
			told.tables(r.Snapshot.Aggs, s.Aggs)
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			r.Events = each(e, toEvent)
			told.events(r.Events, e)
		case s, ok := <-status:
			if !ok {
				status = nil
				continue
			}
			r.Status = toStatus(s)
		}
		if list := told.unwritten(); list != nil {
			_ = w.put(record{Origins: list})
		}
		r.At = since(start)
		if w.put(r) != nil {
			run.Stop() // what comes cannot be kept
		}
	}
	return w.put(record{At: since(start), End: true})
}

// since returns the nanoseconds since start, at least one.
func since(start time.Time) int64 { return max(int64(time.Since(start)), 1) }

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
