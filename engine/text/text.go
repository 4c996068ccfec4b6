// Package text prints a run as dtrace(1) does, byte for byte where scripts
// rely on it: the header, the columns, the widths of traced values, stacks,
// aggregations with their bars, and the lines about drops and faults.
//
// A Printer takes what leaves the engine (package trace) and writes data to
// one stream and complaints to another, as dtrace does with standard output
// and standard error. It knows no script and no kernel, so it prints a replayed
// run as it prints a live one.
//
// The rules, in short. The first event writes the header, unless the run is
// quiet. Each event writes CPU, number and name of the probe, then its items,
// then a newline; a quiet run writes the items alone. When the run has ended
// comes an empty line, and then every aggregation that printa() has not printed
// before. With _DTRACE_TESTING in the environment the columns that differ from
// run to run are left out, which test suites for dtrace rely on: that is
// Options.Testing.
//
// Traced data is never trusted. What goes to a terminal is written so that the
// terminal can only draw it: control characters are spelled (ESC is ^[), as
// are bytes that are not UTF-8. What goes to a pipe is what dtrace writes, but
// for ESC, which is spelled there too, because pipes tend to end in terminals.
// Text that the script itself gives, such as the format of a printf(), is not
// touched: whoever writes "\033[2J" there means it.
package text

import (
	"bytes"
	"io"
	"strconv"
	"sync"

	"dscope.dev/dlang/option"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// Options say how a run is printed.
type Options struct {
	Verbose     bool // what the engine has to tell of the run beside complaints is printed too
	Quiet       bool // no header, no columns, no newlines but the script's
	Terminal    bool // the output is a terminal: spell all control characters of traced data
	Testing     bool // print as the suite of Oracle's DTrace wants: no columns CPU and ID
	FlowIndent  bool // indent by entry and return of functions
	RawBytes    bool // print traced values as bytes
	StrSize     int  // bytes of a string, its zero byte included, that RawBytes shows at least
	Tags        bool // begin lines about drops with a tag that programs can look for
	Reverse     bool // the aggregations at the end come in the reverse order of the script: aggsortrev
	Aggs        AggLook
	StackIndent int // columns before each frame of a stack; 0 is the usual 14

	Outside Outside // carries out system(), freopen() and the like; nil if nobody is to
}

// A Printer prints one run. Its methods may be called from several goroutines:
// an interrupt does not wait for the run.
type Printer struct {
	mu      sync.Mutex // guards the rest; held while a batch is printed
	o       Options
	out     io.Writer
	first   io.Writer // where output went at first
	to      target    // where a freopen() has sent it since
	errs    io.Writer
	b       []byte // what is not written to out yet
	err     error  // the first error of out
	headed  bool
	last    flow
	printed map[string]bool // aggregations that printa() has shown
	missed  misses
	from    string // the host of the drops that are told of
	begun   string // the host whose line is not ended yet
}

// mostPending is how many bytes may wait to be written.
const mostPending = 64 << 10

// New returns a printer that writes data to out and complaints to errs.
func New(out, errs io.Writer, o Options) *Printer {
	return &Printer{o: o, out: out, first: out, errs: errs, printed: make(map[string]bool)}
}

// Events prints a batch of events, and returns the first error of the output.
func (p *Printer) Events(batch []trace.Event) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range batch {
		p.event(&batch[i])
		if len(p.b) > mostPending {
			p.flush()
		}
	}
	return p.flush()
}

func (p *Printer) event(e *trace.Event) {
	switch e.Kind {
	case trace.DataEvent:
		p.data(e)
	case trace.DropEvent:
		p.from = e.Host
		p.dropped(e.Drop)
		p.from = ""
	case trace.FaultEvent:
		p.complain(ofHost(e.Host, appendFault(nil, e, p.o.Testing)))
	case trace.ExitEvent: // the status is not printed
	case trace.NoticeEvent:
		p.notice(e)
	case trace.PrintsEvent:
		p.prints(e)
	default:
		panic("text: unknown kind of event")
	}
}

// notice tells what the engine has to tell of the run: what may be missing from it in
// any case.
func (p *Printer) notice(e *trace.Event) {
	for i := range e.Items {
		if it := &e.Items[i]; it.Kind == trace.WarnItem || p.o.Verbose {
			p.complain(ofHost(e.Host, append([]byte("dtrace: "), it.Text...)))
		}
	}
}

// Break writes the newline with which dtrace answers an interrupt, so that its
// last words do not follow ^C on the same line.
func (p *Printer) Break() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.o.Testing {
		p.b = append(p.b, '\n')
	}
	return p.flush()
}

// End prints what dtrace prints when a run is over: an empty line, and every
// aggregation of the last snapshot that printa() has not shown.
func (p *Printer) End(aggs []trace.Table) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.b = append(p.b, '\n')
	for i := range aggs {
		t := &aggs[i]
		if p.o.Reverse {
			t = &aggs[len(aggs)-1-i]
		}
		if !p.printed[t.Name] {
			p.b = p.appendTables(p.b, []trace.Table{*t})
		}
	}
	return p.flush()
}

// Run prints a run until it has ended, and returns its last status. If the
// output fails it stops the run and returns the error. Observers see it beside.
func (p *Printer) Run(run trace.Run, beside ...trace.Observer) (trace.Status, error) {
	defer p.missedInAll()
	return trace.Follow(run, sink{p}, beside...)
}

