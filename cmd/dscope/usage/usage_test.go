package usage_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dscope.dev/cmd/dscope/usage"
)

func TestSpec(t *testing.T) {
	flags := []usage.Flag{{Name: "-q"}, {Name: "-o", Arg: "file"}, {Name: "--print"}, {Name: "-6", Arg: "4", Hidden: true}}
	if got, want := usage.Spec(flags), "qo:6:"; got != want {
		t.Errorf("Spec = %q, want %q", got, want)
	}
}

func TestText(t *testing.T) {
	c := usage.Command{Name: "cook", Forms: []string{"[-q] [-o file]\n    [words ...]", "-l"}, About: "Cooks.",
		Flags: []usage.Flag{
			{Name: "-q", Help: "say nothing", Above: "how:"},
			{Name: "--long", Help: strings.Repeat("word ", 20)},
			{Name: "-6", Hidden: true},
		}, After: "Exit status 0.\n\n    dscope cook"}
	const want = `usage: dscope cook [-q] [-o file]
    [words ...]
       dscope cook -l

Cooks.

  how:
    -q      say nothing
    --long  word word word word word word word word word word word word word
            word word word word word word word

Exit status 0.

    dscope cook
`
	if got := c.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWrap: no line is too long unless a word is, and no word is lost.
func TestWrap(t *testing.T) {
	for _, text := range []string{"", "a", strings.Repeat("word ", 40), strings.Repeat("x", 100) + " y", "one\n\ntwo",
		strings.Repeat("Ж– ", 60)} {
		for _, column := range []int{0, 4, 24, 78} {
			got := usage.Wrap(text, column)
			if a, b := strings.Fields(got), strings.Fields(text); strings.Join(a, " ") != strings.Join(b, " ") {
				t.Errorf("Wrap(%q, %d) = %q", text, column, got)
			}
			for line := range strings.Lines(got) {
				line = strings.TrimSuffix(line, "\n")
				if utf8.RuneCountInString(line) > usage.Width && len(strings.Fields(line)) > 1 {
					t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
				}
			}
		}
	}
}
