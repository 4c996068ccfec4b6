package picture

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"dscope.dev/themes"
)

// looks are the rules of style of a file.
type looks struct {
	dark, light *themes.Theme
	only        *themes.Theme // the one that the file has; nil if it has both
}

func newLooks(theme string) (k looks, err error) {
	if k.dark, err = themes.Load("dark", themes.Options{Depth: themes.TrueColor}); err != nil {
		return k, err
	}
	if k.light, err = themes.Load("light", themes.Options{Depth: themes.TrueColor}); err != nil {
		return k, err
	}
	switch theme {
	case "", "auto":
	case "dark":
		k.only = k.dark
	case "light":
		k.only = k.light
	default:
		return k, fmt.Errorf("%q is no theme of a file: dark, light or auto", theme)
	}
	return k, nil
}

// shades is how many there are of a heat map: more than the theme has colours, between
// which they lie.
const shades = 20

// tones are the colours of curves; with dashes they are twice as many.
const tones = 3

// css returns the rules for a figure below a selector.
func (k looks) css(below string) string {
	if k.only != nil {
		return rules(below, k.only)
	}
	return rules(below, k.light) + "@media (prefers-color-scheme:dark){" + rules(below, k.dark) + "}\n"
}

// rules returns those of one theme.
func rules(below string, t *themes.Theme) string {
	c := t.Chart
	ground := hexOf(t.Output.Match.GetForeground(), "#ffffff") // what strong colours are read on
	var b strings.Builder
	rule := func(class, property, color string) {
		fmt.Fprintf(&b, "%s.%s{%s:%s}\n", below, class, property, color)
	}
	text, muted := hexOf(c.Label.GetForeground(), "#000000"), hexOf(c.Axis.GetForeground(), "#777777")
	bar, delta, minus := hexOf(c.Total.GetForeground(), "#3572b0"), hexOf(c.Delta.GetForeground(), "#b8560f"), hexOf(c.Minus.GetForeground(), "#c01c28")
	rule("g", "fill", ground)
	rule("t", "fill", text)
	rule("m", "fill", muted)
	rule("a", "stroke", muted)
	rule("b", "fill", bar)
	rule("n", "fill", minus)
	rule("u", "fill", bar)
	rule("k", "fill", delta)
	rule("o", "fill", muted)
	rule("i", "fill", ground) // a name on a frame
	for i, color := range []string{bar, delta, minus} {
		rule("c"+strconv.Itoa(i), "stroke", color)
	}
	var ramp []string
	for _, s := range c.Heat() {
		ramp = append(ramp, hexOf(s.GetForeground(), bar))
	}
	for i := range shades {
		rule("h"+strconv.Itoa(i), "fill", between(ramp, float64(i)/(shades-1)))
	}
	if below != "" { // the page around it
		fmt.Fprintf(&b, "%s{background:%s;color:%s}\n%sth,%std{border-color:%s}\n%sa,%ssummary,%slabel{color:%s}\n", strings.TrimSpace(below), ground, text, below, below, muted, below, below, below, muted)
	}
	return b.String()
}

// hexOf returns a colour of a theme as #rrggbb.
func hexOf(c lipgloss.TerminalColor, otherwise string) string {
	if c, ok := c.(lipgloss.Color); ok && strings.HasPrefix(string(c), "#") {
		return string(c)
	}
	if c, ok := c.(lipgloss.CompleteColor); ok && strings.HasPrefix(c.TrueColor, "#") {
		return c.TrueColor
	}
	return otherwise
}

// between returns the colour at a place from 0 to 1 of a ramp.
func between(ramp []string, at float64) string {
	x := at * float64(len(ramp)-1)
	i := min(int(x), len(ramp)-2)
	a, b := parts(ramp[i]), parts(ramp[i+1])
	out := "#"
	for n := range a {
		out += fmt.Sprintf("%02x", int(a[n]+(b[n]-a[n])*(x-float64(i))+0.5))
	}
	return out
}

// parts returns red, green and blue of #rrggbb.
func parts(color string) (out [3]float64) {
	n, err := strconv.ParseUint(strings.TrimPrefix(color, "#"), 16, 32)
	if err != nil {
		return out // no theme has such a one; a test holds them to it
	}
	return [3]float64{float64(n >> 16 & 255), float64(n >> 8 & 255), float64(n & 255)}
}
