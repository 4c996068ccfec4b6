package themes

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/styles"
)

var update = flag.Bool("update", false, "derive the themes that are named after chroma styles anew")

// derived are the themes that are named after others. A style of chroma has colours for
// code alone; what a screen needs besides is from the palette that each is known by.
var derived = []struct {
	name, style, help                      string
	accent, accent2, ok, warn, fault, info string
}{
	{"dracula", "dracula", "Dracula, dark", "#8be9fd", "#ff79c6", "#50fa7b", "#f1fa8c", "#ff5555", "#bd93f9"},
	{"nord", "nord", "Nord, dark", "#88c0d0", "#b48ead", "#a3be8c", "#ebcb8b", "#bf616a", "#8fbcbb"},
	{"gruvbox", "gruvbox", "Gruvbox, dark", "#83a598", "#d3869b", "#b8bb26", "#fabd2f", "#fb4934", "#8ec07c"},
	{"gruvbox-light", "gruvbox-light", "Gruvbox, light", "#076678", "#8f3f71", "#79740e", "#b57614", "#9d0006", "#427b58"},
	{"solarized-dark", "solarized-dark", "Solarized, dark", "#268bd2", "#6c71c4", "#859900", "#b58900", "#dc322f", "#2aa198"},
	{"solarized-light", "solarized-light", "Solarized, light", "#268bd2", "#6c71c4", "#859900", "#b58900", "#dc322f", "#2aa198"},
	{"catppuccin", "catppuccin-mocha", "Catppuccin Mocha, dark", "#89b4fa", "#cba6f7", "#a6e3a1", "#f9e2af", "#f38ba8", "#94e2d5"},
	{"catppuccin-latte", "catppuccin-latte", "Catppuccin Latte, light", "#1e66f5", "#8839ef", "#40a02b", "#df8e1d", "#d20f39", "#179299"},
	{"monokai", "monokai", "Monokai, dark", "#66d9ef", "#ae81ff", "#a6e22e", "#e6db74", "#f92672", "#a1efe4"},
	{"github", "github", "GitHub, light", "#0969da", "#8250df", "#1a7f37", "#9a6700", "#cf222e", "#1b7c83"},
	{"github-dark", "github-dark", "GitHub, dark", "#58a6ff", "#bc8cff", "#3fb950", "#d29922", "#f85149", "#39c5cf"},
	{"onedark", "onedark", "One Dark, dark", "#61afef", "#c678dd", "#98c379", "#e5c07b", "#e06c75", "#56b6c2"},
	{"tokyo-night", "tokyonight-night", "Tokyo Night, dark", "#7aa2f7", "#bb9af7", "#9ece6a", "#e0af68", "#f7768e", "#7dcfff"},
	{"rose-pine", "rose-pine", "Rosé Pine, dark", "#9ccfd8", "#c4a7e7", "#31748f", "#f6c177", "#eb6f92", "#ebbcba"},
}

// TestDerived holds the files of these themes to what chroma's styles give.
func TestDerived(t *testing.T) {
	for i, d := range derived {
		style := styles.Registry[d.style]
		if style == nil {
			t.Fatalf("chroma has no style %s", d.style)
		}
		back := style.Get(chroma.Background).Background.String()
		text := style.Get(chroma.Text).Colour
		if !text.IsSet() {
			text = style.Get(chroma.NameClass).Colour
		}
		k := kit{back: back, text: text.String(), dark: luminance(t, back) < 0.3, t: t}
		class := func(types ...chroma.TokenType) string {
			for _, tt := range types {
				if c := style.Get(tt).Colour; c.IsSet() && c != text {
					return k.readable(c.String())
				}
			}
			return k.readable(k.text)
		}
		colour := map[string]string{
			"text": k.readable(k.text), "muted": k.readable(k.blend(k.back, k.text, 0.62)), "line": k.blend(k.back, k.text, 0.32),
			"accent": k.readable(d.accent), "accent2": k.readable(d.accent2), "ok": k.readable(d.ok), "warn": k.readable(d.warn),
			"error": k.readable(d.fault), "info": k.readable(d.info),
			"surface": k.surface(), "select": k.selection(d.accent), "raised": k.raised(), "ink": back,
			"bar": k.readable(d.accent), "delta": k.readable(d.warn),
			"keyword": class(chroma.Keyword), "type": class(chroma.KeywordType), "string": class(chroma.LiteralString), "number": class(chroma.LiteralNumber),
			"comment": class(chroma.Comment), "probe": class(chroma.NameLabel, chroma.NameConstant, chroma.NameTag, chroma.NameAttribute),
			"agg":   k.readable(d.accent2),
			"macro": class(chroma.CommentPreproc, chroma.Keyword), "function": class(chroma.NameFunction, chroma.NameBuiltin), "operator": class(chroma.Operator),
		}
		for n, hue := range []string{d.accent2, d.accent, d.info, d.ok, d.warn} {
			colour[fmt.Sprintf("heat%d", n+1)] = k.heat(n, hue)
		}
		f := file{Help: d.help, Chroma: d.style, Back: back, Dark: k.dark, Order: i + 10, Palette: k.degrade(colour)}
		path := filepath.Join("data", d.name+".json")
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetIndent("", "  ")
		if err := enc.Encode(f); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(path, want.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is not what the style gives (%v); -update writes it", path, err)
		}
	}
}

