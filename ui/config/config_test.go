package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dscope.dev/ui/keymap"
)

// known are a few options, of which one cannot be 7.
var known = Known{
	Options: []Option{{Name: "quiet", Help: "be quiet", Flag: true}, {Name: "bufsize", Help: "a buffer", Usual: "4m"}, {Name: "nspec", Help: "how many", Usual: "4"}},
	Try: func(name, value string) error {
		if value == "7" {
			return fmt.Errorf("%s cannot be 7", name)
		}
		return nil
	},
}

// TestEveryKey sets each setting of the table to what it is, and to things that it cannot
// be, which are told with their line and leave it as it is.
func TestEveryKey(t *testing.T) {
	for _, s := range settings {
		head := ""
		if s.section != "" {
			head = "[" + s.section + "]"
		}
		c, errs := Parse("c", fmt.Sprintf("%s\n%s = %s\n", head, s.name, spell(s.usual)), known)
		if len(errs) > 0 || !same(c, Default()) {
			t.Errorf("%s as it is: %v, %+v", s.key(), errs, c)
		}
		for _, bad := range []string{`"nonsense"`, "-5", "2026-11-24", "[1, 2]", "{ a = 1 }", "99999999999999"} {
			c, errs := Parse("c", fmt.Sprintf("%s\n%s = %s\n", head, s.name, bad), known)
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "c:2: "+s.key()) || !same(c, Default()) {
				t.Errorf("%s = %s gives %v, %+v", s.key(), bad, errs, c)
			}
		}
		if s.help == "" || strings.Contains(s.help, "\n") {
			t.Errorf("%s has no line of help", s.key())
		}
	}
}

func same(a, b Config) bool { return reflect.DeepEqual(a, b) }

// TestValues sets what differs from what is.
func TestValues(t *testing.T) {
	c, errs := Parse("c", `
theme = "light"
keymap = "readline"
colours = "16"
glyphs = "ascii"
mouse = false
session = false
plain = true
tab = 4

[layout]
probes = 30
script = 40
live = 20
wide-probes = 15
wide-script = 60
wide-live = 50

[limits]
past-memory = "16m"
runs-memory = 67108864
output-memory = "1m"
output-lines = 1000
airbag = "off"
estimate = "5%"

[options]
quiet = true
bufsize = "8m"
nspec = 4

[keys]
run.start = ["f5", "alt+ctrl+r"]
"theme.next" = []
live.filter = "f"

[keys-in.probes.search]
list.up = "up ctrl+b"
`, known)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	keys := c.Keys
	c.Keys = nil
	want := Config{Theme: "light", Keymap: "readline", Colours: "16", Glyphs: "ascii", Plain: true, Tab: 4,
		Layout: Layout{30, 40, 20, 15, 60, 50}, Limits: Limits{16 << 20, 64 << 20, 1 << 20, 1000},
		Options: []string{"airbag=off", "estimate=5%", "quiet", "bufsize=8m", "nspec=4"}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
	for _, tt := range []struct{ context, key, want string }{
		{"always", "alt+ctrl+r", "run.start"}, {"always", "ctrl+o", ""}, {"always", "f9", ""}, {"live", "f", "live.filter"},
		{"probes.search", "ctrl+b", "list.up"}, {"script", "ctrl+a", "go.home"},
	} {
		if got := keys.Action(tt.context, tt.key); got != tt.want {
			t.Errorf("%s in [%s] asks for %q, want %q", tt.key, tt.context, got, tt.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"thme = \"dark\"", "c:1: thme: there is no such setting; did you mean theme?"},
		{"\ntheme = \"drak\"", `c:2: theme: it is one of "", "dark",`},
		{"\ntheme = \"drak\"", `did you mean dark?`},
		{"airbag = \"20%\"", "c:1: airbag: there is no such setting; did you mean limits.airbag?"},
		{"[layout]\nprobe = 3", "c:2: layout.probe: there is no such setting; did you mean layout.probes?"},
		{"[lay]\nprobes = 3", "c:2: lay.probes: there is no such setting; did you mean layout.probes?"},
		{"[limits]\n\nairbag = \"much\"", `c:3: limits.airbag: it is a share of all CPUs such as "10%", or "off", not "much"`},
		{"[options]\nbufsiz = 1", "c:2: options.bufsiz: no option is called so; did you mean bufsize?"},
		{"[options]\nnspec = 7", "c:2: options.nspec: nspec cannot be 7"},
		{"[options]\nnspec = [7]", "c:2: options.nspec: an option takes a word, a number, or true and false"},
		{"options = 3", "c:1: options: it is a table: [options]"},
		{"keys = 3", "c:1: keys: it is a table: [keys]"},
		{"[keys.live]\n\"live.open\" = \"X\"", "did you mean live.open?"},
		{"[keys]\nrun.strat = \"f5\"", "c:2: keys.run.strat: no action is called so; did you mean run.start?"},
		{"[keys]\nrun.start = 5", `c:2: keys.run.start: keys are words such as "ctrl+r", not 5`},
		{"[keys]\nrun.start = [\"a b\"]", `c:2: keys.run.start: keys are words such as "ctrl+r", not "a b"`},
		{"[keys]\nrun.start = \"Control+e\"", `c:2: keys.run.start: no key is called "Control+e"; did you mean ctrl+e?`},
		{"[keys]\nrun.start = \"C-e\"", "did you mean ctrl+e?"},
		{"[keys]\nrun.start = \"f8\"", "c:2: keys.run.start: f8 asks for go.complaint in [script] already"},
		{"[keys]\nrun.start = \"r\"", "c:2: keys.run.start: r in [always]: it is text here"},
		{"[keys]\nlive.sort = \"h\"", "c:2: keys.live.sort: h in [live]: it asks for live.heat in [live] already"},
		{"[keys-in.lve]\nlive.sort = \"X\"", "c:2: keys-in.lve.live.sort: there is no such context, or no such action in it; did you mean live.live.sort?"},
		{"[keys-in.live]\nlist.up = \"X\"", "c:2: keys-in.live.list.up: there is no such context"},
		{"theme = \"dark\"\ntheme = \"light\"", "c:2: theme: Key 'theme' has already been defined."},
		{"theme = dark", "c:1: "},
		{"theme = \"dark", "c:1: "},
		{"= 5", "c:1: "},
		{"[[limits]]\nairbag = \"off\"", "c:1: limits: there is no such setting"},
	} {
		_, errs := Parse("c", tt.text, known)
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), tt.want) {
			t.Errorf("%q gives %q, want %q", tt.text, errs, tt.want)
		}
	}
}

