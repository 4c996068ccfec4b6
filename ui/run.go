package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/outline"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/document"
	"dscope.dev/ui/history"
	"dscope.dev/ui/loss"
	"dscope.dev/ui/shelf"
)

// A current is the run that the screen shows. Its number names it in every
// message, so that what an earlier run still had to say is told apart.
type current struct {
	id       int
	of       document.Ref // the script
	lines    []int        // of its clauses, from 0
	run      trace.Run    // nil before the first, and once it has been closed
	stopping bool
	script   string   // that it runs
	options  []string // of the call, beside those of the script
	ledger   loss.Ledger
	cut      []loss.Line    // in its keys, as found when the ledger was opened
	last     trace.Snapshot // that has come
	printed  bool           // something has come into the output, which the status tells later
	change   string         // of the script since the run before
	began    time.Time
	status   trace.Status
	open     int // of its channels
	err      error
	past     history.Run // what is remembered of it; without an ID if nothing is
}

// active reports whether the run has begun and not ended.
func (c *current) active() bool { return c.run != nil }

// shown reports whether there is anything to say of a run.
func (c *current) shown() bool { return c.id > 0 }

// A pending is a run that has been asked for and has not begun. The run before goes on
// until it has: a script that does not compile costs nobody what they watch.
type pending struct {
	id      int                // of the last that was asked for, also when it has begun
	cancel  context.CancelFunc // nil if nothing starts
	of      document.Ref       // the script
	given   bool               // up, by the user
	note    string             // what was said last of what it waits for
	because string             // what it is run again for; "" if the user has asked for no more than that
	err     error              // why it has not begun, while nothing else runs
}

// under reports whether a run is about to begin.
func (p *pending) under() bool { return p.cancel != nil }

// Messages about a run.
type (
	startedMsg struct {
		id     int
		script trace.Script
		run    trace.Run
		err    error
		took   time.Duration // from the key until it had taken the place of the run before; 0 if it began beside
	}
	snapshotMsg struct {
		id   int
		snap trace.Snapshot
	}
	eventsMsg struct {
		id      int
		batches [][]trace.Event // as they were sent: a million events are not copied
		faults  map[loss.Fault]uint64
	}
	statusMsg struct {
		id     int
		status trace.Status
	}
	endedMsg  struct{ id int } // one channel of the run is closed
	closedMsg struct {
		id  int
		err error
	}
)

// runs holds every run that has been started and not closed, so that whatever
// ends the program can close them. It is the one thing that commands share.
type runs struct {
	ctx    context.Context
	mu     sync.Mutex
	open   map[trace.Run]bool
	over   bool          // the program ends: a run that starts now is closed at once
	closed chan struct{} // closed when the last run is; nil until the end begins
	failed error         // of closing all of them
	err    error         // of what else belongs to an end
}

// note keeps an error of the end for whoever is there to read it.
func (r *runs) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && !errors.Is(r.failed, err) {
		r.err = errors.Join(r.err, err)
	}
}

// noted returns what was noted.
func (r *runs) noted() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// add enters a run; false means that it came too late and has to be closed.
func (r *runs) add(run trace.Run) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return false
	}
	if r.open == nil {
		r.open = map[trace.Run]bool{}
	}
	r.open[run] = true
	return true
}

// close closes a run; it may take as long as detaching takes.
func (r *runs) close(run trace.Run) error {
	err := run.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, run)
	return err
}

// closeAll closes every run and lets no more begin. Whoever calls it waits until all are
// closed; the error is told to each.
func (r *runs) closeAll() error {
	r.mu.Lock()
	if r.over {
		r.mu.Unlock()
		<-r.closed
		return r.failed
	}
	r.over, r.closed = true, make(chan struct{})
	open := r.open
	r.open = nil
	r.mu.Unlock()
	var all sync.WaitGroup
	errs := make(chan error, len(open))
	for run := range open {
		all.Go(func() { errs <- run.Close() })
	}
	all.Wait()
	close(errs)
	var failed error
	for err := range errs {
		failed = errors.Join(failed, err)
	}
	r.mu.Lock()
	r.failed = failed
	r.mu.Unlock()
	close(r.closed)
	return failed
}

// start has the script compiled and attached, to take the place of the run in progress
// once it has begun.
func (m *Model) start() tea.Cmd { return m.startWith(nil, "") }

// toWatch has each save run the script, or no longer.
func (m *Model) toWatch() tea.Cmd {
	m.watching = !m.watching
	if m.watching {
		m.say(plain, "what is saved is run; "+m.keys.Key("run.watch")+" ends that")
	} else {
		m.say(plain, "a save runs nothing any more")
	}
	return nil
}

// runSaved runs a script that was saved, if that is asked for. One with errors is left to be
// mended.
func (m *Model) runSaved() tea.Cmd {
	if errors, _ := m.doc().Complaints(); !m.watching || errors > 0 {
		return nil
	}
	return m.start()
}

