package replay

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/trace"
)

// A Player plays a recording. It serves the workbench as the tracer does: it
// lists and describes the probes that were recorded, checks what a parser can
// check, and runs the scripts whose runs it holds.
type Player struct {
	Header    Header
	Speed     float64 // 2 plays twice as fast; 0 is 1
	probes    []trace.Probe
	providers []trace.ProviderInfo
	infos     map[trace.Probe]trace.ProbeInfo
	runs      []*recorded
	broken    error // why the recording ends early
}

func newPlayer() *Player {
	return &Player{infos: map[trace.Probe]trace.ProbeInfo{}}
}

// Scripts returns the scripts whose runs are recorded, in order.
func (p *Player) Scripts() []string {
	var out []string
	for _, r := range p.runs {
		out = append(out, r.script)
	}
	return out
}

// Check returns the complaints of the parser. Types and probes were of the
// machine that recorded.
func (p *Player) Check(_ context.Context, script string) diag.List {
	_, list := parser.Parse(token.NewFile("script", script))
	return list
}

// completions bounds what Complete returns.
const completions = 100

// Complete offers the names of recorded probes.
func (p *Player) Complete(_ context.Context, script string, at int) (int, []trace.Completion) {
	at = min(max(at, 0), len(script))
	from := at
	for from > 0 && !strings.ContainsRune(" \t\n\r,{}()/;", rune(script[from-1])) {
		from--
	}
	word := script[from:at]
	if word == "" || strings.ContainsAny(word, "@$\"'") {
		return from, nil
	}
	var out []trace.Completion
	for _, probe := range p.probes {
		if len(out) == completions {
			break
		}
		if s := probe.String(); strings.HasPrefix(s, word) {
			out = append(out, trace.Completion{Text: s, Detail: "probe", Kind: trace.CompleteProbe})
		}
	}
	return from, out
}

// Probes returns the recorded probes that pattern covers.
func (p *Player) Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error) {
	if pattern == "" {
		return p.probes, p.providers, nil
	}
	parts := strings.Split(pattern, ":")
	if len(parts) > 4 {
		return nil, nil, fmt.Errorf("probe description %s has more than four parts", pattern)
	}
	parts = append(make([]string, 4-len(parts)), parts...)
	var out []trace.Probe
	for i, probe := range p.probes {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if glob(parts[0], probe.Provider) && glob(parts[1], probe.Module) && glob(parts[2], probe.Function) && glob(parts[3], probe.Name) {
			out = append(out, probe)
		}
	}
	return out, p.providers, nil
}

// glob reports whether s matches; an empty pattern matches anything. Slashes
// are letters like others.
func glob(pattern, s string) bool {
	if pattern == "" {
		return true
	}
	plain := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(plain.Replace(pattern), plain.Replace(s))
	return ok && err == nil
}

// Describe returns what was recorded of a probe.
func (p *Player) Describe(_ context.Context, probe trace.Probe) (trace.ProbeInfo, error) {
	if i, ok := p.infos[probe]; ok {
		return i, nil
	}
	if !slices.Contains(p.probes, probe) {
		return trace.ProbeInfo{}, fmt.Errorf("describe %s: not in the recording", probe)
	}
	return trace.ProbeInfo{Probe: probe, Help: "its arguments were not recorded"}, nil
}

// Run plays the run of script. A script that was run several times plays the
// last of its runs.
func (p *Player) Run(ctx context.Context, script string) (trace.Run, error) {
	f := token.NewFile("script", script)
	if _, list := parser.Parse(f); list.Failed() {
		return nil, &diag.ListError{File: f, List: list}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, r := range slices.Backward(p.runs) {
		if same(r.script, script) {
			return p.play(r), nil
		}
	}
	return nil, fmt.Errorf("this is a recording: it holds no run of this script, only of %s", p.held())
}

// same reports whether two scripts differ in white space at most.
func same(a, b string) bool {
	return strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}

// held names the recorded scripts by their first lines.
func (p *Player) held() string {
	var out []string
	for _, s := range p.Scripts() {
		line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
		out = append(out, fmt.Sprintf("%q", line))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

// A playback is a recorded run in progress.
type playback struct {
	rec    *recorded
	speed  float64
	broken error
	start  time.Time
	snaps  chan trace.Snapshot
	events chan []trace.Event
	status chan trace.Status
	stop   chan struct{} // closed by Stop: deliver no more, end properly
	quit   chan struct{} // closed by Close: nobody reads any more
	stops  sync.Once
	quits  sync.Once
	wait   sync.WaitGroup
}

func (p *Player) play(r *recorded) *playback {
	speed := p.Speed
	if speed <= 0 {
		speed = 1
	}
	b := &playback{
		rec: r, speed: speed, start: time.Now(),
		snaps: make(chan trace.Snapshot, 1), events: make(chan []trace.Event), status: make(chan trace.Status, 1),
		stop: make(chan struct{}), quit: make(chan struct{}),
	}
	if !r.whole {
		b.broken = p.broken
		if b.broken == nil {
			b.broken = errors.New("the recording of this run has no end")
		}
	}
	b.wait.Go(b.playSnapshots)
	b.wait.Go(b.playEvents)
	b.wait.Go(b.playStatus)
	return b
}

func (b *playback) Snapshots() <-chan trace.Snapshot { return b.snaps }
func (b *playback) Events() <-chan []trace.Event     { return b.events }
func (b *playback) Status() <-chan trace.Status      { return b.status }

// Stop ends the playback where it is.
func (b *playback) Stop() { b.stops.Do(func() { close(b.stop) }) }

// Close ends the playback and waits until it has ended.
func (b *playback) Close() error {
	b.Stop()
	b.quits.Do(func() { close(b.quit) })
	b.wait.Wait()
	return nil
}

// until waits for a moment of the recording; false means that Stop came first.
func (b *playback) until(at time.Duration) bool {
	left := time.Duration(float64(at)/b.speed) - time.Since(b.start)
	if left <= 0 {
		select {
		case <-b.stop:
			return false
		default:
			return true
		}
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-b.stop:
		return false
	}
}

func (b *playback) playSnapshots() {
	defer close(b.snaps)
	for _, s := range b.rec.snaps {
		if !b.until(s.at) {
			return
		}
		latest(b.snaps, s.value)
	}
}

func (b *playback) playEvents() {
	defer close(b.events)
	for _, e := range b.rec.events {
		if !b.until(e.at) {
			return
		}
		select {
		case b.events <- e.value:
		case <-b.quit:
			return
		}
	}
}

// playStatus ends with a final state whatever happens.
func (b *playback) playStatus() {
	defer close(b.status)
	var last trace.Status
	for _, s := range b.rec.status {
		if !b.until(s.at) {
			break
		}
		last = s.value
		latest(b.status, last)
	}
	if last.State == trace.Done || last.State == trace.Failed {
		return
	}
	last.State, last.Rate = trace.Done, 0
	if b.until(b.rec.length) && b.broken != nil {
		last.State, last.Err = trace.Failed, b.broken
	}
	latest(b.status, last)
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
