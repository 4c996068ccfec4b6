package themes

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"
)

// Styles are all the looks of the workbench, in one group a pane or purpose.
// The names in the theme files are these, the first letter in lower case.
type Styles struct {
	Frame   Frame
	Status  Status
	Hint    Hint
	Popup   Popup
	Table   Table
	Chart   Chart
	Output  Output
	Browser Browser
	Editor  Editor
}

// Frame is what surrounds panes.
type Frame struct {
	Text          lipgloss.Style // plain words
	Muted         lipgloss.Style // words that matter less
	Title         lipgloss.Style
	TitleFocused  lipgloss.Style
	Border        lipgloss.Style
	BorderFocused lipgloss.Style
}

// Status is the status line.
type Status struct {
	Bar      lipgloss.Style // the line itself
	Idle     lipgloss.Style // states of a run
	Starting lipgloss.Style
	Running  lipgloss.Style
	Stopping lipgloss.Style
	Done     lipgloss.Style
	Failed   lipgloss.Style
	Frozen   lipgloss.Style // the picture is held
	Drops    lipgloss.Style
	Value    lipgloss.Style // a number
	Notice   lipgloss.Style // a word to the user
	Warning  lipgloss.Style
	Error    lipgloss.Style
}

// Hint is the bottom line and the help overlay.
type Hint struct {
	Key     lipgloss.Style
	Text    lipgloss.Style
	Off     lipgloss.Style // a key that is not available now
	Heading lipgloss.Style
}

// Popup is what lies over panes: completion, palette, questions.
type Popup struct {
	Border   lipgloss.Style
	Text     lipgloss.Style
	Selected lipgloss.Style
	Detail   lipgloss.Style
	Match    lipgloss.Style // the letters that were typed
	Kind     lipgloss.Style // the mark of a kind of completion
}

// Table is rows and columns.
type Table struct {
	Header lipgloss.Style
	Sorted lipgloss.Style // header of the column that orders the rows
	Key    lipgloss.Style
	Value  lipgloss.Style
	Rate   lipgloss.Style
	Cursor lipgloss.Style // the selected row
	Rule   lipgloss.Style // lines between
}

// Chart is bars, heat maps and sparklines.
type Chart struct {
	Title  lipgloss.Style
	Label  lipgloss.Style
	Axis   lipgloss.Style
	Total  lipgloss.Style // the bar since the start
	Delta  lipgloss.Style // what came in the last interval
	Minus  lipgloss.Style // a negative count
	Count  lipgloss.Style
	Cursor lipgloss.Style
	Drop   lipgloss.Style // an interval that lost something
	Heat1  lipgloss.Style // a ramp of rising luminance
	Heat2  lipgloss.Style
	Heat3  lipgloss.Style
	Heat4  lipgloss.Style
	Heat5  lipgloss.Style
}

// Output is what a run prints.
type Output struct {
	Text   lipgloss.Style
	Header lipgloss.Style
	Probe  lipgloss.Style
	CPU    lipgloss.Style
	Drop   lipgloss.Style // something was lost here
	Fault  lipgloss.Style
	Exit   lipgloss.Style
	Match  lipgloss.Style // found text
	Cursor lipgloss.Style
}

// Browser is the tree of probes.
type Browser struct {
	Branch      lipgloss.Style // provider, module, function
	Leaf        lipgloss.Style // a probe's name
	Count       lipgloss.Style
	Match       lipgloss.Style // the letters that were typed
	Cursor      lipgloss.Style
	Unavailable lipgloss.Style
	Type        lipgloss.Style // types of arguments
	Help        lipgloss.Style
	Filter      lipgloss.Style // the input line
}

// Editor is the script. The complaint styles go over the syntax colours.
type Editor struct {
	Text          lipgloss.Style
	Gutter        lipgloss.Style // line numbers
	GutterCurrent lipgloss.Style
	CursorLine    lipgloss.Style
	Cursor        lipgloss.Style
	CursorBlurred lipgloss.Style // the cursor while another pane has the keys
	Selection     lipgloss.Style
	Match         lipgloss.Style // found text
	Bracket       lipgloss.Style // the bracket that goes with the one at the cursor
	Control       lipgloss.Style // control characters made visible
	Error         lipgloss.Style // the word that a complaint is about
	Warning       lipgloss.Style
	Hint          lipgloss.Style
	MarkError     lipgloss.Style // the sign in the gutter
	MarkWarning   lipgloss.Style
	Message       lipgloss.Style // the sentence below the line
	MessageHint   lipgloss.Style // what to write instead
	Input         lipgloss.Style // find, go to line, file name
	InputLabel    lipgloss.Style
	Notice        lipgloss.Style
}

// Heat returns the ramp of the heat map, from little to much.
func (c Chart) Heat() []lipgloss.Style {
	return []lipgloss.Style{c.Heat1, c.Heat2, c.Heat3, c.Heat4, c.Heat5}
}

// resolve fills t.Styles from descriptions in words; a later layer goes over
// an earlier one. A style without a description, or a description without a
// style, is an error: a theme cannot forget or misspell anything.
func (t *Theme) resolve(layers ...map[string]map[string]string) error {
	specs := map[string]string{}
	for _, layer := range layers {
		for group, styles := range layer {
			for name, spec := range styles {
				specs[group+"."+name] = spec
			}
		}
	}
	groups := reflect.ValueOf(&t.Styles).Elem()
	for i := range groups.NumField() {
		group := groups.Field(i)
		for j := range group.NumField() {
			name := lower(groups.Type().Field(i).Name) + "." + lower(group.Type().Field(j).Name)
			spec, ok := specs[name]
			if !ok {
				return fmt.Errorf("style %s has no description", name)
			}
			s, err := t.pal.style(t.r, spec)
			if err != nil {
				return fmt.Errorf("style %s: %w", name, err)
			}
			group.Field(j).Set(reflect.ValueOf(s))
			delete(specs, name)
		}
	}
	for name := range specs {
		return fmt.Errorf("no style is called %s", name)
	}
	return nil
}

// lower returns name with its first letters in lower case: CPU is cpu,
// CursorLine is cursorLine.
func lower(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(r)) + name[n:]
}
