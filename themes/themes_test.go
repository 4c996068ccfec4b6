package themes

import (
	"math"
	"reflect"
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
	if got := strings.Join(Names(), " "); got != "dark light high-contrast colour-blind mono dracula nord gruvbox gruvbox-light solarized-dark solarized-light catppuccin catppuccin-latte monokai github github-dark onedark tokyo-night rose-pine" {
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

// least is what a style must differ from its background by where it need not be read: lines
// between things, bars, and steps of a ramp, which differ from each other.
var least = map[string]float64{
	"Frame.Border": 1.2, "Table.Rule": 1.2, "Chart.Total": 3, "Chart.Delta": 3, "Chart.Minus": 3,
	"Chart.Heat1": 1.1, "Chart.Heat2": 1.1, "Chart.Heat3": 1.1, "Chart.Heat4": 1.1, "Chart.Heat5": 1.1,
	"Editor.CursorLine": 0, // has no words of its own
}

// TestEveryStyleIsRead holds every named style, and every colour of code, to a contrast with
// what lies behind it: that of its own, or else the background that the theme is for.
func TestEveryStyleIsRead(t *testing.T) {
	for _, name := range Names() {
		if name == Mono {
			continue
		}
		th, err := Load(name, Options{Depth: TrueColor})
		if err != nil {
			t.Fatal(err)
		}
		back := background(t, th)
		check := func(what string, fore, behind lipgloss.TerminalColor, reverse bool) {
			f, b := hexOf(t, fore, th.pal.hex["text"]), hexOf(t, behind, back)
			if reverse {
				f, b = b, f
			}
			want, ok := least[what]
			if !ok {
				want = 4.5
			}
			if got := contrast(t, f, b); got < want {
				t.Errorf("%s: %s, %s on %s, has a contrast of %.2f, want %.1f", name, what, f, b, got, want)
			}
		}
		groups := reflect.ValueOf(th.Styles)
		for i := range groups.NumField() {
			for j := range groups.Field(i).NumField() {
				s := groups.Field(i).Field(j).Interface().(lipgloss.Style)
				check(groups.Type().Field(i).Name+"."+groups.Field(i).Type().Field(j).Name, s.GetForeground(), s.GetBackground(), s.GetReverse())
			}
		}
		for _, tt := range []chroma.TokenType{chroma.Text, chroma.Comment, chroma.Keyword, chroma.KeywordType, chroma.LiteralString, chroma.LiteralNumber,
			chroma.NameFunction, chroma.NameVariableGlobal, chroma.NameVariableMagic, chroma.NameLabel, chroma.Operator, chroma.Error, chroma.CommentPreproc} {
			s := th.Syntax(tt)
			check("syntax "+tt.String(), s.GetForeground(), s.GetBackground(), false)
		}
	}
}

// background is the one that a theme is read on.
func background(t *testing.T, th *Theme) string {
	f, err := read(th.Name)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case f.Back != "":
		return f.Back
	case th.Name == "high-contrast":
		return "#000000"
	case th.Dark:
		return "#101216"
	}
	return "#ffffff"
}

// hexOf returns a colour, or else what the terminal has.
func hexOf(t *testing.T, c lipgloss.TerminalColor, usual string) string {
	switch c := c.(type) {
	case lipgloss.Color:
		return string(c)
	case lipgloss.CompleteColor:
		return c.TrueColor
	case lipgloss.NoColor:
		return usual
	}
	t.Fatalf("%T is no colour", c)
	return ""
}

// TestPaper holds that themes that bring a background along have words on it that are
// those of the theme, and none where there are not colours enough.
func TestPaper(t *testing.T) {
	for _, tt := range []struct {
		name  string
		depth Depth
		want  string
	}{
		{"dracula", TrueColor, "48;2;40;42;54;38;2;248;248;242"},
		{"dracula", Colors256, "48;5;236;38;5;255"},
		{"dracula", Colors16, ""},
		{"dracula", NoColor, ""},
		{"dark", TrueColor, ""},
	} {
		th, err := Load(tt.name, Options{Depth: tt.depth})
		if err != nil {
			t.Fatal(err)
		}
		if th.Paper != tt.want {
			t.Errorf("%s at depth %d has %q, want %q", tt.name, tt.depth, th.Paper, tt.want)
		}
	}
}

// TestDepthByTERM looks at terminals whose names say nothing of colours.
func TestDepthByTERM(t *testing.T) {
	for _, env := range []string{"NO_COLOR", "COLORTERM", "CLICOLOR", "CLICOLOR_FORCE", "TERM_PROGRAM", "GOOGLE_CLOUD_SHELL"} {
		t.Setenv(env, "")
	}
	for name, want := range map[string]Depth{
		"screen": Colors16, "screen-256color": Colors256, "tmux": Colors16, "tmux-256color": Colors256, "linux": Colors16, "xterm": Colors16,
		"xterm-256color": Colors256, "dumb": NoColor, "vt100": NoColor, "vt220": NoColor,
	} {
		t.Setenv("TERM", name)
		if got := environment(); got != want {
			t.Errorf("TERM=%s gives depth %d, want %d", name, got, want)
		}
	}
	t.Setenv("TERM", "screen")
	t.Setenv("NO_COLOR", "1")
	if got := environment(); got != NoColor {
		t.Errorf("NO_COLOR gives depth %d", got)
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
