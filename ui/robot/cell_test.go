package robot_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// A cell is what a terminal shows in a place: a character, one cell wide or two.
type cell struct {
	text  string
	width int
	look
}

// A look is how a cell is coloured. "" is the terminal's own colour.
type look struct {
	ink, paper                                      string // #rrggbb, or a name of the sixteen
	bold, faint, italic, underline, reverse, strike bool
}

func (l look) String() string {
	var words []string
	for _, a := range []struct {
		on   bool
		word string
	}{{l.bold, "bold"}, {l.faint, "faint"}, {l.italic, "italic"}, {l.underline, "underline"}, {l.reverse, "reverse"}, {l.strike, "strike"}, {l.ink != "", l.ink}, {l.paper != "", "on " + l.paper}} {
		if a.on {
			words = append(words, a.word)
		}
	}
	if words == nil {
		return "-"
	}
	return strings.Join(words, " ")
}

// cells reads a picture as a terminal does. Of a blank only what can be seen counts.
func cells(t *testing.T, view string) []cell {
	t.Helper()
	var out []cell
	for line := range strings.SplitSeq(view, "\n") {
		var now look
		for line != "" {
			if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
				end := strings.IndexByte(rest, 'm')
				if end < 0 {
					t.Fatalf("a sequence that colours nothing: %q", line)
				}
				if err := now.set(rest[:end]); err != nil {
					t.Fatalf("%v in %q", err, view)
				}
				line = rest[end+1:]
				continue
			}
			text, width := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
			line = line[len(text):]
			seen := now
			if text == " " && !seen.reverse {
				seen.ink = ""
			}
			if text == " " {
				seen.bold, seen.faint, seen.italic = false, false, false
			}
			out = append(out, cell{text, width, seen})
		}
		if now != (look{}) {
			t.Fatalf("a line ends in colour: %q", view)
		}
	}
	return out
}

var sixteen = strings.Fields("black red green yellow blue magenta cyan white")

// set applies the parameters of a sequence.
func (l *look) set(params string) error {
	var n []int
	for _, p := range strings.Split(params, ";") {
		v, err := strconv.Atoi(p)
		if p != "" && err != nil {
			return fmt.Errorf("parameter %q", p)
		}
		n = append(n, v)
	}
	for i := 0; i < len(n); i++ {
		p := n[i]
		switch {
		case p == 0:
			*l = look{}
		case p == 1:
			l.bold = true
		case p == 2:
			l.faint = true
		case p == 3:
			l.italic = true
		case p == 4:
			l.underline = true
		case p == 7:
			l.reverse = true
		case p == 9:
			l.strike = true
		case p >= 30 && p < 38:
			l.ink = sixteen[p-30]
		case p >= 90 && p < 98:
			l.ink = "bright-" + sixteen[p-90]
		case p >= 40 && p < 48:
			l.paper = sixteen[p-40]
		case p >= 100 && p < 108:
			l.paper = "bright-" + sixteen[p-100]
		case (p == 38 || p == 48) && i+4 < len(n) && n[i+1] == 2:
			hex := fmt.Sprintf("#%02x%02x%02x", n[i+2], n[i+3], n[i+4])
			if p == 38 {
				l.ink = hex
			} else {
				l.paper = hex
			}
			i += 4
		default:
			return fmt.Errorf("parameter %d", p)
		}
	}
	return nil
}

// contrast returns WCAG's contrast of a cell, on a screen of that background.
func (l look) contrast(back string) float64 {
	ink, paper := l.ink, l.paper
	if paper == "" {
		paper = back
	}
	if ink == "" { // black or white, whatever is not the background
		return 21
	}
	x, y := luminance(ink), luminance(paper)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(hex string) float64 {
	v, _ := strconv.ParseUint(hex[1:], 16, 32)
	linear := func(c uint64) float64 { // undoes the gamma of sRGB
		if f := float64(c&0xff) / 255; f > 0.04045 {
			return math.Pow((f+0.055)/1.055, 2.4)
		} else {
			return f / 12.92
		}
	}
	return 0.2126*linear(v>>16) + 0.7152*linear(v>>8) + 0.0722*linear(v)
}