// startWith is start with options that the script does not set, for this run alone.
func (m *Model) startWith(options []string, because string) tea.Cmd {
	script := m.written(m.doc().Text())
	for _, o := range options { // those of the configuration may be among them
		if !slices.Contains(script.Options, o) {
			script.Options = append(script.Options, o)
		}
	}
	return m.startScript(script, m.doc().Ref(), because)
}

// startScript starts a script, which is that text of a document.
func (m *Model) startScript(script trace.Script, of document.Ref, because string) tea.Cmd {
	if m.next.under() {
		m.next.cancel()
	}
	ctx, cancel := context.WithCancel(m.open.ctx)
	m.next = pending{id: m.next.id + 1, cancel: cancel, of: of, because: because}
	m.say(plain, "")
	if !m.run.active() {
		m.live.SetEmpty("starting …")
		m.output.SetEmpty("starting …")
	}
	id, open, back := m.next.id, m.open, m.back
	ctx, notes := noting(ctx)
	swapper, ok := back.(Swapper)
	old, from := m.run.run, time.Now()
	return tea.Batch(nextNote(id, notes), func() tea.Msg {
		defer close(notes)
		var run trace.Run
		var err error
		var took time.Duration
		if ok && old != nil {
			run, err = swapper.Swap(ctx, old, script)
			took = time.Since(from)
		} else {
			run, err = back.Run(ctx, script)
		}
		if err == nil && !open.add(run) {
			err = errors.Join(context.Canceled, run.Close())
			run = nil
		}
		return startedMsg{id, script, run, err, took}
	})
}

// stop gives up the run that is about to begin, or else asks the one in progress to
// end as Ctrl-C does; what remains is still shown.
func (m *Model) stop() tea.Cmd {
	if m.next.under() {
		m.next.given = true
		m.next.cancel()
		return nil
	}
	m.run.stopping = true
	run := m.run.run
	return func() tea.Msg {
		run.Stop()
		return nil
	}
}

// notRunning says why there is nothing to stop.
func (m *Model) notRunning() string {
	if !m.run.active() && !m.next.under() {
		return "nothing is running"
	}
	return ""
}

// runMsg takes what a run has to say.
func (m *Model) runMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case startedMsg:
		return m.started(msg)
	case noteMsg:
		return m.noted(msg)
	case snapshotMsg:
		if msg.id == m.run.id {
			m.run.last = msg.snap
			m.run.status.Elapsed = max(m.run.status.Elapsed, msg.snap.Elapsed) // a recording may tell of its state at the end alone
			for _, o := range m.opts.Beside {
				o.Snapshot(msg.snap)
			}
			m.live.SetSnapshot(msg.snap)
			return nextSnapshot(msg.id, m.run.run)
		}
	case eventsMsg:
		if msg.id == m.run.id {
			for _, b := range msg.batches {
				m.output.Add(b)
			}
			m.run.printed = true
			m.run.ledger.NoteFaults(msg.faults, m.run.status.Elapsed)
			return nextEvents(msg.id, m.run.run)
		}
	case statusMsg:
		if msg.id == m.run.id {
			for _, o := range m.opts.Beside {
				o.Status(msg.status)
			}
			m.setStatus(msg.status)
			return nextStatus(msg.id, m.run.run)
		}
	case endedMsg:
		if msg.id == m.run.id {
			return m.ended()
		}
	case closedMsg:
		if told := m.run.err != nil && errors.Is(msg.err, m.run.err); msg.id == m.run.id && msg.err != nil && !told {
			m.say(failure, "close the run: "+msg.err.Error())
		}
	}
	return nil
}

// started takes a run that has begun in place of the one before, or says why it has
// not.
func (m *Model) started(msg startedMsg) tea.Cmd {
	next := m.next
	switch last := msg.id == next.id; {
	case !last && msg.run == nil: // another was started meanwhile
		return nil
	case !last && msg.took == 0:
		return m.closeRun(msg.id, msg.run)
	case last:
		next.cancel()
		m.next = pending{id: next.id}
		m.waited(next)
		if msg.err != nil {
			m.refused(next, msg.script, msg.err)
			return nil
		}
		word := next.because
		if msg.took > 0 {
			took := fmt.Sprintf("took the place of run %d in %d ms", m.run.id, msg.took.Milliseconds())
			if word != "" {
				word += ": "
			}
			word += took
		}
		if word != "" {
			m.say(plain, word)
		}
	default: // it has taken the place of the run, and must not be closed before the other has begun
		next.of, next.given = document.Ref{}, false
	}
	var cmds []tea.Cmd
	if m.run.active() {
		cmds = append(cmds, m.closeRun(m.run.id, m.run.run))
	}
	change := "the first"
	if m.run.shown() {
		change = shelf.Change(m.run.script, msg.script.Text)
		m.kept.Put(m.present())
		cmds = append(cmds, m.rememberEnd())
	}
	m.run = current{id: msg.id, began: msg.run.Began(), change: change, of: next.of, lines: outline.Clauses(msg.script.Text), script: msg.script.Text, options: msg.script.Options, run: msg.run, open: 3, status: trace.Status{State: trace.Running}}
	for _, o := range m.opts.Beside {
		o.Begin(m.run.began)
	}
	m.trail.front = liveSlot // who has run a script wants to see what comes
	m.place()
	if m.live.Held() != "" { // both panes were at a moment of the run before
		m.output.ShowLast()
	}
	m.visited = nil
	m.live.Reset()
	m.output.Begin(m.run.id, m.run.began, outline.Sets(msg.script.Text, "temporal"))
	m.live.SetEmpty("waiting for the first probe to fire")
	m.output.SetEmpty("nothing printed yet")
	cmds = append(cmds, m.rememberBegin(msg.script), nextSnapshot(msg.id, msg.run), nextEvents(msg.id, msg.run), nextStatus(msg.id, msg.run))
	if next.given { // too late to be cut short
		cmds = append(cmds, m.stop())
	}
	return tea.Batch(cmds...)
}

