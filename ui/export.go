package ui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/live"
	"dscope.dev/ui/shelf"
	"dscope.dev/ui/widget"
)

// An Exporter writes what is shown, or a run, in forms that other tools open.
type Exporter struct {
	Formats []ExportFormat

	// Write writes a file and returns its name and the format. That there is one of that
	// name, where it is not to take its place, is an error that is fs.ErrExist.
	Write func(ctx context.Context, e Export) (file, format string, err error)
}

// An ExportFormat is one of the forms, which the end of a file's name asks for.
type ExportFormat struct{ Name, End, Help string }

// An Export is what is to be written.
type Export struct {
	File    string
	Replace bool // a file of that name, if there is one
	Past    trace.Past
	View    *live.View // what is shown of its aggregations; nil is all of it
}

// An exporting asks for the name of the file. What is exported stays what it was when the
// question came up, as far as it is told here: a run may go on and a pane change meanwhile.
type exporting struct {
	name  widget.Input
	given string // the name that was proposed, without its end
	whole bool   // the run, and not what is shown
	shown shownPart
	taken string // a file that is there: when asked for again it is replaced
	why   string // why it was not written
}

// A shownPart is what one looks at.
type shownPart struct {
	what   string     // for people; "" if nothing is shown that could be written
	view   *live.View // of the live pane
	output bool       // it is what was printed
	end    string     // what the name of the file ends in if nobody says otherwise
}

func (*exporting) wide() bool { return false }
func (x *exporting) title(m *Model) string {
	return "Export " + m.exported(x)
}
func (*exporting) body(m *Model) []string           { return m.drawExport() }
func (*exporting) table(*Model) widget.Table[Model] { return exportActs }
func (*exporting) click(*Model, int, int) tea.Cmd   { return nil }

// listen types the name.
func (x *exporting) listen(m *Model, msg tea.KeyMsg) tea.Cmd {
	was := x.name.Value()
	if x.name.Press(m.keys, msg); x.name.Value() != was {
		x.taken, x.why = "", ""
	}
	return nil
}

// exported says what is exported.
func (m *Model) exported(x *exporting) string {
	if x.whole || x.shown.what == "" {
		return fmt.Sprintf("all of run %d", m.lookedAt().Number)
	}
	return x.shown.what
}

// noExport says why nothing can be exported.
func (m *Model) noExport() string {
	switch {
	case m.opts.Export.Write == nil:
		return "nothing is exported here"
	case !m.run.shown():
		return "nothing has been run yet"
	}
	return ""
}

// openExport asks for the name of the file, which it proposes.
func (m *Model) openExport() tea.Cmd {
	x := &exporting{shown: m.part()}
	x.whole = x.shown.what == ""
	end := ".txt"
	if !x.whole {
		end = x.shown.end
	}
	x.given = m.exportName(x)
	x.name = widget.NewInput(x.given + end)
	m.overlay = x
	return nil
}

// part returns what one looks at: the output, or else the aggregation of the live pane.
func (m *Model) part() shownPart {
	if m.focus == outputSlot {
		return shownPart{what: "the output", output: true, end: ".txt"}
	}
	v, ok := m.live.View()
	if !ok {
		return shownPart{}
	}
	p := shownPart{view: &v, what: "@" + v.Agg, end: ".csv"}
	if v.Figure != "" {
		p.what, p.end = fmt.Sprintf("the %s of @%s", map[string]string{"heat": "heat map", "curve": "curve", "icicle": "icicle"}[v.Figure], v.Agg), ".svg"
	}
	return p
}

// exportName proposes a name for the file, without its end: of the script, of what is
// exported, and the time, so that it is a new one.
func (m *Model) exportName(x *exporting) string {
	name := "dscope"
	if path := m.doc().Path(); path != "" {
		name = strings.TrimSuffix(filepath.Base(path), ".d")
	}
	if v := x.shown.view; !x.whole && v != nil && v.Agg != "" {
		name += "-" + v.Agg
	}
	return name + time.Now().Format("-20060102-150405")
}

// exportActs are what keys do while the name is asked for; all else is typed.
var exportActs = widget.Table[Model]{Context: "export", Acts: []widget.Act[Model]{
	{Name: "list.take", Do: (*Model).takeExport},
	{Name: "export.whole", Off: (*Model).onlyWhole, Do: (*Model).toWhole},
	{Name: "export.next", Do: func(m *Model) tea.Cmd { return m.toFormat(+1) }},
	{Name: "export.previous", Do: func(m *Model) tea.Cmd { return m.toFormat(-1) }},
	{Name: "list.close", Do: (*Model).closeOverlay},
}}

func (m *Model) onlyWhole() string {
	if opened[*exporting](m).shown.what == "" {
		return "nothing of the run is shown that could be exported alone"
	}
	return ""
}

func (m *Model) toWhole() tea.Cmd {
	x := opened[*exporting](m)
	x.whole, x.why = !x.whole, ""
	if end, ok := strings.CutPrefix(x.name.Value(), x.given); ok { // nobody has chosen another
		x.given = m.exportName(x)
		x.name = widget.NewInput(x.given + end)
	}
	return nil
}

