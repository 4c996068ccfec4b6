// Package themes holds the looks of the workbench: palettes and syntax colours
// as embedded data, resolved once to one struct of named styles.
//
// A theme is a JSON file under data. It has a palette (names of colours, such
// as accent or error), the styles that differ from base.json, and entries for
// a chroma style. base.json gives every named style in words:
//
//	"cursorLine": "bold on:surface"
//
// where bold, faint, italic, underline, reverse and strike are attributes, any
// other word is the palette's colour for the text, and on:word is the one
// behind it. A palette's colour is "#rrggbb", or "#rrggbb/256/16" where the
// nearest of fewer colours would not do; an empty part leaves the terminal's
// own colour, and so does an empty string.
//
// Our own themes leave the background to the terminal. Those that are named after others
// (dracula, nord, …) bring theirs along where there are colours for it; they are derived from
// the chroma style of that name (derive_test.go), with colours moved as far as it takes for
// every word to be read. Of sixteen colours the terminal's own are what its user has made
// of them, and so these themes are dark or light then.
//
// No pane names a colour. Each receives the group of styles that is its own
// (theme.Editor, theme.Chart, …) and draws with nothing else, so that a new
// theme is a new file and a wrong colour is wrong in one place.
//
// A theme is made for one screen: its Options say how many colours there are
// and whether there are glyphs beyond ASCII. Panes that draw with signs take
// them through Glyph.
//
// Colours are never the only sign: what a colour says is also said by a glyph,
// a sign or a word. That is what makes the mono theme whole, which serves
// NO_COLOR and terminals without colour with bold, reverse and underline only.
//
// The styles belong to a renderer of the theme's own, made for a Depth, so
// that the same theme and depth give the same bytes anywhere; lipgloss takes
// 24-bit colours down to 256 or 16 where the terminal has no more.
package themes

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

//go:embed data/*.json
var data embed.FS

// Mono is the name of the theme without colours.
const Mono = "mono"

// A Theme is a set of looks, ready to draw with.
type Theme struct {
	Name string
	Help string // one line for the list of themes
	Dark bool   // made for a dark background
	Styles

	ASCII bool // the screen has no glyphs beyond ASCII: see Glyph

	// Paper is what an SGR sequence has for the background that the theme brings along,
	// and for words that have no colour of their own; "" leaves those of the terminal.
	Paper string

	syntax *chroma.Style
	pal    palette
	r      *lipgloss.Renderer
}

// file is a theme as its JSON spells it.
type file struct {
	Help    string                       `json:"help"`
	Chroma  string                       `json:"chroma"`     // the style that it is derived from; "" if it is our own
	Back    string                       `json:"background"` // that it brings along; "" is the terminal's
	Dark    bool                         `json:"dark"`
	Order   int                          `json:"order"` // place in Names; 0 is no theme of its own
	Palette map[string]string            `json:"palette"`
	Styles  map[string]map[string]string `json:"styles"`
	Syntax  map[string]string            `json:"syntax"`
}

// Names returns the names of all themes in the order in which a key that
// changes the theme should go through them.
func Names() []string {
	entries, err := data.ReadDir("data")
	if err != nil {
		return nil // the folder is part of the program
	}
	order := map[string]int{}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".json")
		if f, err := read(name); err == nil && f.Order > 0 {
			order[name] = f.Order
		}
	}
	return slices.SortedFunc(maps.Keys(order), func(a, b string) int { return order[a] - order[b] })
}

// Known reports whether a theme is called so.
func Known(name string) bool { return slices.Contains(Names(), name) }

// A Depth is how many colours a theme may use.
type Depth uint8

// The depths. Auto asks the environment (COLORTERM, TERM, NO_COLOR, CLICOLOR).
const (
	Auto Depth = iota
	TrueColor
	Colors256
	Colors16
	NoColor // attributes only: bold, reverse, underline
	Plain   // no escape sequence at all, for text frames in tests and for dumps
)

// Options say for what screen a theme is made.
type Options struct {
	Depth Depth
	Light bool // the terminal's background is light: what "" loads
	ASCII bool // the terminal has no glyphs beyond ASCII
}

