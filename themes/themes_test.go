package themes

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/charmbracelet/lipgloss"
)

func TestEveryThemeLoads(t *testing.T) {
	for _, name := range Names() {
		for _, depth := range []Depth{TrueColor, Colors256, Colors16, NoColor, Plain} {
			th, err := Load(name, Options{Depth: depth})
			if err != nil {
				t.Fatal(err)
			}
			if th.Help == "" || th.Syntax(chroma.Keyword).Render("if") == "" {
				t.Errorf("theme %s is incomplete", name)
			}
		}
	}
}

func TestNames(t *testing.T) {
	if got := strings.Join(Names(), " "); got != "dark light high-contrast colour-blind mono" {
		t.Errorf("Names() = %s", got)
	}
	if _, err := Load("no-such", Options{Depth: TrueColor}); err == nil || !strings.Contains(err.Error(), "dark") {
		t.Errorf("an unknown theme gives %v, want a list of the themes", err)
	}
	if _, err := Load("base", Options{Depth: TrueColor}); err == nil {
		t.Error("base is no theme and loads")
	}
}

func TestDepthsDegrade(t *testing.T) {
	for _, tt := range []struct {
		depth Depth
		want  string
	}{
		{TrueColor, "\x1b[1;38;2;108;182;255mx\x1b[0m"},
		{Colors256, "\x1b[1;38;5;75mx\x1b[0m"},
		{Colors16, "\x1b[1;94mx\x1b[0m"},
		{NoColor, "\x1b[1;7mx\x1b[0m"},
		{Plain, "x"},
	} {
		th, err := Load("dark", Options{Depth: tt.depth})
		if err != nil {
			t.Fatal(err)
		}
		if got := th.Frame.TitleFocused.Render("x"); got != tt.want {
			t.Errorf("depth %d gives %q, want %q", tt.depth, got, tt.want)
		}
	}
}

// colour matches an SGR that sets a colour.
var colour = regexp.MustCompile(`\x1b\[(\d+;)*(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`)

func TestMonoHasNoColour(t *testing.T) {
	th, err := Load("dark", Options{Depth: NoColor})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []lipgloss.Style{th.Chart.Total, th.Status.Drops, th.Editor.Error, th.Editor.Selection, th.Syntax(chroma.LiteralString)} {
		if got := s.Render("x"); colour.MatchString(got) {
			t.Errorf("mono draws %q, a colour", got)
		}
	}
	if th.Editor.Selection.Render("x") == "x" || th.Editor.Error.Render("x") == "x" {
		t.Error("mono does not show a selection or an error")
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	t.Setenv("TERM", "xterm-256color")
	if d := environment(); d != NoColor {
		t.Errorf("NO_COLOR gives depth %d", d)
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("COLORTERM", "truecolor")
	if d := environment(); d != TrueColor {
		t.Errorf("COLORTERM=truecolor gives depth %d", d)
	}
}

// TestContrast holds words of a theme to WCAG's contrast on the background
// that the theme is made for: 4.5 to 1 for text, 7 to 1 in high contrast.
func TestContrast(t *testing.T) {
	for _, name := range Names() {
		if name == Mono {
			continue
		}
		th, err := Load(name, Options{Depth: TrueColor})
		if err != nil {
			t.Fatal(err)
		}
		back, want := "#101216", 4.5
		if !th.Dark {
			back = "#ffffff"
		}
		if name == "high-contrast" {
			back, want = "#000000", 7
		}
		for _, role := range []string{"text", "muted", "accent", "warn", "info", "keyword", "type", "string", "number", "probe", "agg", "macro", "function"} {
			if got := contrast(t, th.pal.hex[role], back); got < want {
				t.Errorf("%s: %s has a contrast of %.1f, want %.1f", name, role, got, want)
			}
		}
		if got := contrast(t, th.pal.hex["text"], th.pal.hex["select"]); got < 4.5 {
			t.Errorf("%s: selected text has a contrast of %.1f", name, got)
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	c := chroma.ParseColour(hex)
	if !c.IsSet() {
		t.Fatalf("%q is no colour", hex)
	}
	return 0.2126*linear(c.Red()) + 0.7152*linear(c.Green()) + 0.0722*linear(c.Blue())
}

// linear undoes the gamma of sRGB.
func linear(c uint8) float64 {
	v := float64(c) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func TestHeatRampRises(t *testing.T) {
	for _, name := range Names() {
		if name == Mono {
			continue
		}
		th, err := Load(name, Options{Depth: TrueColor})
		if err != nil {
			t.Fatal(err)
		}
		last := -1.0
		for _, role := range []string{"heat1", "heat2", "heat3", "heat4", "heat5"} {
			l := luminance(t, th.pal.hex[role])
			if !th.Dark {
				l = 1 - l // much is dark on light paper
			}
			if l <= last {
				t.Errorf("%s: %s is not stronger than the step before", name, role)
			}
			last = l
		}
	}
}

func TestBadThemesAreRefused(t *testing.T) {
	th, err := Load("dark", Options{Depth: TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := th.pal.style(th.r, "bold nonsense"); err == nil {
		t.Error("an unknown colour is accepted")
	}
	if err := (&Theme{pal: th.pal, r: th.r}).resolve(map[string]map[string]string{"frame": {"text": "text"}}); err == nil {
		t.Error("a theme that lacks styles is accepted")
	}
	for _, bad := range []string{"red", "#12345", "#123456/7", "#gggggg"} {
		if _, _, err := parseColor(bad); err == nil {
			t.Errorf("colour %q is accepted", bad)
		}
	}
	if _, err := th.pal.chroma("x", map[string]string{"NoSuchClass": "text"}); err == nil {
		t.Error("an unknown class of tokens is accepted")
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load("dark", Options{Depth: TrueColor}); err != nil {
			b.Fatal(err)
		}
	}
}
