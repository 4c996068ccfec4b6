package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	_ "dscope.dev/ui/quiet" // before Bubble Tea is initialised
)

// signalMsg says that the program is being ended from outside.
type signalMsg struct{ sig os.Signal }

// A SignalError says that a signal ended the workbench, as it was told to: nothing failed.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "ended by " + e.Signal.String() }

// Run shows the workbench until the user leaves, ctx ends, or a signal comes.
// Whatever ends it, the terminal is given back and every run is closed.
func Run(ctx context.Context, b Backend, o Options) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	debug.SetGCPercent(50) // the heap is the past, which stays: twice its size would be waste
	o.ASCII = o.ASCII || !drawsGlyphs(os.Getenv)
	o.Assume = assumedSize(os.Getenv)
	o.Light = lightByEnv(os.Getenv)
	if o.Clipboard == nil {
		o.Clipboard = os.Stdout
	}
	m, err := New(ctx, b, o)
	if err != nil {
		return err
	}
	// Whatever happens below, a panic included, nothing stays attached.
	var ended signals
	defer func() {
		sig := ended.first.Load()
		err = errors.Join(err, m.open.closeAll(), m.open.noted())
		if err == nil && sig != nil {
			err = &SignalError{*sig}
		}
	}()

	c := newCanvas(os.Stdout)
	defer c.stop()
	j := &jobs{}
	m.jobs = j
	options := []tea.ProgramOption{tea.WithOutput(c), tea.WithFPS(renderFPS), tea.WithAltScreen(), tea.WithContext(ctx), tea.WithoutSignalHandler()}
	if o.Config == nil || o.Config.Mouse {
		options = append(options, tea.WithMouseCellMotion())
	}
	settings, _ := term.GetState(os.Stdin.Fd()) // no terminal has none
	var p *tea.Program
	in := &answers{File: os.Stdin, tell: func(msg backgroundMsg) { go p.Send(msg) }}
	if m.memory.suits && answersColours(os.Getenv) {
		c.question = background
	} else {
		in.done.Store(true)
	}
	p = tea.NewProgram(shown{m, c}, append(options, tea.WithInput(in))...)
	c.ask = func() { p.Send(dueMsg{}) }
	j.program = p
	ended.forced = make(chan struct{})
	stop := ended.obey(p, c, m.open, &j.lent)
	defer stop()
	awake := j.watch()
	defer awake()
	done := make(chan error, 1)
	go func() {
		_, err := p.Run()
		done <- err
	}()
	select {
	case err = <-done:
	case <-ended.forced: // the terminal takes nothing, and what waits for it is left behind
		_ = term.Restore(os.Stdin.Fd(), settings)
		return nil
	}
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return errors.New("the workbench came upon a fault of its own, shown above; runs have been detached")
	case ctx.Err() != nil || ended.first.Load() != nil && errors.Is(err, tea.ErrProgramKilled):
		return nil
	}
	return err
}

// signals are those that end the program; first is the one that did, nil if none has.
type signals struct {
	first  atomic.Pointer[os.Signal]
	forced chan struct{} // closed when the program has to be left where it is
}

// How long the parts of an end may take once a signal has come. Detaching is not waited
// for by the clock of the screen: what is attached costs the machine. The tests set them.
var (
	patient = 2 * time.Second  // for the screen to be given back, once runs have ended
	grace   = 10 * time.Second // for runs to end
)

// obey turns the signals that end a program into a message. Runs are closed beside it, so
// that nothing stays attached because a terminal takes no more. Where runs take long to
// end, the screen is given back before they have; where the terminal takes nothing, the
// program is left.
// An interrupt while another program has the terminal is that one's.
func (e *signals) obey(p *tea.Program, c *canvas, open *runs, lent *atomic.Bool) (stop func()) {
	ch := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		var s os.Signal
		for s == nil || s == syscall.SIGINT && lent.Load() {
			select {
			case s = <-ch:
			case <-done:
				return
			}
		}
		e.first.Store(&s)
		go p.Send(signalMsg{s})
		c.end()
		closed := make(chan struct{})
		go func() {
			open.closeAll() // Run tells of its error
			close(closed)
		}()
		select {
		case <-closed:
		case <-time.After(grace):
		case <-done:
			return
		}
		for _, then := range []func(){p.Kill, func() { close(e.forced) }} {
			select {
			case <-time.After(patient):
				then()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(ch)
		close(done)
	}
}

// signalled leaves at once: unsaved text is kept for the next time, and what was open.
func (m *Model) signalled(msg signalMsg) tea.Cmd {
	flush, open := m.doc().Flush(), m.open
	m.say(warning, fmt.Sprintf("ended by %v", msg.sig))
	keep := func() tea.Msg { // first: what holds up a run holds up no text
		if flush != nil {
			open.note(flush())
		}
		return nil
	}
	closing := func() tea.Msg {
		open.note(open.closeAll())
		return nil
	}
	return tea.Sequence(keep, m.rememberSoFar(), m.writeSession(), closing, tea.Quit)
}