// Sink returns what prints a run that somebody else follows.
func (p *Printer) Sink() trace.Sink { return sink{p} }

// A sink is a printer that ends as a run does: one that failed has no last words,
// unless it was ended for the machine's sake.
type sink struct{ *Printer }

func (s sink) End(status trace.Status, aggs []trace.Table) error {
	if status.State == trace.Failed && !trace.Whole(status.Err) {
		return nil
	}
	return s.Printer.End(aggs)
}

// complain writes a line to the stream of complaints, after what was printed
// before it.
func (p *Printer) complain(line []byte) {
	p.flush()
	p.errs.Write(safe(nil, line, p.o.Terminal)) // nobody is left to tell if this fails
	io.WriteString(p.errs, "\n")
}

// flush writes what is pending. After an error nothing more is written.
func (p *Printer) flush() error {
	if p.err == nil && len(p.b) > 0 {
		_, p.err = p.out.Write(p.b)
	}
	p.b = p.b[:0]
	return p.err
}

// data prints an event with its columns.
func (p *Printer) data(e *trace.Event) {
	p.head(e)
	if e.Host != "" {
		defer p.hosted(e.Host, len(p.b))
	}
	if p.o.FlowIndent {
		p.flowColumns(e)
	} else if !p.o.Quiet {
		p.columns(e)
	}
	for i := range e.Items {
		p.item(e, &e.Items[i])
	}
	if !p.o.Quiet {
		p.b = append(p.b, '\n')
	}
}

// head prints the header before the first event.
func (p *Printer) head(e *trace.Event) {
	if p.headed {
		return
	}
	p.headed = true
	if e.Host != "" && !p.o.Quiet {
		p.b = append(padRight(p.b, "HOST", hostWidth), ' ')
	}
	switch {
	case p.o.FlowIndent && p.o.Testing:
		p.b = padRight(p.b, "FUNCTION", 41)
	case p.o.FlowIndent:
		p.b = padRight(append(p.b, "CPU "...), "FUNCTION", 41)
	case p.o.Quiet:
		return
	case p.o.Testing:
		p.b = padLeft(p.b, "FUNCTION:NAME", 32)
	default:
		p.b = padLeft(append(p.b, "CPU     ID "...), "FUNCTION:NAME", 32)
	}
	p.b = append(p.b, '\n')
}

// columns prints the CPU, the probe's number and its name.
func (p *Printer) columns(e *trace.Event) { p.b = p.appendColumns(p.b, e.CPU, &e.Probe) }

func (p *Printer) appendColumns(b []byte, cpu int, probe *trace.Probe) []byte {
	if !p.o.Testing {
		b = append(padInt(b, int64(cpu), 3), ' ')
		b = append(padInt(b, int64(probe.ID), 6), ' ')
	}
	width := len(probe.Function) + 1 + len(probe.Name)
	for ; width < 32; width++ {
		b = append(b, ' ')
	}
	b = p.safe(b, probe.Function)
	b = p.safe(append(b, ':'), probe.Name)
	return append(b, ' ')
}

func (p *Printer) item(e *trace.Event, it *trace.Item) {
	switch it.Kind {
	case trace.ValueItem:
		p.b = p.appendTraced(p.b, &it.Value)
	case trace.PrintfItem, trace.PrintaItem, trace.PrintItem:
		p.b = append(p.b, it.Text...)
	case trace.SystemItem, trace.FreopenItem, trace.FtruncateItem, trace.PcapItem, trace.WarnItem:
		p.act(e, it)
	case trace.TablesItem:
		p.b = p.appendTables(append(p.b, '\n'), it.Rest().Tables)
	case trace.StackItem:
		p.b = p.appendStack(p.b, it.Value.Frames)
	case trace.SymItem:
		p.b = p.appendText(append(p.b, "  "...), spell.Line(&it.Value), 50)
	case trace.BytesItem:
		p.b = appendBytes(p.b, it.Value.Str)
	case trace.SetoptItem:
		p.setopt(it.Text)
	case trace.EmptyItem:
	default:
		panic("text: unknown kind of item")
	}
	for _, name := range it.Rest().Names {
		p.printed[name] = true
	}
}

// setopt takes over an option that setopt() changed in the middle of a run.
func (p *Printer) setopt(assign string) {
	name, value, _ := bytes.Cut([]byte(assign), []byte("="))
	on, _ := option.Flag(string(value)) // one that is none has been refused before
	switch string(name) {
	case "quiet":
		p.o.Quiet = on
	case "flowindent":
		p.o.FlowIndent = on
	case "rawbytes":
		p.o.RawBytes = on
	case "droptags":
		p.o.Tags = on
	case "aggsortrev":
		p.o.Reverse = on
	case "agghist":
		p.o.Aggs.Hist = on
	case "aggpack":
		p.o.Aggs.Pack = on
	case "aggzoom":
		p.o.Aggs.Scale = spell.OfSum
		if on {
			p.o.Aggs.Scale = spell.OfLargest
		}
	case "stackindent":
		if n, err := strconv.Atoi(string(value)); err == nil && n >= 0 && n <= 1<<10 {
			p.o.StackIndent = n
		}
	}
}
