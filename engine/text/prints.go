package text

import "dscope.dev/engine/trace"

// prints prints many firings that did nothing but that, and uses them up.
func (p *Printer) prints(e *trace.Event) {
	defer e.Prints.Release()
	switch {
	case p.o.FlowIndent || e.Host != "":
		for one := range trace.Each([]trace.Event{*e}) {
			p.data(one)
		}
	case p.o.Quiet:
		p.head(e)
		p.paste(e.Prints.Text)
	default:
		p.head(e)
		p.lines(e)
	}
}

// lines prints the texts of firings, each behind its columns.
func (p *Printer) lines(e *trace.Event) {
	var of *trace.Probe // that columns name
	var columns []byte
	from := uint32(0)
	for i := range e.Prints.List {
		f := &e.Prints.List[i]
		if f.Probe != of {
			of = f.Probe
			columns = p.appendColumns(columns[:0], e.CPU, of)
		}
		p.b = append(append(append(p.b, columns...), e.Prints.Text[from:f.End]...), '\n')
		from = f.End
		if len(p.b) > mostPending {
			p.flush()
		}
	}
}

// paste prints text that is not copied if there is much of it.
func (p *Printer) paste(text []byte) {
	if len(text) < mostPending/4 {
		p.b = append(p.b, text...)
		return
	}
	if p.flush(); p.err == nil {
		_, p.err = p.out.Write(text)
	}
}
