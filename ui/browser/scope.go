package browser

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/patience"
)

// Processes tells which processes run and what of them can be probed. Every method
// may be called from any goroutine.
type Processes interface {
	// Processes lists those that execute a program.
	Processes(ctx context.Context) ([]trace.Process, error)

	// Process tells of one what can be told without reading symbols.
	Process(ctx context.Context, pid int) (trace.ProcessInfo, error)

	// Functions lists entry and return of all functions of one of its files.
	Functions(ctx context.Context, p trace.Process, file trace.Module) ([]trace.Probe, error)

	// Ended returns once a process has ended, with an error that says so, or ctx has.
	Ended(ctx context.Context, p trace.Process) error
}

// TargetMsg asks the parent to make a process the script's $target; number 0 is none.
type TargetMsg struct{ Process trace.Process }

// Messages to the pane itself about a process. Those of a scope that is not shown any
// more are dropped.
type (
	processMsg struct {
		scope *scope
		info  trace.ProcessInfo
		err   error
	}
	functionsMsg struct {
		scope *scope
		file  int
		list  []trace.Probe
		err   error
	}
	builtMsg struct {
		scope   *scope
		catalog *Catalog
		query   string
		result  *result
	}
	endedMsg struct {
		scope *scope
		err   error
	}
)

// A scope is a process that is looked at. Its files are read when they are asked for,
// one after the other, by commands that giveUp ends.
type scope struct {
	process trace.Process
	info    trace.ProcessInfo
	ready   bool // info is here
	ended   error

	life    context.Context // of the scope
	close   context.CancelFunc
	reading context.Context // of what is being read; nil if nothing is
	stop    context.CancelFunc

	read   map[int][]trace.Probe // the functions of files, by number
	failed map[int]error
	queue  []int // files to be read; the first is under way
	opens  map[int]bool

	building, stale bool // a catalog is being made, and it will be out of date
}

// enterScope shows a process in place of the machine.
func (m *Model) enterScope(p trace.Process) tea.Cmd {
	if m.scope == nil {
		m.stop()
		m.machine = m.view
		m.machine.typing = false
	} else {
		m.scope.shut()
	}
	life, closing := context.WithCancel(context.Background())
	s := &scope{process: p, life: life, close: closing, read: map[int][]trace.Probe{}, failed: map[int]error{}, opens: map[int]bool{}}
	m.scope, m.view = s, view{}
	m.info = map[trace.Probe]infoMsg{} // a number may mean another process by now
	source := m.source
	look := func() tea.Msg {
		info, err := patience.Within(life, looking, func(ctx context.Context) (trace.ProcessInfo, error) { return source.Process(ctx, p.PID) })
		return processMsg{s, info, err}
	}
	return tea.Batch(look, func() tea.Msg { return endedMsg{s, source.Ended(life, p)} })
}

// Enter shows a process.
func (m *Model) Enter(p trace.Process) tea.Cmd { return m.enterScope(p) }

// leaveScope shows the machine again.
func (m *Model) leaveScope() tea.Cmd {
	m.stop()
	m.scope.shut()
	m.scope, m.view, m.machine = nil, m.machine, view{}
	if m.query != "" && m.result == nil {
		return m.search()
	}
	return nil
}

func (s *scope) shut() {
	s.giveUp()
	s.close()
}

// busy reports whether files are being read.
func (s *scope) busy() bool { return s != nil && len(s.queue) > 0 }

// giveUp ends the reading of files; what has been read stays.
func (s *scope) giveUp() {
	if s.stop != nil {
		s.stop()
	}
	s.reading, s.stop, s.queue = nil, nil, nil
}

func (m *Model) noScope() string {
	if m.scope == nil {
		return "no process is shown: " + m.keys.Key("probes.process") + " chooses one"
	}
	return ""
}

// aim makes the process the script's target, or no longer.
func (m *Model) aim() tea.Cmd {
	p := m.scope.process
	switch {
	case m.target == p:
		p = trace.Process{}
	case m.scope.ended != nil:
		m.why = m.scope.ended.Error()
		return nil
	}
	return func() tea.Msg { return TargetMsg{p} }
}

// SetTarget says which process descriptions call $target.
func (m *Model) SetTarget(p trace.Process) { m.target = p }

// ofProcesses takes answers about processes.
func (m *Model) ofProcesses(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case processesMsg:
		m.picked(msg)
	case processMsg:
		if msg.scope == m.scope {
			return m.looked(msg)
		}
	case functionsMsg:
		if msg.scope == m.scope {
			return m.gotFunctions(msg)
		}
	case builtMsg:
		if msg.scope == m.scope {
			return m.built(msg)
		}
	case endedMsg:
		if msg.scope == m.scope && !errors.Is(msg.err, context.Canceled) {
			m.scope.ended, m.why = msg.err, msg.err.Error()
			m.scope.giveUp()
		}
	}
	return nil
}

// looked takes what is known of the process, and opens the branch of its files.
func (m *Model) looked(msg processMsg) tea.Cmd {
	s := m.scope
	if msg.err != nil {
		m.err = msg.err
		return nil
	}
	s.ready, s.info = true, msg.info
	m.catalog = newProcessCatalog(&s.info, nil)
	m.tree = m.catalog.roots()
	m.at = slices.IndexFunc(m.tree, func(r row) bool { return r.files })
	cmd := m.expand()
	m.at++ // the executable
	m.settle()
	return tea.Batch(cmd, m.searchOn())
}