// Load resolves the theme of that name; "" is the one that suits the options.
// Without colours every name loads the looks of Mono.
func Load(name string, o Options) (*Theme, error) {
	depth := o.Depth
	if depth == Auto {
		depth = environment()
	}
	switch {
	case depth == NoColor:
		name = Mono
	case name == "" && o.Light:
		name = "light"
	case name == "":
		name = "dark"
	}
	f, err := read(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && f.Order == 0 {
		return nil, fmt.Errorf("no theme %q (there are %s)", name, strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, err
	}
	base, err := read("base")
	if err != nil {
		return nil, err
	}
	r := lipgloss.NewRenderer(os.Stdout)
	r.SetColorProfile(profile(depth))
	r.SetHasDarkBackground(f.Dark)
	t := &Theme{Name: name, Help: f.Help, Dark: f.Dark, ASCII: o.ASCII, r: r}
	if t.pal, err = newPalette(f.Palette, base.Palette); err != nil {
		return nil, fmt.Errorf("theme %s: %w", name, err)
	}
	if t.Paper, err = t.pal.paper(f.Back, depth); err != nil {
		return nil, fmt.Errorf("theme %s: %w", name, err)
	}
	if err := t.resolve(base.Styles, f.Styles); err != nil {
		return nil, fmt.Errorf("theme %s: %w", name, err)
	}
	if t.syntax, err = t.pal.chroma(name, base.Syntax, f.Syntax); err != nil {
		return nil, fmt.Errorf("theme %s: %w", name, err)
	}
	return t, nil
}

// read decodes one theme and refuses names that the struct does not have.
func read(name string) (file, error) {
	var f file
	in, err := data.Open(path.Join("data", name+".json"))
	if err != nil {
		return f, fmt.Errorf("theme %s: %w", name, err)
	}
	defer in.Close()
	dec := json.NewDecoder(in)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return f, fmt.Errorf("theme %s: %w", name, err)
	}
	return f, nil
}

// environment returns the depth that the environment asks for. A terminal
// without colours still has bold and reverse; a stream that is no terminal is
// told by the caller, who knows where the bytes go.
func environment() Depth {
	out := termenv.NewOutput(os.Stdout, termenv.WithTTY(true))
	switch out.EnvColorProfile() {
	case termenv.TrueColor:
		return TrueColor
	case termenv.ANSI256:
		return Colors256
	case termenv.ANSI:
		return Colors16
	}
	if term, _, _ := strings.Cut(os.Getenv("TERM"), "-"); !out.EnvNoColor() && slices.Contains(sixteen, term) {
		return Colors16
	}
	return NoColor
}

// sixteen are terminals that have colours though their names do not say so.
var sixteen = []string{"screen", "tmux", "xterm", "rxvt", "linux", "konsole", "gnome", "putty", "st", "cygwin"}

// profile returns the lipgloss profile of a depth. NoColor is ANSI with
// palettes that hold no colour, because the Ascii profile drops bold too.
func profile(d Depth) termenv.Profile {
	switch d {
	case TrueColor:
		return termenv.TrueColor
	case Colors256:
		return termenv.ANSI256
	case Colors16, NoColor:
		return termenv.ANSI
	}
	return termenv.Ascii
}

// Syntax returns the look of a class of tokens. Call it once per theme and
// class: it builds a style.
func (t *Theme) Syntax(class chroma.TokenType) lipgloss.Style {
	e := t.syntax.Get(class)
	s := t.r.NewStyle()
	if c, ok := t.pal.lookup(e.Colour); ok {
		s = s.Foreground(c)
	}
	if c, ok := t.pal.lookup(e.Background); ok {
		s = s.Background(c)
	}
	if e.Bold == chroma.Yes {
		s = s.Bold(true)
	}
	if e.Italic == chroma.Yes {
		s = s.Italic(true)
	}
	if e.Underline == chroma.Yes {
		s = s.Underline(true)
	}
	return s
}

// Chroma returns the theme's syntax colours as a chroma style, for chroma's
// own formatters.
func (t *Theme) Chroma() *chroma.Style { return t.syntax }

// Glyph returns the sign that the screen can draw, of two that say the same.
// They should be equally wide.
func (t *Theme) Glyph(glyph, ascii string) string {
	if t.ASCII {
		return ascii
	}
	return glyph
}

// NewStyle returns an empty style of the theme's renderer, for frames.
func (t *Theme) NewStyle() lipgloss.Style { return t.r.NewStyle() }
