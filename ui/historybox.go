package ui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/chart"
	"dscope.dev/ui/document"
	"dscope.dev/ui/history"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/widget"
)

// A historyBox is the list of all runs that are remembered, of earlier workbenches too.
type historyBox struct {
	typedList
	all   []history.Run     // the newest first
	texts map[string]string // of their scripts, by sum
	words []string          // what each of all is found by, in lower case
	found []int             // of all, for what was typed
	ready bool
	err   error
}

// historyListMsg brings the runs and their scripts.
type historyListMsg struct {
	runs  []history.Run
	texts map[string]string
	words []string
	err   error
}

func (*historyBox) wide() bool                       { return true }
func (*historyBox) title(*Model) string              { return "History of runs" }
func (*historyBox) body(m *Model) []string           { return m.drawHistory() }
func (*historyBox) table(*Model) widget.Table[Model] { return historyActs }
func (b *historyBox) count(*Model) int               { return len(b.found) }
func (b *historyBox) narrow(*Model)                  { b.find() }
func (*historyBox) take(m *Model) tea.Cmd            { return m.openRemembered() }

// height returns how many runs are in view, below the heading and above what is told of one.
func (b *historyBox) height(m *Model) int { return max(b.typedList.height(m)-aboutRun-1, 1) }

func (*historyBox) head() int { return 2 }

// find finds the runs whose script, path, end or figures have all words that were typed.
func (b *historyBox) find() {
	b.found = b.found[:0]
	for i, words := range b.words {
		if holds(words, b.query.Value()) {
			b.found = append(b.found, i)
		}
	}
}

// wordsOf returns what each run is found by. It is made where nobody waits for it.
func wordsOf(runs []history.Run, texts map[string]string) []string {
	out := make([]string, len(runs))
	for i, r := range runs {
		out[i] = strings.ToLower(r.Path + " " + r.Call + " " + r.Err + " " + r.Kernel + " " + strings.Join(r.Figures, " ") + " " + texts[r.Sum])
	}
	return out
}

// noHistory says why no runs are remembered.
func (m *Model) noHistory() string {
	switch {
	case m.opts.Source != "":
		return "what is seen is a recording"
	case m.history == nil:
		return "nothing is remembered: there is no folder for it"
	}
	return ""
}

// openHistory lists the runs that are remembered.
func (m *Model) openHistory() tea.Cmd {
	m.overlay = &historyBox{}
	store := m.history
	return func() tea.Msg {
		msg := historyListMsg{texts: map[string]string{}}
		if msg.runs, msg.err = store.List(); msg.err != nil {
			return msg
		}
		for _, r := range msg.runs {
			if _, known := msg.texts[r.Sum]; !known {
				msg.texts[r.Sum], _ = store.Script(r) // without it the run is still told of
			}
		}
		msg.words = wordsOf(msg.runs, msg.texts)
		return msg
	}
}

func (m *Model) gotHistory(msg historyListMsg) {
	if b := opened[*historyBox](m); b != nil {
		b.all, b.texts, b.words, b.err, b.ready = msg.runs, msg.texts, msg.words, msg.err, true
		b.find()
	}
}

// historyActs are what keys do in the history; all else is typed.
var historyActs = widget.Table[Model]{Context: "history", Acts: choosing(
	widget.Act[Model]{Name: "list.take", Off: (*Model).noRemembered, Do: (*Model).takeChosen},
	widget.Act[Model]{Name: "history.run", Off: (*Model).noRemembered, Do: (*Model).runRemembered},
)}

// aboutRun is how many lines below the list tell of the run under the cursor.
const aboutRun = 7

// rememberedRun returns the run under the cursor; nil if there is none.
func (m *Model) rememberedRun() *history.Run {
	if b := opened[*historyBox](m); b.row < len(b.found) {
		return &b.all[b.found[b.row]]
	}
	return nil
}

// noRemembered says why there is no script to open.
func (m *Model) noRemembered() string {
	r := m.rememberedRun()
	switch {
	case r == nil:
		return "no run is chosen"
	case opened[*historyBox](m).texts[r.Sum] == "":
		return "the script of this run is not kept any more"
	}
	return ""
}

// openRemembered opens the script of a run as it was then, with what it was run with.
func (m *Model) openRemembered() tea.Cmd {
	if why := m.noRemembered(); why != "" {
		m.say(plain, why)
		return nil
	}
	return m.bringBack(nil)
}

// runRemembered runs it as it was.
func (m *Model) runRemembered() tea.Cmd { return m.bringBack(askedMsg{}) }

