package derived

import (
	"io/fs"
	"strings"
	"testing"

	"dscope.dev/probes"
)

const good = `/* what it is for */
provider p {
	/*
	 * First
	 * line.
	 */
	probe one-two(struct task_struct *T, user char *path) : (psinfo_t *T, string path, lwpsinfo_t *T)
		= rawtp:::a /args[1] != (2 / 1)/ (args[3], arg0)
		+ rawtp:::b (f(args[0], 1), 0) { self->x = 0; self->y[arg0] = 0; }
		| fbt:vmlinux:c:entry (0, self->x);
	rawtp:::d /1/ { self->x = timestamp; }
	probe bare() = rawtp:::e;
};
`

func TestParse(t *testing.T) {
	p, err := parse("p.d", good)
	if err != nil {
		t.Fatal(err)
	}
	if p.name != "p" || p.help != "what it is for" || len(p.probes) != 2 || len(p.states) != 1 {
		t.Fatalf("provider %q, help %q, %d probes, %d states", p.name, p.help, len(p.probes), len(p.states))
	}
	d := p.probes[1] // sorted by name
	if d.name != "one-two" || d.help != "First line." {
		t.Errorf("probe %q, help %q", d.name, d.help)
	}
	if len(d.in) != 2 || d.in[0] != (param{typ: "struct task_struct *", name: "T"}) || !d.in[1].user {
		t.Errorf("raw arguments %+v", d.in)
	}
	if len(d.out) != 3 || d.out[1].from != 1 || d.out[2].typ != "lwpsinfo_t *" || d.out[2].from != 0 {
		t.Errorf("arguments %+v", d.out)
	}
	if len(d.hooks) != 2 || len(d.hooks[0]) != 2 || len(d.hooks[1]) != 1 {
		t.Fatalf("hooks %v", d.hooks)
	}
	a, b, c := d.hooks[0][0], d.hooks[0][1], d.hooks[1][0]
	if a.when != "args[1] != (2 / 1)" || a.uses != 4 || a.probe.Name != "a" {
		t.Errorf("first hook %+v", a)
	}
	if len(b.values) != 2 || b.values[0] != "f(args[0], 1)" || len(b.then) != 2 || b.then[1] != "self->y[arg0] = 0" {
		t.Errorf("second hook %+v", b)
	}
	if s := p.states[0]; !c.reads(s) || a.reads(s) || b.reads(s) {
		t.Error("the wrong hooks read what the clause assigns")
	}
}

// A probe may be declared with its module and function; then it is found under these alone.
func TestParsePlaces(t *testing.T) {
	p, err := parse("p.d", `/* p */ provider p {
		/* Reads. */ probe vop:vop_read:entry(int N) = rawtp:::a (args[0]);
		/* Other. */ probe entry() = rawtp:::b;
	};`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		probe probes.Probe
		want  string // help of what is found
	}{
		{probes.Probe{Provider: "p", Module: "vop", Function: "vop_read", Name: "entry"}, "Reads."},
		{probes.Probe{Provider: "p", Module: "vmlinux", Name: "entry"}, "Other."},
		{probes.Probe{Provider: "p", Module: "vop", Function: "vop_read", Name: "return"}, ""},
		{probes.Probe{Provider: "p", Module: "vmlinux", Name: "vop:vop_read:entry"}, ""},
		{probes.Probe{Provider: "p", Name: "entry"}, ""},
	} {
		got := ""
		if d := p.find(tt.probe); d != nil {
			got = d.help
		}
		if got != tt.want {
			t.Errorf("%s is %q, want %q", tt.probe, got, tt.want)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"provider p {\nprobe a(int x) = rawtp:::a;\n};":               "p.d:2: rawtp:::a gives 0 arguments of 1",
		"provider p {\nprobe a(int x) : (int y) = rawtp:::a (0);\n};": "p.d:2: y is made of nothing",
		"provider p {\nprobe a(int) = rawtp:::a (0);\n};":             "p.d:2: a: an argument needs a type and a name",
		"provider p {\nprobe a();\n};":                                "p.d:2: a is made of nothing",
		"provider p {\nprobe m:a() = rawtp:::a;\n};":                  "p.d:2: m:a: a probe has a name, or module, function and name",
		"provider p {\nprobe m::a() = rawtp:::a;\n};":                 "p.d:2: m::a: a probe has a name",
		"provider p {\nprobe p:m:f:a() = rawtp:::a;\n};":              "p.d:2: p:m:f:a: a probe has a name",
		"provider p {\nprobe a() = rawtp::a;\n};":                     "a hook has four parts",
		"provider p {\nprobe a() = rawtp:::a /1 (2);\n};":             `"/" is missing`,
		"provider p {\nrawtp:::a /1/\n};":                             "rawtp:::a notes nothing",
		"provider p {\n/* probe a() = rawtp:::a;\n};":                 "a comment has no end",
		"provider p {\nprobe a() = rawtp:::a":                         "missing",
		"provide p {};":                                               `"provider" is missing`,
	} {
		if _, err := parse("p.d", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestTexts holds the texts that ship to what the package comment says.
func TestTexts(t *testing.T) {
	entries, err := fs.ReadDir(texts, "d")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := texts.ReadFile("d/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		p, err := parse(e.Name(), string(text))
		if err != nil {
			t.Error(err)
			continue
		}
		if p.name+".d" != e.Name() || p.help == "" {
			t.Errorf("%s holds the provider %q with the help %q", e.Name(), p.name, p.help)
		}
		if got := heading(text); got != p.help {
			t.Errorf("%s: at a glance the help is %q, and it is %q", p.name, got, p.help)
		}
		for i, d := range p.probes {
			if d.help == "" {
				t.Errorf("%s:::%s has no help", p.name, d.name)
			}
			if names := declared(text); len(names) != len(p.probes) || names[i] != d.name {
				t.Errorf("%s:::%s: at a glance the text declares %v", p.name, d.name, names)
			}
			if i > 0 && p.probes[i-1].name == d.name {
				t.Errorf("%s:::%s is declared twice", p.name, d.name)
			}
			for _, joined := range d.hooks {
				for _, h := range joined {
					p.checkStates(t, d, h)
				}
			}
		}
	}
}

// checkStates complains about a probe whose hook is also that of a clause which
// notes something for it.
func (p *provider) checkStates(t *testing.T, d *probe, h *hook) {
	for _, s := range p.states {
		if h.reads(s) && s.probe == h.probe {
			t.Errorf("%s:::%s reads at %s what is noted there", p.name, d.name, h.probe)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Fuzz(func(t *testing.T, text string) { parse("fuzz.d", text) })
}
