package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"

	"dscope.dev/engine"
	"dscope.dev/engine/outside"
	"dscope.dev/engine/structured"
	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
)

// follow prints a run until it ends: by exit(), by an interrupt, by the end of
// its process, or because nobody reads the output any more.
func (j *job) follow(s *engine.Session, t *target, out io.Writer) error {
	testing := underTest()
	world := outside.New(out)
	over := make(chan struct{})
	newline := func() {
		if !testing && !j.opts.Structured() {
			io.WriteString(out, "\n") // so that last words do not follow ^C on its line
		}
	}
	if j.verbose {
		for _, h := range s.Hooks() {
			fmt.Fprintf(told, "dtrace: %s\n", h)
		}
	}
	if n := s.Lowered(); n > 0 && !j.opts.QuietResize {
		fmt.Fprintf(told, "dtrace: buffer size lowered to %s\n", bytesOf(n))
	}
	watched := j.watch(s, newline, t, over)
	if t != nil {
		if err := t.start(s); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	if j.ready != nil {
		j.ready()
	}
	status, err := j.print(s, out, world)
	close(over)
	<-watched
	if j.lastWords != "" && !status.Exited { // an exit() at the end of the process has come first
		j.tell(j.lastWords)
	}
	err = errors.Join(ignorePipe(err), s.Close(), world.Close())
	switch {
	case err != nil:
		return err
	case status.Exit != 0:
		return exitStatus(status.Exit)
	case j.opts.DropStatus != 0 && lossy(status):
		return exitStatus(j.opts.DropStatus)
	}
	return nil
}

// lossy reports whether a run has lost something.
func lossy(s trace.Status) bool {
	return slices.ContainsFunc(s.Drops, func(d trace.Drop) bool { return d.Count > 0 })
}

// tell says how a process ended.
func (j *job) tell(how string) {
	if !j.opts.Quiet {
		fmt.Fprintf(told, "dtrace: %s\n", how)
	}
}

// print prints a run to its end, for people or for programs. World may be nil: then nothing
// is done outside.
func (j *job) print(run trace.Run, out io.Writer, world *outside.World) (trace.Status, error) {
	if form, pretty, _ := structured.Parse(j.opts.Values["oformat"]); form != structured.Text {
		p := structured.New(out, structured.Options{Form: form, Pretty: pretty, Aggs: j.aggs})
		return p.Run(outside.Keep(run), j.beside...)
	}
	_, testing := os.LookupEnv("_DTRACE_TESTING")
	options := text.Options{
		Quiet: j.opts.Quiet, Verbose: j.verbose, Terminal: isTerminal(out), Testing: testing,
		Aggs:       text.AggLook{Hist: j.opts.AggHist, Pack: j.opts.AggPack, Scale: j.opts.Scale(), ASCII: j.ascii()},
		FlowIndent: j.opts.FlowIndent, StackIndent: j.opts.StackIndent,
		Reverse: j.opts.AggSort.Rev, Tags: j.opts.On("droptags"), RawBytes: j.opts.On("rawbytes"), StrSize: j.opts.StrSize,
	}
	if world != nil { // a nil of another type is none
		options.Outside = world
	}
	p := text.New(out, told, options)
	return p.Run(run, j.beside...)
}

// ascii reports whether packed histograms are drawn with ASCII alone: option encoding
// says so, or else the terminal.
func (j *job) ascii() bool {
	if encoding := j.opts.Values["encoding"]; encoding != "" {
		return encoding == "ascii"
	}
	return primitive()
}

// primitive reports whether the terminal is known to draw nothing but ASCII. Of any
// other, and of pipes, dtrace(1) believes that UTF-8 is understood.
func primitive() bool {
	switch os.Getenv("TERM") {
	case "dumb", "sun", "sun-color":
		return true
	}
	return false
}

// echo is how soon after a signal the same again is no second one: timeout(1) sends its
// signal to the process, and then to the group of it.
const echo = 200 * time.Millisecond

// watch stops the run at an interrupt or at the end of the process that it
// follows. A second interrupt ends dscope at once; the kernel gives back what it
// held. The returned channel is closed when watching has ended, which it does
// once over is closed.
func (j *job) watch(s *engine.Session, newline func(), t *target, over <-chan struct{}) <-chan struct{} {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE) // so that writing fails and the run ends in order
	ended := make(chan struct{})
	var gone <-chan string
	if t != nil {
		gone = t.done
	}
	go func() {
		defer close(ended)
		defer signal.Stop(signals)
		defer signal.Stop(broken)
		var interrupted time.Time
		var late <-chan time.Time // never, without a limit
		if j.limit > 0 {
			late = time.After(j.limit)
		}
		for {
			select {
			case sig := <-signals:
				switch {
				case interrupted.IsZero():
					interrupted = time.Now()
				case time.Since(interrupted) < echo:
					continue
				default:
					leave(t)
				}
				go func() { // a reader who does not read must not hold up the next signal
					if sig == syscall.SIGINT {
						newline()
					}
					s.Stop()
				}()
			case how := <-gone:
				if t.live--; t.live == 0 {
					j.lastWords = how
					s.Stop()
				} else {
					j.tell(how)
				}
			case <-late:
				s.Stop()
			case <-over:
				return
			}
		}
	}()
	return ended
}

// leave ends dscope at once, and the command that it runs.
func leave(t *target) {
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		if t != nil {
			t.release()
		}
	}()
	select {
	case <-killed:
	case <-time.After(time.Second): // a process may be deaf to SIGKILL for as long as its disk is
	}
	os.Exit(exitError)
}

// ignorePipe forgives a reader that has seen enough: dtrace ... | head.
func ignorePipe(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// isTerminal reports whether w draws on a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if ok && f == os.Stdout && handedOver != nil {
		return handedOver.Terminal
	}
	return ok && isatty.IsTerminal(f.Fd())
}

// bytesOf spells a size as dtrace(1) does: 4m, 512k, 100 bytes.
func bytesOf(n int) string {
	unit := -1
	for ; n >= 1024 && n%1024 == 0 && unit < 2; n /= 1024 {
		unit++
	}
	if unit < 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d%c", n, "kmg"[unit])
}
