package resolver

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"dscope.dev/probes/scout"
	"dscope.dev/probes/space"
)

// A pool is the workers of this process.
type pool struct {
	program  string
	deadline time.Duration
	slots    chan struct{} // for those that have something to do

	mu      sync.Mutex
	idle    []*worker
	places  [MostWorkers]*worker // of those that may read
	told    map[*follower]bool
	walls   []string // of the last worker
	unable  error    // why none can be used; nil if one was, or none was tried
	scout   int      // the process that opens files for us; 0 is nobody
	refused map[space.Stamp]string
	said    []string // why, in the order in which that was found
	stuck   int      // workers that could not be killed
}

// Bounds on workers and on what is remembered. A worker that is being killed counts no more.
const (
	MostWorkers = 3 // at once
	mostStuck   = 8
	mostRefused = 1 << 12
	startWithin = 10 * time.Second
)

// workers are those of this process; nil if jobs are done here.
var (
	workersMu sync.Mutex
	workers   *pool
)

// Use has jobs done by workers from now on: processes of a program that calls Serve if Asked says
// so.
func Use(program string) {
	p := newPool(program, Deadline)
	use(p)
	scout.Use(program, scout.Tell{Hangs: p.hangs, Is: p.scouted})
}

func newPool(program string, deadline time.Duration) *pool {
	return &pool{program: program, deadline: deadline, slots: make(chan struct{}, MostWorkers), refused: map[space.Stamp]string{}, told: map[*follower]bool{}}
}

func use(p *pool) {
	workersMu.Lock()
	defer workersMu.Unlock()
	workers = p
}

func current() *pool {
	workersMu.Lock()
	defer workersMu.Unlock()
	return workers
}

// State says what holds the workers, by starting one if there is none. If used is false jobs are
// done here, because nobody said Use or because of err.
func State() (walls []string, used bool, err error) {
	p := current()
	if p == nil {
		return nil, false, nil
	}
	w, err := p.take()
	if err != nil {
		return nil, false, err
	}
	p.give(w)
	return w.walls, true, nil
}

// Warm starts a worker that has nothing to do yet. What is returned is closed when that is done.
func Warm() <-chan struct{} {
	done := make(chan struct{})
	go scout.Warm()
	go func() {
		defer close(done)
		_, _, _ = State() // whoever asks is told
	}()
	return done
}

// Refusals returns why files are not looked into any more, from a number on, and the number
// of the next.
func Refusals(from int) (list []string, next int) {
	p := current()
	if p == nil {
		return nil, from
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return append(list, p.said[min(from, len(p.said)):]...), len(p.said)
}

// hangs remembers where what opens files hangs.
func (p *pool) hangs(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) < mostRefused {
		p.said = append(p.said, why)
	}
}

// rest ends the workers that have nothing to do.
func rest() {
	if p := current(); p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, w := range p.idle {
			p.leave(w)
			w.end()
		}
		p.idle = nil
	}
}

// elsewhere has a question answered by a worker. It is not ok if there can be none.
func elsewhere(f File, job string, q any, most int) (answer []byte, err error, ok bool) {
	p := current()
	if p == nil {
		return nil, nil, false
	}
	p.mu.Lock()
	why := p.refused[f.Stamp]
	p.mu.Unlock()
	if why != "" {
		return nil, errors.New(why), true
	}
	for {
		w, err := p.take()
		switch {
		case errors.Is(err, errUnable):
			return nil, nil, false
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", f.Name, err), true
		}
		fresh := w.asked == 0
		answer, said, err := w.ask(f, head{Job: job, Name: f.Name, Key: keyOf(job, f), Size: f.Stamp.Size}, q, most, p.deadline)
		if err == nil {
			p.give(w)
			return answer, said, true
		}
		if p.drop(w); fresh || errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, p.refuse(f, err), true
		}
		// The files that it has read before may have been what it died of.
	}
}

// refuse remembers that a file is not to be looked into again.
func (p *pool) refuse(f File, err error) error {
	why := fmt.Sprintf("%s: what reads it has failed (%v); it is not looked into again", f.Name, err)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		why = fmt.Sprintf("%s took more than %v to read; it is not looked into again", f.Name, p.deadline)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.refused) < mostRefused {
		p.refused[f.Stamp] = why
		p.said = append(p.said, why)
	}
	return errors.New(why)
}

// errUnable is what take wraps if no worker can be used.
var errUnable = errors.New("files are read by dscope itself")

// take returns a worker with nothing to do, which is to be given back or dropped.
func (p *pool) take() (*worker, error) {
	p.slots <- struct{}{}
	w, err := p.free()
	if err != nil {
		<-p.slots
	}
	return w, err
}

// free finds a worker, or starts one.
func (p *pool) free() (*worker, error) {
	p.mu.Lock()
	unable, stuck := p.unable, p.stuck
	for n := len(p.idle) - 1; unable == nil && n >= 0; n-- {
		w := p.idle[n]
		p.idle = p.idle[:n]
		if w.lives() {
			p.mu.Unlock()
			return w, nil
		}
		p.leave(w)
		w.end()
	}
	p.mu.Unlock()
	if unable != nil {
		return nil, unable
	}
	if stuck >= mostStuck {
		return nil, fmt.Errorf("%d files hang and cannot be let go of: no more are read", stuck)
	}
	w, err := start(p.program)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil:
		p.walls = w.walls
		p.enter(w)
	case p.walls == nil && !errors.Is(err, os.ErrDeadlineExceeded): // the first: so it will be with the others
		err = fmt.Errorf("%w: %w", errUnable, err)
		p.unable = err
	}
	return w, err
}

// give gives a worker back, if it can read more.
func (p *pool) give(w *worker) {
	if w.full() {
		p.drop(w)
		return
	}
	p.mu.Lock()
	p.idle = append(p.idle, w)
	p.mu.Unlock()
	<-p.slots
}

// drop kills a worker, and counts it for as long as it lives.
func (p *pool) drop(w *worker) {
	p.mu.Lock()
	p.stuck++
	p.leave(w)
	p.mu.Unlock()
	w.end()
	go func() {
		<-w.gone
		p.mu.Lock()
		p.stuck--
		p.mu.Unlock()
	}()
	<-p.slots
}
