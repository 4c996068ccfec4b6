package live

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"dscope.dev/ui/ink"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// The axis of time is below every picture over time. Under the columns that have something to
// tell stands a sign, and the line that reads out the column under the cursor says it in words.

// tell notes in the columns which marks are set in them, and that the newest is not over.
func (c *course) tell(line *timeline.Timeline, moment int) {
	for _, at := range line.Marks() {
		if i := int((at-1)/c.length - time.Duration(c.columns[0].n)); i >= 0 && i < len(c.columns) {
			c.columns[i].marks = append(c.columns[i].marks, at)
		}
	}
	// An interval is over as soon as the next frame is more likely behind it than in it: frames
	// never come quite at its end.
	if last := &c.columns[len(c.columns)-1]; last.kept && moment > 0 {
		gap := line.Elapsed(moment) - line.Elapsed(moment-1)
		last.partial = last.to-last.from+gap/2 < c.length
	}
}

// paced returns how much it would be of n that came in c, had all of an interval passed: what
// has hardly begun is no quieter for that.
func (c *interval) paced(n int64, length time.Duration) int64 {
	passed := c.to - c.from
	if n <= 0 || passed <= 0 || passed == length {
		return n
	}
	return max(int64(math.Round(float64(n)*float64(length)/float64(passed))), 1)
}

// top returns how far n reaches that came in c, for a scale. What is not over has no say,
// since scales never shrink again and the pace of a moment is often great.
func (c *interval) top(n int64, length time.Duration) int64 {
	if c.partial {
		return 0
	}
	return c.paced(n, length)
}

// now returns the column that the cursor in time is on.
func (c *course) now() int {
	last := len(c.columns) - 1
	if c.at == 0 {
		return last
	}
	if i := slices.IndexFunc(c.columns, func(x interval) bool { return x.kept && x.to >= c.at }); i >= 0 {
		return i
	}
	return last
}

// shownAt returns the column in which the cursor is to be seen; -1 while it goes along.
func (c *course) shownAt() int {
	if c.at == 0 {
		return -1
	}
	return c.now()
}

// read returns the column that is read out.
func (c *course) read(pick *pick) int { return pick.column(c.columns, c.now()) }

// later moves the cursor by so many intervals. On the newest it goes along with what comes.
func (c *course) later(by int) {
	if len(c.columns) == 0 {
		return
	}
	to := corner{at: c.columns[c.now()].to}
	to.step(c.columns, by)
	if c.at = to.at; c.now() == len(c.columns)-1 {
		c.at = 0
	}
}

// A tick stands below a column; "" is none.
type tick struct {
	look  ink.Ink
	glyph string
}

// ticks returns those of all columns. A loss comes before a mark, which the title tells too.
func (m *Model) ticks(of *course, pick *pick) []tick {
	k, out, cursor := m.looks, make([]tick, len(of.columns)), of.shownAt()
	if pick != nil && pick.kind == cells {
		cursor = of.read(pick)
	}
	for x := range out {
		switch c := &of.columns[x]; {
		case x == cursor:
			out[x] = tick{k.Title, k.Glyph("↑", "^")}
		case c.lost > 0:
			out[x] = tick{k.Drop, "!"}
		case len(c.marks) > 0:
			out[x] = tick{k.Sorted, k.Glyph("◆", "*")}
		case pick.hasTime(c):
			out[x] = tick{k.Title, k.Glyph("─", "-")}
		case c.partial:
			out[x] = tick{k.Axis, k.Glyph("…", "~")}
		}
	}
	return out
}

// drawTimes draws how long the run had lasted at every tenth column, and the ticks. Where
// both want a place the tick has it.
func (m *Model) drawTimes(l *ink.Line, of *course, pick *pick) {
	ticks := m.ticks(of, pick)
	for x := 0; x < len(ticks); {
		c := &of.columns[x]
		text := widget.Elapsed(time.Duration(c.n+1) * of.length)
		free := c.kept && (c.n+1)%10 == 0 && x+len(text) < len(ticks) &&
			!slices.ContainsFunc(ticks[x:x+len(text)], func(s tick) bool { return s.glyph != "" })
		look := m.looks.Axis
		if !free {
			look, text = ticks[x].look, cmp.Or(ticks[x].glyph, " ")
		}
		l.Put(look, text)
		x += ink.Width(text)
	}
}

// narrow is the width below which readings are shorter.
const narrow = 72

// clock writes a time of an interval, with tenths of a second where it is short.
func (c *interval) clock(at time.Duration) string {
	if at < time.Minute || at >= time.Hour || c.to-c.from > 10*time.Second {
		return widget.Elapsed(at)
	}
	return fmt.Sprintf("%d:%04.1f", int(at.Minutes()), (at % time.Minute).Seconds())
}

// drawSpan tells from when to when an interval is and what happened in it, and reports whether
// anything is kept of it.
func (m *Model) drawSpan(l *ink.Line, c *interval) bool {
	k := m.looks
	if !c.kept {
		l.Put(k.Axis, "nothing is kept of this interval")
		return false
	}
	text := c.clock(c.from) + " to " + c.clock(c.to)
	if c.partial && (m.held != nil || !m.told().over) {
		text += " so far"
	}
	l.Put(k.Value, text)
	if n := len(c.marks); n > 0 {
		text := "  " + k.Glyph("◆", "*") + " mark at " + widget.Elapsed(c.marks[n-1])
		if m.w < narrow {
			text = strings.Replace(text, "mark at ", "", 1)
		}
		if n > 1 {
			text += fmt.Sprintf(" and %d more", n-1)
		}
		l.Put(k.Sorted, text)
	}
	if c.lost > 0 {
		l.Put(k.Drop, fmt.Sprintf("  %s %d lost", k.Glyph("▲", "!"), c.lost))
	}
	return true
}