// bringBack shows the script of the run under the cursor; done comes once it is there.
func (m *Model) bringBack(done tea.Msg) tea.Cmd {
	r := *m.rememberedRun()
	script := opened[*historyBox](m).texts[r.Sum]
	m.overlay = nil
	m.setFocus(editorSlot)
	call, _ := document.ParseCall(r.Call) // it was right when it was typed
	if r.Target != 0 {
		call.Target = r.Target
	}
	return m.editor.Again(r.Path, script, call, done)
}

func (m *Model) drawHistory() []string {
	k, w, b := m.looks, m.boxWidth()-2, opened[*historyBox](m)
	var l ink.Line
	out := []string{b.drawQuery(m, &l)}
	l.Reset(w, k.popText)
	l.Put(k.heading, " began              length  drops  script               change")
	out = append(out, l.String())
	for n := b.top; n < len(b.found) && n < b.top+b.height(m); n++ {
		m.drawRemembered(&l, &b.all[b.found[n]], n == b.row)
		out = append(out, l.String())
	}
	say := ""
	switch {
	case b.err != nil:
		say = b.err.Error()
	case !b.ready:
		say = "looking …"
	case len(b.all) == 0:
		say = "nothing has been run yet"
	case len(b.found) == 0:
		say = "no run has all these words"
	}
	if say != "" {
		l.Reset(w, k.popText)
		l.Fit(k.popDetail, "   "+widget.Safe(say), w)
		out = append(out, l.String())
	}
	for len(out) < b.height(m)+2 {
		l.Reset(w, k.popText)
		out = append(out, l.String())
	}
	return append(out, m.tellRemembered(w)...)
}

// drawRemembered draws one run: when, how long, what it lost, what it ran.
func (m *Model) drawRemembered(l *ink.Line, r *history.Run, selected bool) {
	k := m.looks
	base, kind, detail := k.popText, k.popKind, k.popDetail
	if selected {
		base, kind, detail = k.popSelected, ink.Ink{}, ink.Ink{}
	}
	l.Reset(m.boxWidth()-2, base)
	l.Skip(1)
	l.Fit(kind, r.Began.Local().Format("2 Jan 15:04:05"), 15)
	l.Skip(1)
	length, drops := "no end", chart.Short(float64(r.Drops))
	switch {
	case r.Ended:
		length = widget.Elapsed(r.Length)
	case m.goesOn(r):
		length, drops = "running", chart.Short(float64(m.run.drops()))
	default: // nobody was there to write them down
		drops = ""
	}
	l.Right(detail, length, 9)
	l.Skip(1)
	look := detail
	if r.Drops > 0 && !selected {
		look = k.drops
	}
	l.Right(look, drops, 6)
	l.Skip(2)
	name := "untitled"
	if r.Path != "" {
		name = filepath.Base(r.Path)
	}
	l.Fit(ink.Ink{}, widget.Safe(name), 20)
	l.Skip(1)
	what := r.Change
	if r.Err != "" {
		what = r.Err
	}
	l.Fit(detail, widget.Safe(what), l.Left())
}

// goesOn reports whether a run is the one that goes on here.
func (m *Model) goesOn(r *history.Run) bool { return m.run.active() && r.ID == m.run.past.ID }

// yield says what a run has brought: that of one without an end is not known.
func (m *Model) yield(r *history.Run) string {
	events, drops := r.Events, r.Drops
	switch {
	case m.goesOn(r):
		events, drops = m.run.status.Events, m.run.drops()
	case !r.Ended:
		return "its end was not seen"
	}
	return widget.Count(int(events), "event") + ", " + widget.Count(int(drops), "drop")
}

// tellRemembered tells of the run under the cursor: its figures at the end, where it ran.
func (m *Model) tellRemembered(w int) []string {
	k := m.looks
	var l ink.Line
	l.Reset(w, k.popText)
	l.Rep(k.popBorder, k.glyphs.horizontal, w)
	out := []string{l.String()}
	var told []string
	if r := m.rememberedRun(); r != nil {
		told = append(told, fmt.Sprintf("%s on Linux %s, %s", strings.TrimSpace(r.Path+"  "+r.Call), r.Kernel, m.yield(r)))
		told = append(told, r.Figures...)
		text := opened[*historyBox](m).texts[r.Sum]
		told = append(told, slices.DeleteFunc(strings.Split(text, "\n"), func(s string) bool { return strings.TrimSpace(s) == "" })...)
	}
	for i := range aboutRun - 1 {
		l.Reset(w, k.popText)
		l.Skip(1)
		if i < len(told) {
			l.Fit(k.popDetail, widget.Safe(strings.ReplaceAll(told[i], "\t", "    ")), w-2)
		}
		out = append(out, l.String())
	}
	return out
}
