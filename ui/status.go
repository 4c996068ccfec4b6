package ui

import (
	"cmp"
	"slices"
	"strconv"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/chart"
	"dscope.dev/ui/ink"
	"dscope.dev/ui/loss"
	"dscope.dev/ui/widget"
)

// A notice is a word to the user in the status line, until the next key.
type notice struct {
	level level
	text  string
}

// A level says how a notice looks.
type level uint8

const (
	plain level = iota
	warning
	failure
)

func (m *Model) say(l level, text string) { m.notice = notice{l, text} }

// drawStatus draws the state of the run, and at the right what there is to say.
func (m *Model) drawStatus() string {
	k := m.looks
	var l ink.Line
	l.Reset(m.w, k.bar)
	l.Skip(1)
	word, glyph, look := m.state()
	l.Put(look, glyph+" "+word)
	for _, t := range m.counts(l.Left()) {
		l.Skip(2)
		l.Put(t.look, t.value)
		l.Put(k.bar, t.what)
	}
	m.drawWord(&l)
	return l.String()
}

// A tally is one thing that the status line counts.
type tally struct {
	value, what string
	look        ink.Ink // of the value
	stays       bool    // whatever else there is to say
}

func (t tally) width() int { return 2 + ink.Width(t.value) + ink.Width(t.what) }

// counts returns what the run has counted, in up to room cells. What there is to say at the
// moment has its room first: the last counts give way to it, but not what was lost.
func (m *Model) counts(room int) []tally {
	var all []tally
	if m.run.shown() && m.next.err == nil {
		all = m.counted(room)
	}
	if f := m.live.Held(); f != "" && m.w >= 60 {
		all = append(all, tally{value: f, look: m.looks.frozen})
	}
	_, word := m.word()
	if word == "" || word == m.elsewhere() { // which is there all the time
		return all
	}
	room -= ink.Width(widget.Safe(word)) + 3
	for _, t := range all {
		room -= t.width()
	}
	for i := len(all) - 1; i >= 0 && room < 0; i-- {
		if !all[i].stays {
			room += all[i].width()
			all = slices.Delete(all, i, i+1)
		}
	}
	return all
}

// counted returns all of it. Of a script that records nothing but aggregates, it tells of
// the aggregations: no rate of records would say that anything happens.
func (m *Model) counted(room int) (all []tally) {
	k, s := m.looks, m.run.status
	count := func(value, what string) {
		all = append(all, tally{value: value, what: what, look: k.value})
	}
	count(widget.Elapsed(s.Elapsed), "")
	held, flow := m.live.Summary()
	if held == "" || s.Events > 0 {
		held, flow = chart.Short(float64(s.Events))+plural(s.Events, " event"), chart.Short(s.Rate)+"/s"
	}
	active := m.run.active()
	if active && flow != "" { // what is over flows no more
		count(flow, "")
	}
	if !active || m.w >= 60 {
		count(held, "")
	}
	if m.w >= 100 {
		if s.Probes > 0 || m.opts.Source == "" { // a recording may tell of its state at the end alone
			count(strconv.Itoa(s.Probes), plural(uint64(s.Probes), " probe"))
		}
		if active && s.Cost.Window > 0 {
			count(trace.Percent(s.Cost.Share), " of the CPUs")
		}
	}
	if bag := m.run.bagSet(); bag != "" && active && m.w >= 60 {
		count("", bag)
	}
	for _, t := range all {
		room -= t.width()
	}
	if n := m.run.drops(); n > 0 {
		_, word := m.word()
		if word == m.elsewhere() { // which is there all the time
			word = widget.Cut(word, leastSource)
		}
		room -= 2 + ink.Width(word) + 4
		if held := m.live.Held(); held != "" {
			room -= ink.Width(held) + 2
		}
		all = append(all, tally{value: k.glyphs.drop + " " + m.lossWords(n, room-2), look: k.drops, stays: true})
		room += 2 - all[len(all)-1].width()
	} else if m.w >= 60 {
		count("", "0 drops")
		room -= all[len(all)-1].width()
	}
	if n := m.run.failed(); n > 0 { // no drop, but nothing that was seen either
		if t := (tally{value: chart.Short(float64(n)), what: " failed", look: k.drops}); t.width() <= room {
			all = append(all, t)
		}
	}
	return all
}