// formatAt returns which format the name asks for, -1 if none, and where its end begins.
// Of several the longest end counts: .trace.json is no .json.
func (m *Model) formatAt(name string) (n, at int) {
	n, at = -1, len(name)
	for i, f := range m.opts.Export.Formats {
		if base, ok := strings.CutSuffix(strings.ToLower(name), f.End); ok && len(base) < at {
			n, at = i, len(base)
		}
	}
	return n, at
}

// toFormat gives the name the end of another format.
func (m *Model) toFormat(by int) tea.Cmd {
	x := opened[*exporting](m)
	formats := m.opts.Export.Formats
	n, at := m.formatAt(x.name.Value())
	if n < 0 && by < 0 {
		n = 0
	}
	n = (n + by + len(formats)) % len(formats)
	x.name = widget.NewInput(x.name.Value()[:at] + formats[n].End)
	x.taken, x.why = "", ""
	return nil
}

// exportedMsg says what has become of an export.
type exportedMsg struct {
	of           *exporting
	what         string
	file, format string
	err          error
}

// takeExport writes the file. The question stays until it is written: what goes wrong is
// said where it can be mended.
func (m *Model) takeExport() tea.Cmd {
	x := opened[*exporting](m)
	file := strings.TrimSpace(x.name.Value())
	if file == "" {
		x.why = "the file needs a name"
		return nil
	}
	e := Export{File: file, Replace: x.taken == file}
	e.Past, _, _ = m.past(m.lookedAt())
	if !x.whole {
		if e.View = x.shown.view; x.shown.output {
			e.Past.Snapshots = func(func(trace.Snapshot) bool) {}
		}
	}
	x.why = "writing"
	ctx, write, what := m.open.ctx, m.opts.Export.Write, m.exported(x)
	return func() tea.Msg {
		file, format, err := write(ctx, e)
		return exportedMsg{x, what, file, format, err}
	}
}

// past is what is kept of a run: of its moments so many as can be written.
func (m *Model) past(r *shelf.Run) (p trace.Past, taken, of int) {
	p = trace.Past{Script: r.Script, Began: r.Began, Status: r.Status, Events: m.output.Events(r.Number), Snapshots: func(func(trace.Snapshot) bool) {}}
	if r.Line != nil && r.Line.Len() > 0 {
		p.Snapshots, taken, of = r.Line.Past(keptRows)
	}
	p.Status.Elapsed = r.Length()
	return p, taken, of
}

// exportDone takes what has become of an export.
func (m *Model) exportDone(msg exportedMsg) {
	open := opened[*exporting](m) == msg.of
	switch {
	case errors.Is(msg.err, context.Canceled):
		return
	case msg.err == nil:
		if open {
			m.overlay = nil
		}
		m.say(plain, fmt.Sprintf("%s has %s (%s)", widget.Safe(msg.file), msg.what, msg.format))
	case !open:
		m.say(failure, msg.err.Error())
	case errors.Is(msg.err, fs.ErrExist):
		msg.of.taken = strings.TrimSpace(msg.of.name.Value())
		msg.of.why = fmt.Sprintf("there is a file of that name; %s again replaces it", m.keys.KeyIn("export", "list.take"))
	default:
		msg.of.why = msg.err.Error()
	}
}

func (m *Model) drawExport() []string {
	k, w, x := m.looks, m.boxWidth()-2, opened[*exporting](m)
	var l ink.Line
	var out []string
	put := func(look ink.Ink, text string) {
		l.Reset(w, k.popText)
		l.Skip(1)
		l.Put(look, widget.Cut(widget.Safe(text), max(w-2, 1)))
		out = append(out, l.String())
	}
	l.Reset(w, k.popText)
	l.Put(k.popMatch, " > ")
	x.name.Draw(&l, l.Left(), k.popText, k.popSelected)
	out = append(out, l.String())
	for _, line := range words(widget.Safe(x.why), w-2) { // one blank line if there is nothing to say
		put(k.heading, line)
	}
	var answers []widget.Help
	for _, h := range exportActs.Helps(m, m.keys) {
		if h.Action == "export.previous" {
			continue
		}
		if h.Action == "export.whole" {
			if h.Text = "all of the run"; x.whole {
				h.Text = "what is shown"
			}
		}
		answers = append(answers, h)
	}
	end := m.drawAnswers(nil, "export", answers)
	n, _ := m.formatAt(x.name.Value())
	formats := m.opts.Export.Formats
	view := widget.Scroll{Height: max(m.boxLines()-len(out)-1-len(end), 1), Total: len(formats)}.Show(max(n, 0))
	for i := view.Top; i < min(view.Top+view.Height, len(formats)); i++ {
		look, sign := k.popDetail, "  "
		if i == n {
			look, sign = k.popText, k.chart.Glyph("▸ ", "> ")
		}
		put(look, fmt.Sprintf("%s%-12s%s", sign, formats[i].End, formats[i].Help))
	}
	put(k.popText, "")
	return append(out, end...)
}
