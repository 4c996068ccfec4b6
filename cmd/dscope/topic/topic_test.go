package topic

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dscope.dev/dlang/option"
)

// TestPages holds the pages to the form that package topic describes.
func TestPages(t *testing.T) {
	entries, err := files.ReadDir("text")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(order, strings.TrimSuffix(e.Name(), path.Ext(e.Name()))) {
			t.Errorf("%s is not listed", e.Name())
		}
	}
	broken := regexp.MustCompile("(?m)^[^`]*(`[^`]*`[^`]*)*`[^`]*$") // an odd number of marks
	for _, p := range All() {
		for i, line := range strings.Split(p.Body, "\n") {
			at := func(why string) { t.Errorf("%s.md, line %d: %s: %s", p.Name, i+2, why, line) }
			switch {
			case utf8.RuneCountInString(line) > 80:
				at("longer than 80 columns")
			case strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "## "):
				at("a heading has two #")
			case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "|"):
				at("there is no such form")
			case !strings.HasPrefix(line, "    ") && !strings.Contains(line, "``") && broken.MatchString(line):
				at("a mark of what is typed is left open")
			}
		}
	}
}

// TestText: what is printed has no marks, but for those in examples.
func TestText(t *testing.T) {
	p, err := parse("tea", "# tea – hot\n\nBoil `water`, `` `hot `` too.\n\n## Pots\n\n`pot`\n:   of `clay`\n    or `iron`\n\n    $ `pour`\n\n    `twice`\n\n- `cup`\n  `s`\n")
	if err != nil {
		t.Fatal(err)
	}
	const want = "TEA – hot\n\nBoil water, `hot too.\n\nPOTS\n\npot\n    of clay\n    or iron\n\n    $ `pour`\n\n    `twice`\n\n- cup\n  s\n"
	if got := p.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := parse("tea", "# coffee – hot\n"); err == nil {
		t.Error("a page with another's title is read")
	}
}

// TestOptions: every option is told of.
func TestOptions(t *testing.T) {
	p, ok := Named("options")
	if !ok {
		t.Fatal("no topic options")
	}
	for _, name := range option.Names() {
		if !strings.Contains(p.Body, "\n`"+name) {
			t.Errorf("option %s is not told of", name)
		}
	}
	if _, ok := Named("nothing"); ok {
		t.Error("there is a topic nothing")
	}
}