// refused says why the script does not run: under the words that are to blame
// if there are any. A run in progress goes on.
func (m *Model) refused(next pending, script trace.Script, err error) {
	level, text := failure, err.Error()
	var list *diag.ListError
	var wide *trace.WideError
	switch {
	case next.given, errors.Is(err, context.Canceled): // whatever was cut short may complain of it in its own words
		level, text, err = plain, "start given up", nil
	case errors.As(err, &wide):
		m.askForeseen(&foreseen{estimate: wide.Estimate, script: script, of: next.of, because: next.because})
		level, text, err = plain, "not started: "+wide.Estimate.String(), nil
	case errors.As(err, &list):
		m.editor.SetDiagnostics(next.of, list.List)
	default:
		m.output.Note(text)
	}
	if m.run.active() {
		m.say(level, fmt.Sprintf("run %d goes on: %s", m.run.id, text))
		return
	}
	m.say(level, text)
	m.next.err = err
	m.idle()
}

// idle says what can be done while nothing runs.
func (m *Model) idle() {
	m.live.SetEmpty(m.keys.Key("run.start") + " runs the script")
	m.output.SetEmpty("what the script prints comes here")
}

// setStatus takes the state of the run.
func (m *Model) setStatus(s trace.Status) {
	m.run.status = s
	if s.Events > 0 && s.State == trace.Running && !m.next.under() {
		m.live.SetEmpty("nothing is aggregated so far")
	}
	m.run.ledger.Note(&s)
	m.followHost()
	m.tellCost(s.Cost)
	if s.State == trace.Failed && s.Err != nil {
		m.run.err = s.Err
		if bag := m.run.bag(); bag != nil {
			m.say(failure, m.bagBrief(bag))
		} else {
			m.say(failure, s.Err.Error())
		}
		m.output.Note(s.Err.Error())
	}
}

// ended counts the channels of the run that are closed; after the last the run
// holds nothing that anybody waits for, and is given back.
func (m *Model) ended() tea.Cmd {
	m.run.open--
	if m.run.open > 0 {
		return nil
	}
	run := m.run.run
	m.run.run, m.run.stopping = nil, false
	m.live.End()
	if m.run.status.State < trace.Done {
		m.run.status.State = trace.Done
	}
	if !m.next.under() {
		m.idle()
	}
	return tea.Batch(m.closeRun(m.run.id, run), m.rememberEnd())
}

func (m *Model) closeRun(id int, run trace.Run) tea.Cmd {
	open := m.open
	return func() tea.Msg { return closedMsg{id, open.close(run)} }
}

// nextSnapshot waits for one snapshot. Update issues it again after each, so
// at most one is in flight and the screen sets the pace; so do the others.
func nextSnapshot(id int, run trace.Run) tea.Cmd {
	return func() tea.Msg {
		s, ok := <-run.Snapshots()
		if !ok {
			return endedMsg{id}
		}
		return snapshotMsg{id, s}
	}
}

func nextStatus(id int, run trace.Run) tea.Cmd {
	return func() tea.Msg {
		s, ok := <-run.Status()
		if !ok {
			return endedMsg{id}
		}
		return statusMsg{id, s}
	}
}

// The bounds of what is gathered into one message: a frame is drawn for each,
// and thirty a second are enough.
const (
	gatherFor  = 33 * time.Millisecond
	gatherMost = 50_000
)

// nextEvents waits for events, then gathers what comes in the time of a frame.
func nextEvents(id int, run trace.Run) tea.Cmd {
	return func() tea.Msg {
		first, ok := <-run.Events()
		if !ok {
			return endedMsg{id}
		}
		frame := time.NewTimer(gatherFor)
		defer frame.Stop()
		batches := [][]trace.Event{first}
		for n := trace.Firings(first); n < gatherMost; {
			select {
			case more, ok := <-run.Events():
				if !ok { // the next call sees it again
					return eventsMsg{id, batches, loss.Faults(batches)}
				}
				batches = append(batches, more)
				n += trace.Firings(more)
			case <-frame.C:
				return eventsMsg{id, batches, loss.Faults(batches)}
			}
		}
		return eventsMsg{id, batches, loss.Faults(batches)}
	}
}

// drops returns how many drops the run has counted.
func (c *current) drops() uint64 { return datum.Drops(c.status.Drops) }
