package remote

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// fail makes plain values of an error; nil of none.
func fail(err error) *wire.Failure {
	if err == nil {
		return nil
	}
	return wire.Fail(err)
}

// manyProbes is how many probes one message of engine/wire tells of.
const manyProbes = 8 << 10

// probes answers with a list of probes, which may be long: each part of a name crosses once.
func (c *call) probes() {
	var list []trace.Probe
	var families []trace.ProviderInfo
	var err error
	if c.ask.Op == opFunctions {
		list, err = c.server.Backend.Functions(c.ctx, c.ask.Process, c.ask.Module)
	} else {
		list, families, err = c.server.Backend.Probes(c.ctx, c.ask.Pattern)
	}
	// Some of the list is there even if all of it could not be found.
	if c.send(&answer{Err: fail(err), Count: len(list)}) != nil {
		return
	}
	w, err := wire.NewWriter(c.ReadWriteCloser, wire.Hello{})
	if err != nil {
		return
	}
	_ = w.Write(&wire.Providers{List: families}) // the first error stays
	for part := range slices.Chunk(list, manyProbes) {
		_ = w.Write(&wire.Probes{List: part})
	}
	_ = w.Flush()
}

// run answers with a run: notes, its number, and then what it delivers. It is closed when
// the client closes the call.
func (c *call) run() {
	started := make(chan trace.Run, 1)
	go c.listen(started)
	notes, over := make(chan string, 16), make(chan struct{})
	go func() {
		defer close(over)
		for text := range notes {
			_ = c.send(&answer{Note: text, Noted: true}) // a client that is gone has canceled
		}
	}()
	ctx := trace.WithNotes(c.ctx, func(text string) {
		select {
		case notes <- text:
		default: // a client that reads nothing
		}
	})
	run, err := c.start(ctx)
	close(notes)
	<-over
	if err != nil {
		_ = c.send(failed(err))
		return
	}
	id := c.register(run)
	defer c.unregister(id)
	// Whatever the writer waits for: the run ends with the call.
	closed := make(chan struct{})
	stop := context.AfterFunc(c.ctx, func() {
		defer close(closed)
		_ = run.Close() // the last status has told
	})
	defer func() {
		if !stop() {
			<-closed
			return
		}
		_ = run.Close()
	}()
	started <- run
	if c.send(&answer{Run: id}) != nil {
		return
	}
	w, err := wire.NewWriter(c.ReadWriteCloser, wire.Hello{Made: time.Now(), Kernel: c.server.Kernel, Machine: c.server.Machine})
	if err != nil {
		return
	}
	begin := &wire.Begin{Run: 1, Script: trace.Script{Target: c.ask.Script.Target}, Began: run.Began()}
	if wire.Send(context.WithoutCancel(c.ctx), w, begin, run) != nil {
		return
	}
	<-c.ctx.Done() // another run may still take its place
}

// start starts the run of the call.
func (c *call) start(ctx context.Context) (trace.Run, error) {
	if c.ask.Op != opSwap {
		return c.server.Backend.Run(ctx, c.ask.Script)
	}
	old, ok := c.runOf(c.ask.Old)
	if !ok {
		return nil, errors.New("the run whose place this one was to take has been closed")
	}
	return c.server.Backend.Swap(ctx, old, c.ask.Script)
}

// listen stops the run when it is asked to, and ends the call when the client closes it.
func (c *call) listen(started <-chan trace.Run) {
	defer c.cancel()
	var run trace.Run
	for {
		var more ask
		if c.receive(&more, mostAsk) != nil {
			return
		}
		if run == nil {
			select {
			case run = <-started:
			case <-c.ctx.Done():
				return
			}
		}
		if more.Op == opStop {
			run.Stop()
		}
	}
}

func (p *peer) register(run trace.Run) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	p.runs[p.count] = run
	return p.count
}

func (p *peer) unregister(id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.runs, id)
}

func (p *peer) runOf(id uint64) (trace.Run, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	run, ok := p.runs[id]
	return run, ok
}

// command answers with what a command line prints, and its exit code.
func (c *call) command() {
	if c.server.Execute == nil || c.ask.Command == nil {
		_ = c.send(failed(errors.New("no command lines are taken here")))
		return
	}
	signals := make(chan int, 4)
	go func() {
		defer c.cancel()
		for {
			var more ask
			if c.receive(&more, mostAsk) != nil {
				return
			}
			if more.Op != opSignal {
				continue
			}
			select {
			case signals <- more.Signal:
			default: // who sends so many has been heard
			}
		}
	}()
	code, err := c.server.Execute(c.ctx, *c.ask.Command, Terminal{
		Write: func(descriptor int, b []byte) error {
			if c.ctx.Err() != nil {
				return io.ErrClosedPipe
			}
			return c.send(&answer{Output: descriptor, Data: b})
		},
		Signals: signals,
	})
	if err != nil {
		_ = c.send(failed(err))
		return
	}
	_ = c.send(&answer{Exit: &code})
}
