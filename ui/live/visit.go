package live

import (
	"fmt"
	"math"
	"time"

	"dscope.dev/ui/merge"
	"dscope.dev/ui/timeline"
	"dscope.dev/ui/widget"
)

// A story is a run as the pane knows it.
type story struct {
	book *book // what has arrived
	line *timeline.Timeline
	rows merge.Rows // of what arrives
	over bool       // nothing comes any more
}

func newStory(budget int) story { return story{book: &book{}, line: timeline.New(budget)} }

// whole returns the timeline with all that has arrived. Pictures, which are drawn again when it
// has, make do with less.
func (s *story) whole() *timeline.Timeline {
	s.line.Enter(math.MaxInt)
	return s.line
}

// A visit is a run that is looked at while another goes on.
type visit struct {
	story
	name string
}

// told returns the run that is shown.
func (m *Model) told() *story {
	if m.visited != nil {
		return &m.visited.story
	}
	return &m.story
}

// Visit shows the end of another run, until Return.
func (m *Model) Visit(line *timeline.Timeline, name string) {
	v := &visit{story{book: &book{}, line: line, over: true}, name}
	if line.Len() > 0 {
		v.book = v.book.at(line, line.Len()-1)
	}
	m.turn(v)
	m.arrange()
}

// End notes that the run that went on is over.
func (m *Model) End() {
	m.CatchUp()
	m.over = true
}

// Visiting reports whether another run is shown than the one that goes on.
func (m *Model) Visiting() bool { return m.visited != nil }

// Return shows what arrives again.
func (m *Model) Return() {
	m.turn(nil)
	m.arrange()
}

// turn goes to another run, nil is the one that goes on. How sections are sorted stays.
func (m *Model) turn(v *visit) {
	m.visited, m.held, m.stepped, m.pick = v, nil, false, nil
	for _, s := range m.views {
		s.top, s.full, s.reader = 0, false, nil
		s.figure.renew()
	}
}

// CatchUp enters in the timeline what has arrived.
func (m *Model) CatchUp() { m.whole() }

// Timeline returns the past of the run that is shown, with all that has arrived.
func (m *Model) Timeline() *timeline.Timeline { return m.told().whole() }

// Present returns the past of the run that goes on, which may lack what came last until CatchUp.
func (m *Model) Present() *timeline.Timeline { return m.line }

// Marks returns the moments of the run that is shown at which marks are set.
func (m *Model) Marks() []time.Duration { return m.told().line.Marks() }

// Elapsed returns how long the run had lasted that is shown.
func (m *Model) Elapsed() time.Duration { return m.shown().elapsed }

// marks says where marks are set, the last of them.
func (m *Model) marks() string {
	marks := m.Marks()
	if len(marks) == 0 {
		return ""
	}
	at := "mark at "
	if len(marks) > 1 {
		at = fmt.Sprintf("mark %d at ", len(marks))
	}
	return at + widget.Moment(marks[len(marks)-1])
}

// lack says what of the past was given up to keep its budget; "" if nothing was.
func (m *Model) lack() string {
	line := m.told().line
	text := ""
	if at := line.Begun(); at > 0 {
		text = "past from " + widget.Elapsed(at)
	}
	if n := line.Rarer(); n > 1 {
		if text == "" {
			text = "past"
		}
		text += fmt.Sprintf(" %d times coarser", n)
	}
	return text
}
