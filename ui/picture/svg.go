package picture

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"dscope.dev/ui/widget"
)

// The measures of a figure, in pixels.
const (
	width  = 960
	margin = 16
	line   = 18  // from one line of text to the next
	letter = 7.3 // the width of a letter of the 12 px monospace fonts that there are, or a little more
)

// A paper is an SVG in the making.
type paper struct {
	strings.Builder
	h int // how high it is
}

// escape makes a text of traced data one of XML: no markup, and no characters that XML has
// not, of which Safe leaves the last two.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff {
			return utf8.RuneError
		}
		return r
	}, widget.Safe(s)))
}

// text writes a text whose first letter stands at x, on a line at y; anchor is start, middle
// or end.
func (p *paper) text(x, y float64, class, anchor, s string) {
	if anchor != "start" {
		anchor = ` text-anchor="` + anchor + `"`
	} else {
		anchor = ""
	}
	fmt.Fprintf(p, `<text x="%.5g" y="%.5g" class="%s"%s>%s</text>`+"\n", x, y, class, anchor, escape(s))
}

// box draws a rectangle; what it stands for is shown under the mouse.
func (p *paper) box(x, y, w, h float64, class, what string) {
	if what == "" {
		fmt.Fprintf(p, `<rect x="%.5g" y="%.5g" width="%.5g" height="%.5g" class="%s"/>`+"\n", x, y, w, h, class)
		return
	}
	fmt.Fprintf(p, `<rect x="%.5g" y="%.5g" width="%.5g" height="%.5g" class="%s"><title>%s</title></rect>`+"\n", x, y, w, h, class, escape(what))
}

func (p *paper) rule(x1, y1, x2, y2 float64) {
	fmt.Fprintf(p, `<line x1="%.5g" y1="%.5g" x2="%.5g" y2="%.5g" class="a"/>`+"\n", x1, y1, x2, y2)
}

// fit cuts a text to the letters that there is room for.
func fit(s string, room float64) string {
	n := int(room / letter)
	s = widget.Safe(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	if n < 2 {
		return ""
	}
	return string([]rune(s)[:n-1]) + "…"
}

// svg writes a figure, with its rules of style if it stands alone.
func (k looks) svg(out io.Writer, f *figure, alone bool) error {
	p := &paper{h: margin}
	p.heading(f)
	switch f.kind {
	case Heat:
		p.heat(f)
	case Curve:
		p.curve(f)
	case Histogram:
		p.histograms(f)
	case Icicle:
		p.icicle(f)
	default:
		panic("picture: unknown kind of figure")
	}
	h := p.h + margin
	var b strings.Builder
	if alone {
		b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="12">`+"\n", width, h, width, h)
	fmt.Fprintf(&b, "<title>%s</title>\n", escape(f.name()))
	if alone {
		b.WriteString("<style>\n.a,.c{fill:none}\n" + k.css("") + "</style>\n")
	}
	fmt.Fprintf(&b, `<rect width="%d" height="%d" class="g"/>`+"\n", width, h)
	b.WriteString(p.String())
	b.WriteString("</svg>\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// heading says which aggregation it is.
func (p *paper) heading(f *figure) {
	p.h += line
	p.text(margin, float64(p.h), "t", "start", fit(f.name()+", "+f.about(), width-2*margin))
	p.h += line / 2
}

// about says what of the aggregation is drawn, and how.
func (f *figure) about() string {
	keys := widget.Count(len(f.table.Rows), "key")
	switch {
	case len(f.table.KeyTypes) == 0:
		keys = "no keys"
	case len(f.table.Rows) == 1 && f.kind != Histogram: // whose rows have names of their own
		keys = "of " + keyName(&f.table.Rows[0])
	}
	switch f.kind {
	case Heat:
		return fmt.Sprintf("%s, to %s; a column is %v, shades are logarithmic", keys, widget.Elapsed(f.elapsed), f.length)
	case Curve:
		return fmt.Sprintf("%s, to %s; %s", keys, widget.Elapsed(f.elapsed), f.meaning())
	}
	return fmt.Sprintf("%s, after %s", keys, widget.Elapsed(f.elapsed))
}
