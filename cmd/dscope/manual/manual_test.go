package manual

import (
	"strings"
	"testing"

	"dscope.dev/cmd/dscope/topic"
	"dscope.dev/cmd/dscope/usage"
)

// TestPage writes a page for each kind of thing that there is to be written.
func TestPage(t *testing.T) {
	b := &Book{Version: "9.9", Date: "2026-01-02", Program: usage.Command{Forms: []string{"[-p PID]"}, About: "Opens."},
		Commands: []usage.Command{{Name: "cook", Brief: "cook it", Forms: []string{"[-q] [-o file]\n    words"}, After: "Exit status 0.",
			Flags:  []usage.Flag{{Name: "-q", Help: ".quietly", Above: "how:"}, {Name: "-o", Arg: "file", Help: `a\b`}, {Name: "-B", Hidden: true}},
			Topics: []string{"tea"}}},
		Topics: []topic.Topic{{Name: "tea", Brief: "hot", Body: "Boil `a-b`, `` c`d ``.\n\n    .x 'y'\n    ~z\n\n    ^\n\n- one\n  more\n- two\n\n## Pots\n\n`pot`\n:   of clay\n    – …\n"}},
	}
	cook, _ := b.Page("cook")
	for _, want := range []string{".TH \"DSCOPE\\-COOK\" 1 2026-01-02 \"dscope 9.9\" dscope\n", "dscope\\-cook \\- cook it\n",
		"dscope cook [\\-q] [\\-o file]\n    words\n", ".SS \"How\"\n.TP\n\\fB\\-q\\fR\n\\&.quietly\n", ".TP\n\\fB\\-o\\fR \\fIfile\\fR\na\\eb\n",
		".SH \"EXIT STATUS\"\nExit status 0.\n", ".SH \"SEE ALSO\"\n.BR dscope (1),\n.BR dscope\\-tea (7)\n"} {
		if !strings.Contains(cook.Roff, want) {
			t.Errorf("no\n%sin\n%s", want, cook.Roff)
		}
	}
	if strings.Contains(cook.Roff, "fB\\-B") {
		t.Error("a hidden flag is told of")
	}
	tea, _ := b.Page("tea")
	const want = `.SH "DESCRIPTION"
Boil \fBa\-b\fR, \fBc\(gad\fR.
.PP
.RS 4
.EX
\&.x \(aqy\(aq
\(tiz

\(ha
.EE
.RE
.IP \(bu 2
one more
.IP \(bu 2
two
.SH "POTS"
.TP
\fBpot\fR
of clay \[u2013] \[u2026]
.SH "SEE ALSO"
`
	if !strings.Contains(tea.Roff, want) || tea.Section != "7" {
		t.Errorf("no\n%s\nin\n%s", want, tea.Roff)
	}
	if p, ok := b.Page(""); !ok || p.Name != "dscope" || !strings.Contains(p.Roff, "\\fBcook\\fR\ncook it\n") {
		t.Errorf("the page of the program: %t\n%s", ok, p.Roff)
	}
	if _, ok := b.Page("coffee"); ok {
		t.Error("there is a page for nothing")
	}
}
