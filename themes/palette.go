package themes

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/charmbracelet/lipgloss"
)

// A palette gives the colours of a theme by name. The names are those of
// base.json's palette; a theme has exactly these, so that none is forgotten.
type palette struct {
	colors map[string]lipgloss.TerminalColor
	hex    map[string]string
}

// newPalette reads a theme's colours; want holds the names that it must give.
func newPalette(given, want map[string]string) (palette, error) {
	p := palette{map[string]lipgloss.TerminalColor{}, map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := want[name]; !ok {
			return p, fmt.Errorf("colour %s is not one of %s", name, strings.Join(slices.Sorted(maps.Keys(want)), " "))
		}
	}
	for name := range want {
		text, ok := given[name]
		if !ok {
			return p, fmt.Errorf("the palette lacks %s", name)
		}
		c, hex, err := parseColor(text)
		if err != nil {
			return p, fmt.Errorf("colour %s: %w", name, err)
		}
		p.colors[name], p.hex[name] = c, hex
	}
	return p, nil
}

// parseColor reads "", "#rrggbb" or "#rrggbb/256/16".
func parseColor(text string) (c lipgloss.TerminalColor, hex string, err error) {
	if text == "" {
		return lipgloss.NoColor{}, "", nil
	}
	parts := strings.Split(text, "/")
	hex = parts[0]
	if len(hex) != 7 || !chroma.ParseColour(hex).IsSet() {
		return nil, "", fmt.Errorf("%q is not #rrggbb", hex)
	}
	switch len(parts) {
	case 1:
		return lipgloss.Color(hex), hex, nil
	case 3:
		return lipgloss.CompleteColor{TrueColor: hex, ANSI256: parts[1], ANSI: parts[2]}, hex, nil
	}
	return nil, "", fmt.Errorf("%q is neither #rrggbb nor #rrggbb/256/16", text)
}

// paper returns what an SGR sequence has for a background with the palette's text on it.
func (p palette) paper(back string, depth Depth) (string, error) {
	if back == "" || depth != TrueColor && depth != Colors256 {
		return "", nil
	}
	if !chroma.ParseColour(back).IsSet() {
		return "", fmt.Errorf("background %q is not #rrggbb", back)
	}
	sgr := func(plane int, hex string) string {
		c := chroma.ParseColour(hex)
		if depth == Colors256 {
			return fmt.Sprintf("%d;5;%d", plane, nearest256(c))
		}
		return fmt.Sprintf("%d;2;%d;%d;%d", plane, c.Red(), c.Green(), c.Blue())
	}
	return sgr(48, back) + ";" + sgr(38, p.hex["text"]), nil
}

// nearest256 returns the one of 256 colours that is most like c. The libraries at hand look
// for the hue first and take dark greys for dark blues, which is no background.
func nearest256(c chroma.Colour) int {
	best, least := 0, math.MaxInt
	try := func(n, r, g, b int) {
		d := (r-int(c.Red()))*(r-int(c.Red())) + (g-int(c.Green()))*(g-int(c.Green())) + (b-int(c.Blue()))*(b-int(c.Blue()))
		if d < least {
			best, least = n, d
		}
	}
	for n := range 216 {
		level := func(step int) int { return [...]int{0, 95, 135, 175, 215, 255}[step] }
		try(16+n, level(n/36), level(n/6%6), level(n%6))
	}
	for n := range 24 {
		try(232+n, 8+10*n, 8+10*n, 8+10*n)
	}
	return best
}

// lookup returns the palette's colour that chroma knows by its 24 bits, so
// that syntax colours degrade as the palette says.
func (p palette) lookup(c chroma.Colour) (lipgloss.TerminalColor, bool) {
	if !c.IsSet() {
		return nil, false
	}
	for name, hex := range p.hex {
		if strings.EqualFold(hex, c.String()) {
			return p.colors[name], true
		}
	}
	return lipgloss.Color(c.String()), true
}

// chroma builds the syntax style: the entries of the base with those of the
// theme over them, palette names replaced by their colours.
func (p palette) chroma(name string, layers ...map[string]string) (*chroma.Style, error) {
	b := chroma.NewStyleBuilder(name)
	for _, layer := range layers {
		for _, class := range slices.Sorted(maps.Keys(layer)) {
			tt, err := chroma.TokenTypeString(class)
			if err != nil {
				return nil, fmt.Errorf("syntax %s: no such class of tokens", class)
			}
			entry, err := p.entry(layer[class])
			if err != nil {
				return nil, fmt.Errorf("syntax %s: %w", class, err)
			}
			b.Add(tt, entry)
		}
	}
	return b.Build()
}

// entry turns "bold accent" into chroma's "bold #56b4e9".
func (p palette) entry(spec string) (string, error) {
	var out []string
	for _, word := range strings.Fields(spec) {
		switch name, on := strings.CutPrefix(word, "on:"); {
		case word == "bold", word == "italic", word == "underline", word == "noinherit":
			out = append(out, word)
		case p.colors[name] == nil:
			return "", fmt.Errorf("no colour or attribute %q", word)
		case p.hex[name] == "":
			// the terminal's own colour
		case on:
			out = append(out, "bg:"+p.hex[name])
		default:
			out = append(out, p.hex[name])
		}
	}
	return strings.Join(out, " "), nil
}

// style turns a description in words into a style of r.
func (p palette) style(r *lipgloss.Renderer, spec string) (lipgloss.Style, error) {
	s := r.NewStyle()
	for _, word := range strings.Fields(spec) {
		name, on := strings.CutPrefix(word, "on:")
		switch word {
		case "bold":
			s = s.Bold(true)
		case "faint":
			s = s.Faint(true)
		case "italic":
			s = s.Italic(true)
		case "underline":
			s = s.Underline(true)
		case "reverse":
			s = s.Reverse(true)
		case "strike":
			s = s.Strikethrough(true)
		default:
			c := p.colors[name]
			switch {
			case c == nil:
				return s, fmt.Errorf("no colour or attribute %q", word)
			case p.hex[name] == "":
				// the terminal's own colour
			case on:
				s = s.Background(c)
			default:
				s = s.Foreground(c)
			}
		}
	}
	return s, nil
}