// failed returns how many firings were given up in the middle, for an address that could not
// be read or a division by zero.
func (c *current) failed() (n uint64) {
	for _, l := range c.ledger.Faults() {
		n += l.Count
	}
	return n
}

// leastSource is how many cells are kept for what is traced if it is a recording.
const leastSource = 24

// lossWords tells of n drops in as many words as there is room for: at best which was the
// greatest loss, why, and the key that tells of all.
func (m *Model) lossWords(n uint64, room int) string {
	lines, key := m.run.ledger.Lines(), " ("+m.keys.Key("run.facts")+")"
	if len(lines) > 0 && opened[*ledger](m) == nil { // which lists them
		for _, text := range []string{lines[0].Brief(), loss.Number(lines[0].Count) + " " + lines[0].What() + " lost"} {
			if text += key; ink.Width(text) <= room {
				return text
			}
		}
	}
	return chart.Short(float64(n)) + plural(n, " drop")
}

// plural returns what n things are called, of one of which the name is given.
func plural(n uint64, one string) string {
	if n == 1 {
		return one
	}
	return one + "s"
}

// word returns what there is to say: why a key did nothing, a notice, or how many
// complaints there are.
func (m *Model) word() (look ink.Ink, text string) {
	k := m.looks
	look, text = k.plain, m.front().Why()
	if text == "" || text == m.stale || m.notice.level == failure && m.notice.text != "" {
		text = m.notice.text
		look = [...]ink.Ink{k.plain, k.warning, k.failure}[m.notice.level]
	}
	if text == "" {
		if n, _ := m.doc().Complaints(); n > 0 {
			look, text = k.failure, widget.Count(n, "error")
		}
	}
	if bag := m.run.bag(); text == "" && bag != nil && !m.next.under() {
		look, text = k.failure, m.bagBrief(bag)
	}
	if text == "" {
		look, text = k.bar, m.elsewhere()
	}
	return look, text
}

// elsewhere is what is traced, if it is not this machine now.
func (m *Model) elsewhere() string { return cmp.Or(m.opts.Source, m.opts.Machine) }

// drawWord draws what there is to say against the right edge.
func (m *Model) drawWord(l *ink.Line) {
	look, text := m.word()
	room := l.Left() - 3
	if text == "" || room < 8 {
		return
	}
	text = widget.Cut(widget.Safe(text), room)
	l.To(l.X() + l.Left() - ink.Width(text) - 1)
	l.Put(look, text)
}

// state returns how the state of the run is shown.
func (m *Model) state() (word, glyph string, look ink.Ink) {
	k, s := m.looks, m.run.status.State
	switch {
	case m.next.under():
		s = trace.Starting
	case m.next.err != nil:
		s = trace.Failed
	case !m.run.shown():
		return "ready", k.glyphs.idle, k.idle
	case m.run.err != nil:
		s = trace.Failed
	case m.run.stopping && s < trace.Stopping:
		s = trace.Stopping
	}
	word = s.String()
	switch {
	case m.next.given: // what is under way takes back what it has done
		word = "giving up…"
	case m.next.under() && m.next.note == trace.Estimating:
		word = "estimating…"
	}
	if s == trace.Failed && m.run.bag() != nil && m.next.err == nil {
		word = "detached"
	}
	if code := m.run.status.Exit; s == trace.Done && code != 0 {
		word += ", exit " + strconv.Itoa(code)
	}
	return word, k.glyphs.states[s], k.states[s]
}
