// Package structured prints a run for programs to read: as JSON, XML or HTML in
// the schema of FreeBSD's dtrace(1), option oformat, and as lines of JSON (ndjson)
// in a schema of our own.
//
// FreeBSD's schema is one document, an object dtrace with a list probes. Each
// firing that prints is an element: timestamp, cpu, id, provider, module,
// function, name, and a list output of what it printed: {"value": …},
// {"message": …} of a printf() followed by the values of its arguments,
// {"aggregation-data": […], "aggregation-name": …}, {"stack-frames": […]},
// {"sym": …}, {"tracemem": …}. Drops and faults are elements of pseudo-probes
// named DROP and ERROR. Aggregations that the script does not print come at the
// end if asked for (option -O there). Timestamps are nanoseconds since 1970.
//
// Ndjson has one object a line, each with a type: event, aggregation, drop,
// error, exit, and at last end; it needs no end to be read, so that a pipe can be
// followed. An aggregation has, if that is known, a list origins of the places of the
// script that fill it: clause, line, file if that is not the script itself, the
// texts of its keys and of the argument. All aggregations come before the end, as in text. Bytes that are not
// UTF-8 are {"base64": …} there, where FreeBSD's schema has only strings and gets
// them spelled: \x9b.
//
// A firing is first made into a tree of named values (tree.go), which knows
// nothing of the form, and the tree is then written (write.go). Traced data is
// never trusted: whatever bytes it has, the document stays well-formed.
package structured

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dscope.dev/engine/trace"
)

// A Form is one of the forms of structured output.
type Form uint8

// The forms, by the values of option oformat.
const (
	Text Form = iota // not structured
	JSON
	XML
	HTML
	NDJSON
)

// Parse reads the value of option oformat: a form, and after a comma whether it
// is to be laid out for people. As in libxo, which FreeBSD hands it to, other
// words after commas are let through if they are known there.
func Parse(value string) (form Form, pretty bool, err error) {
	name, rest, _ := strings.Cut(value, ",")
	i := slices.Index([]string{"text", "json", "xml", "html", "ndjson"}, strings.ToLower(name))
	if i < 0 {
		return Text, false, fmt.Errorf("%q is no form of output: text, json, xml, html or ndjson", name)
	}
	for _, word := range strings.Split(rest, ",") {
		switch word {
		case "pretty":
			pretty = true
		case "", "warn", "no-warn", "flush":
		default:
			return Text, false, fmt.Errorf("%q is nothing that a form of output can have; pretty is", word)
		}
	}
	return Form(i), pretty, nil
}

// Options say how a run is printed.
type Options struct {
	Form   Form
	Pretty bool             // laid out for people: JSON and XML
	Aggs   bool             // print at the end what the script has not printed; ndjson does in any case
	Now    func() time.Time // for timestamps of FreeBSD's schema, which are made here; nil is the clock
}

// A Printer prints one run.
type Printer struct {
	o       Options
	w       writer
	out     *bufio.Writer
	printed map[string]bool // aggregations that printa() has shown
	drops   map[dropKey]uint64
	begun   bool
}

// A dropKey tells apart the drops that are counted up.
type dropKey struct {
	kind trace.DropKind
	cpu  int
}

// New returns a printer that writes to out.
func New(out io.Writer, o Options) *Printer {
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Printer{o: o, out: bufio.NewWriterSize(out, 64<<10), printed: map[string]bool{}, drops: map[dropKey]uint64{}}
	switch o.Form {
	case XML:
		p.w = &xmlWriter{out: p.out, pretty: o.Pretty}
	case HTML:
		p.w = &htmlWriter{out: p.out}
	default:
		p.w = &jsonWriter{out: p.out, pretty: o.Pretty, lines: o.Form == NDJSON}
	}
	return p
}

// Run prints a run until it has ended, and returns its last status. If the
// output fails it stops the run and returns the error. Observers see it beside.
func (p *Printer) Run(run trace.Run, beside ...trace.Observer) (trace.Status, error) {
	return trace.Follow(run, p, beside...)
}

// Events prints a batch of events, and returns the first error of the output.
func (p *Printer) Events(batch []trace.Event) error {
	p.begin()
	for e := range trace.Each(batch) {
		p.event(e)
	}
	return p.out.Flush()
}

// begin writes what a document begins with.
func (p *Printer) begin() {
	if !p.begun {
		p.begun = true
		p.w.open()
	}
}

func (p *Printer) event(e *trace.Event) {
	for i := range e.Items {
		for _, name := range e.Items[i].Rest().Names {
			p.printed[name] = true
		}
	}
	var n node
	switch {
	case p.o.Form == NDJSON:
		n = lineOf(e)
	case e.Kind == trace.DropEvent:
		n = p.drop(e)
	case e.Kind == trace.FaultEvent:
		n = p.fault(e)
	case e.Kind == trace.DataEvent:
		n = p.firing(e)
	}
	if n.kind != none {
		p.w.element(n)
	}
}

// End prints what is left when a run is over.
func (p *Printer) End(status trace.Status, aggs []trace.Table) error {
	p.begin()
	switch {
	case p.o.Form == NDJSON:
		for i := range aggs {
			if t := &aggs[i]; !p.printed[t.Name] {
				p.w.element(object("", append([]node{str("type", "aggregation")}, ownTable(t)...)...))
			}
		}
		p.w.element(endOf(status))
		p.w.close(nil)
	case p.o.Aggs:
		var list []node
		for i := range aggs {
			if t := &aggs[i]; !p.printed[t.Name] && len(t.Rows) > 0 {
				list = append(list, object("", table(t)...))
			}
		}
		p.w.close(list)
	default:
		p.w.close(nil)
	}
	return p.out.Flush()
}