// TestOneWrong holds that what is wrong takes nothing else with it.
func TestOneWrong(t *testing.T) {
	c, errs := Parse("c", "thme = 1\ntheme = \"light\"\nnonsense\ntab = 4\n[keys]\nrun.start = \"f8\"\nrun.stop = \"alt+s\"\nrun.facts = \"ctrl+e alt+9\"\nquit = \"alt+9\"\nhelp.open = \"alt+8\"\n", known)
	if c.Theme != "light" || c.Tab != 4 {
		t.Errorf("%+v", c)
	}
	for key, want := range map[string]string{"f8": "", "ctrl+r": "run.start", "alt+8": "help.open"} {
		if got := c.Keys.Action("always", key); got != want {
			t.Errorf("%s asks for %q, want %q", key, got, want)
		}
	}
	var lines []int
	for _, e := range errs {
		lines = append(lines, e.Line)
	}
	if !slices.Equal(lines, []int{1, 3, 6, 7, 8}) && !slices.Equal(lines, []int{1, 3, 6, 7, 8, 9}) {
		t.Errorf("%q", errs)
	}
	for _, err := range c.Keys.Check() {
		t.Error(err)
	}
}

// TestPrint takes the signs of comments away from all that is printed: it is understood,
// and says nothing that is not so anyway.
func TestPrint(t *testing.T) {
	for _, name := range keymap.Names() {
		text := Print(fmt.Sprintf("keymap = %q\n", name), known)
		var bare []string
		for _, line := range strings.Split(text, "\n") {
			if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") {
				line = rest
			}
			bare = append(bare, line)
		}
		c, errs := Parse("c", strings.Join(bare, "\n"), known)
		if len(errs) > 0 {
			t.Fatalf("%s: %v", name, errs)
		}
		want, _ := keymap.Named(name)
		for _, context := range want.Contexts() {
			for i, r := range want.Rows(context) {
				if got := c.Keys.Rows(context)[i]; !slices.Equal(got.Spelled(), r.Spelled()) {
					t.Errorf("%s: %s in [%s] has %q, want %q", name, r.Action, context, got.Spelled(), r.Spelled())
				}
			}
		}
		c.Keys, c.Options = Default().Keys, nil
		if w := Default(); name == keymap.DefaultName && !same(c, w) {
			t.Errorf("got %+v\nwant %+v", c, w)
		}
	}
}

// TestPrintKeeps holds that what is printed of a file says what the file said.
func TestPrintKeeps(t *testing.T) {
	const text = "theme = \"light\"\n[limits]\noutput-memory = \"2m\"\n[options]\nquiet = true\n[keys]\nrun.start = [\"f5\", 'ctrl+\\']\nlist.up = \"alt+9\"\n[keys-in.live]\nlive.sort = \"X\"\n"
	first, errs := Parse("c", text, known)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	again, errs := Parse("c", Print(text, known), known)
	if len(errs) > 0 || !same(first, again) {
		t.Errorf("%v\ngot %+v\nwant %+v", errs, again, first)
	}
}

// FuzzParse holds that any text at all gives a whole configuration.
func FuzzParse(f *testing.F) {
	f.Add("theme = \"light\"\n[keys]\nrun.start = \"f8\"\n")
	f.Add("[keys-in.live.filter]\nlist.take = []\n[[keys]]\n")
	f.Add("a.b.c = { d = [1, {e = 2}] }\n'' = 1\n\"\\u0000\" = '''x'''\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, errs := Parse("c", text, known)
		if c.Keys == nil || c.Tab < 1 || len(c.Keys.Check()) > 0 {
			t.Errorf("%+v", c)
		}
		for _, e := range errs {
			if e.Reason == "" {
				t.Errorf("an error without a reason: %+v", e)
			}
		}
		Print(text, known)
	})
}
