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

	_ "dscope.dev/ui/quiet" // before Bubble Tea is initialised
)

// signalMsg says that the program is being ended from outside.
type signalMsg struct{ sig os.Signal }

// A SignalError says that a signal ended the workbench, as it was told to: nothing failed.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return "ended by " + e.Signal.String() }

// grace is how long a run may take to end once the program is being ended.
const grace = 10 * time.Second

// Run shows the workbench until the user leaves, ctx ends, or a signal comes.
// Whatever ends it, the terminal is given back and every run is closed.
func Run(ctx context.Context, b Backend, o Options) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	debug.SetGCPercent(50) // the heap is the past, which stays: twice its size would be waste
	o.ASCII = o.ASCII || !drawsGlyphs(os.Getenv)
	o.Assume = assumedSize(os.Getenv)
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
		if sig != nil && errors.Is(err, tea.ErrProgramKilled) { // by us, because it was not heard
			err = nil
		}
		err = errors.Join(err, m.open.closeAll(), m.open.err)
		if err == nil && sig != nil {
			err = &SignalError{*sig}
		}
	}()

	c := newCanvas(os.Stdout)
	defer c.stop()
	p := tea.NewProgram(shown{m, c}, tea.WithOutput(c), tea.WithFPS(renderFPS), tea.WithAltScreen(), tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithMouseCellMotion())
	c.ask = func() { p.Send(dueMsg{}) }
	stop := ended.obey(p)
	defer stop()
	awake := wake(p)
	defer awake()
	_, err = p.Run()
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return errors.New("the workbench came upon a fault of its own, shown above; runs have been detached")
	case ctx.Err() != nil:
		return nil
	}
	return err
}

// signals are those that end the program; first is the one that did, nil if none has.
type signals struct{ first atomic.Pointer[os.Signal] }

// obey turns the signals that end a program into a message, and ends the
// program by force if that is not heard.
func (e *signals) obey(p *tea.Program) (stop func()) {
	ch := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case s := <-ch:
			e.first.Store(&s)
			go p.Send(signalMsg{s})
		case <-done:
			return
		}
		select {
		case <-time.After(grace):
			p.Kill()
		case <-done:
		}
	}()
	return func() {
		signal.Stop(ch)
		close(done)
	}
}

// resumedMsg says that the program goes on after it was stopped.
type resumedMsg struct{}

// wake takes the terminal back when the program goes on after a signal stopped it: the
// shell has set it up for itself meanwhile.
func wake(p *tea.Program) (stop func()) {
	ch := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(ch, syscall.SIGCONT)
	go func() {
		for {
			select {
			case <-ch:
				if p.ReleaseTerminal() == nil && p.RestoreTerminal() == nil {
					go p.Send(resumedMsg{})
				}
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

// resumed draws everything anew, and takes the mouse as before.
func (m *Model) resumed() tea.Cmd {
	if !m.mouse.on {
		return tea.ClearScreen
	}
	return tea.Batch(tea.ClearScreen, tea.EnableMouseCellMotion)
}

// signalled leaves at once: unsaved text is kept for the next time.
func (m *Model) signalled(msg signalMsg) tea.Cmd {
	flush, open, remember := m.doc().Flush(), m.open, m.writeSession()
	m.say(warning, fmt.Sprintf("ended by %v", msg.sig))
	return tea.Sequence(func() tea.Msg {
		open.err = open.closeAll()
		if flush != nil {
			open.err = errors.Join(open.err, flush())
		}
		return nil
	}, remember, tea.Quit)
}