// A kit makes the colours of a theme for one background.
type kit struct {
	back, text string
	dark       bool
	t          *testing.T
}

func (k kit) surface() string { return k.blend(k.back, k.text, 0.05) }
func (k kit) raised() string  { return k.blend(k.back, k.text, 0.08) }

// selection is as much of a colour behind words as leaves them to be read.
func (k kit) selection(accent string) string {
	for part := 0.35; ; part -= 0.01 {
		if c := k.blend(k.back, accent, part); contrast(k.t, k.readable(k.text), c) >= 4.6 || part < 0.05 {
			return c
		}
	}
}

// readable moves a colour away from the background until it is read on all that lies
// behind words.
func (k kit) readable(c string) string {
	end := "#ffffff"
	if !k.dark {
		end = "#000000"
	}
	for part := 0.0; ; part += 0.02 {
		moved := k.blend(c, end, part)
		least := math.Inf(1)
		for _, back := range []string{k.back, k.surface(), k.raised()} {
			least = min(least, contrast(k.t, moved, back))
		}
		if least >= 4.6 || part >= 1 {
			return moved
		}
	}
}

// heat gives a step of the ramp the hue of a colour and a luminance of its own.
func (k kit) heat(step int, hue string) string {
	want := []float64{0.09, 0.17, 0.3, 0.48, 0.72}[step]
	if !k.dark {
		want = []float64{0.62, 0.42, 0.26, 0.13, 0.05}[step]
	}
	end := "#ffffff"
	if luminance(k.t, hue) > want {
		end = "#000000"
	}
	low, high := 0.0, 1.0
	for range 20 {
		mid := (low + high) / 2
		l := luminance(k.t, k.blend(hue, end, mid))
		if (l < want) == (end == "#ffffff") {
			low = mid
		} else {
			high = mid
		}
	}
	return k.blend(hue, end, high)
}

// blend mixes two colours as light does not but eyes do.
func (k kit) blend(a, b string, part float64) string {
	x, y := chroma.ParseColour(a), chroma.ParseColour(b)
	mix := func(p, q uint8) int { return int(math.Round(float64(p)*(1-part) + float64(q)*part)) }
	return fmt.Sprintf("#%02x%02x%02x", mix(x.Red(), y.Red()), mix(x.Green(), y.Green()), mix(x.Blue(), y.Blue()))
}

// degrade says what the colours are where there are fewer: of 256 the nearest, of 16 those
// of our own theme.
func (k kit) degrade(colour map[string]string) map[string]string {
	own := "dark"
	if !k.dark {
		own = "light"
	}
	f, err := read(own)
	if err != nil {
		k.t.Fatal(err)
	}
	out := map[string]string{}
	for name, hex := range colour {
		sixteen := f.Palette[name][strings.LastIndexByte(f.Palette[name], '/')+1:]
		out[name] = fmt.Sprintf("%s/%d/%s", hex, nearest256(chroma.ParseColour(hex)), sixteen)
	}
	return out
}