// unread reports whether r is a file whose functions have not been read.
func (m *Model) unread(r row) bool {
	return r.file > 0 && m.scope != nil && m.scope.read[r.file-1] == nil
}

// readFile reads the functions of a file, and opens its branch then.
func (m *Model) readFile(file int) tea.Cmd {
	s := m.scope
	if s.ended != nil {
		m.why = s.ended.Error()
		return nil
	}
	s.opens[file] = true
	return m.enqueue(file)
}

// readAll reads the functions of all files: who searches means all.
func (m *Model) readAll() tea.Cmd {
	if m.scope == nil || !m.scope.ready || m.scope.ended != nil {
		return nil
	}
	var cmds []tea.Cmd
	for i := range m.scope.info.Modules {
		if m.scope.failed[i] == nil {
			cmds = append(cmds, m.enqueue(i))
		}
	}
	return tea.Batch(cmds...)
}

// enqueue adds a file to those that are read.
func (m *Model) enqueue(file int) tea.Cmd {
	s := m.scope
	if s.read[file] != nil || slices.Contains(s.queue, file) {
		return nil
	}
	delete(s.failed, file)
	s.queue = append(s.queue, file)
	if len(s.queue) > 1 {
		return nil
	}
	return m.readNext()
}

// readNext reads the first file of the queue.
func (m *Model) readNext() tea.Cmd {
	s := m.scope
	if s.reading == nil {
		s.reading, s.stop = context.WithCancel(s.life)
	}
	ctx, source, p, file := s.reading, m.source, s.process, s.queue[0]
	module := s.info.Modules[file]
	return func() tea.Msg {
		list, err := source.Functions(ctx, p, module)
		if ctx.Err() != nil {
			return nil // given up
		}
		return functionsMsg{s, file, list, err}
	}
}

// gotFunctions takes the functions of a file and reads the next.
func (m *Model) gotFunctions(msg functionsMsg) tea.Cmd {
	s := m.scope
	if len(s.queue) == 0 || s.queue[0] != msg.file {
		return nil // given up meanwhile
	}
	s.queue = s.queue[1:]
	if msg.err != nil {
		s.failed[msg.file] = msg.err
		delete(s.opens, msg.file)
	} else {
		s.read[msg.file] = append([]trace.Probe{}, msg.list...) // not nil: it has been read
	}
	var next tea.Cmd
	if len(s.queue) > 0 {
		next = m.readNext()
	} else {
		s.giveUp()
	}
	return tea.Batch(next, m.build())
}

// buildPause is how long catalogs wait for more files while many are read.
const buildPause = 100 * time.Millisecond

// build makes a catalog of all that has been read, beside the screen. One is made at
// a time; the last is made of everything.
func (m *Model) build() tea.Cmd {
	s := m.scope
	if s.building {
		s.stale = true
		return nil
	}
	s.building, s.stale = true, false
	read, info, query, life, more := maps.Clone(s.read), &s.info, m.query, s.life, len(s.queue) > 0
	return func() tea.Msg {
		if more {
			select {
			case <-time.After(buildPause):
			case <-life.Done():
			}
		}
		c := newProcessCatalog(info, read)
		var r *result
		if query != "" {
			r = c.index.search(life, query, nil)
		}
		return builtMsg{s, c, query, r}
	}
}

// built shows a catalog: branches stay open, and the cursor stays where it was.
func (m *Model) built(msg builtMsg) tea.Cmd {
	s := m.scope
	s.building = false
	var was trace.Probe
	if m.Searching() && m.hit > 0 { // who has moved wants to stay there
		was, _ = m.current()
	}
	m.replant(msg.catalog)
	m.catalog = msg.catalog
	cmd := tea.Cmd(nil)
	m.result = nil
	switch {
	case m.query == "":
	case m.query == msg.query && msg.result != nil:
		m.stop()
		m.result = msg.result
		m.hit = max(slices.IndexFunc(m.result.found, func(i uint32) bool { return m.catalog.probes[i] == was }), 0)
	default:
		cmd = m.search()
	}
	m.settle()
	if s.stale {
		cmd = tea.Batch(cmd, m.build())
	}
	return tea.Batch(cmd, m.ask())
}

// title says which process is shown, and what there is to know of it first.
func (s *scope) title(target bool) string {
	t := strconv.Itoa(s.process.PID) + " " + s.process.Name
	switch {
	case s.ended != nil:
		return "ended: " + t
	case s.busy() && len(s.info.Modules) > 1:
		return t + ", " + strconv.Itoa(len(s.read)) + "/" + strconv.Itoa(len(s.info.Modules)) + " files"
	case s.busy():
		return t + ", reading"
	case target:
		return t + ", $target"
	}
	return t
}

// note says what is to be said of a file that has no count.
func (s *scope) note(file int) (word string, failed bool) {
	switch {
	case slices.Contains(s.queue, file):
		return "reading …", false
	case s.failed[file] != nil:
		return s.failed[file].Error(), true
	}
	return "not read", false
}
