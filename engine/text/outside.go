package text

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"syscall"

	"dscope.dev/engine/trace"
)

// An Outside carries out what a run asks for beyond its output.
// *outside.World is one.
type Outside interface {
	System(command string, to io.Writer) error
	Open(name string) (io.WriteCloser, error)
	Truncate(to io.Writer) error
	// Packet reports whether it has taken the packet; else it is printed.
	Packet(p *trace.Packet, file string) (bool, error)
}

// A target is where output goes while a freopen() is in force.
type target struct {
	name string
	file io.WriteCloser
}

// act carries out an item that is more than output. Without an Outside nothing
// is run or opened: what a command wrote is printed if the run kept it, and
// output stays where it is.
func (p *Printer) act(e *trace.Event, it *trace.Item) {
	switch it.Kind {
	case trace.SystemItem:
		if p.o.Outside == nil || it.Rest().Output != "" {
			p.b = p.safe(p.b, it.Rest().Output)
			return
		}
		p.flush()
		if err := p.o.Outside.System(it.Text, p.out); err != nil {
			p.fail(e, fmt.Sprintf("couldn't run %q: %v", it.Text, err))
		}
	case trace.FreopenItem:
		p.freopen(e, it.Text)
	case trace.FtruncateItem:
		p.flush()
		if p.o.Outside == nil {
			return
		}
		if err := p.o.Outside.Truncate(p.out); err != nil {
			p.fail(e, fmt.Sprintf("couldn't ftruncate(): %v", err))
		}
	case trace.PcapItem:
		p.packet(e, it.Rest().Packet)
	case trace.WarnItem:
		p.fail(e, it.Text)
	}
}

// freopen sends what follows to a file, or with "" back to where it went at
// first. If the file cannot be opened the output stays where it is.
func (p *Printer) freopen(e *trace.Event, name string) {
	p.flush()
	if p.o.Outside == nil {
		return
	}
	var next target
	out := p.first
	if name != "" {
		f, err := p.open(name)
		if err != nil {
			p.fail(e, fmt.Sprintf("couldn't freopen() %q: %v", name, reason(err)))
			return
		}
		next, out = target{name, f}, f
	}
	p.leave()
	p.to, p.out = next, out
}

// open opens the file of a freopen(). "." stands for a folder here, and in
// DTrace for something else: neither can be written to.
func (p *Printer) open(name string) (io.WriteCloser, error) {
	if name == "." {
		return nil, syscall.EISDIR
	}
	return p.o.Outside.Open(name)
}

// leave closes the file that output goes to, and reports what went wrong.
func (p *Printer) leave() {
	if p.to.file != nil {
		if err := p.to.file.Close(); err != nil && p.err == nil {
			p.err = err
		}
	}
	p.to, p.out = target{}, p.first
}

// packet shows what pcap() captured.
func (p *Printer) packet(e *trace.Event, k *trace.Packet) {
	if k == nil {
		return
	}
	if p.o.Outside != nil {
		p.flush()
		done, err := p.o.Outside.Packet(k, p.to.name)
		if err != nil {
			p.fail(e, err.Error())
		}
		if done {
			p.out = p.first // words do not go into a file of packets
			return
		}
	}
	p.b = appendBytes(p.b, k.Data)
}

// fail complains about an action of a firing, as DTrace words it.
func (p *Printer) fail(e *trace.Event, what string) {
	p.complain(append(append(appendFiring(nil, e), what...), '\n'))
}

// appendFiring says which firing a complaint is about.
func appendFiring(b []byte, e *trace.Event) []byte {
	clause := int64(e.Clause) - 1
	if e.Kind == trace.FaultEvent {
		clause = int64(e.Fault.EPID) - 1
	}
	b = strconv.AppendInt(append(b, "dtrace: error in dt_clause_"...), clause, 10)
	b = strconv.AppendUint(append(b, " for probe ID "...), uint64(e.Probe.ID), 10)
	return append(append(append(b, " ("...), e.Probe.String()...), "): "...)
}

// reason returns what the system says, without the name that is said already.
func reason(err error) error {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no
	}
	return err
}
