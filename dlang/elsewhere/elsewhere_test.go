package elsewhere_test

import (
	"bytes"
	"fmt"
	"testing"

	"dscope.dev/dlang/elsewhere"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/elsewhere/*.txtar", map[string]func([]byte) []byte{
		"linux": func(input []byte) []byte {
			s, _ := parser.Parse(token.NewFile("input", string(input)))
			return []byte(elsewhere.Rewrite(s, elsewhere.Find(s)))
		},
		"names": func(input []byte) []byte {
			f := token.NewFile("input", string(input))
			s, _ := parser.Parse(f)
			var b bytes.Buffer
			for _, n := range elsewhere.Find(s) {
				line, _ := f.Position(n.At.From)
				fmt.Fprintf(&b, "%d: %s → %s (%s)\n", line, n.Text, n.Linux, n.Note)
			}
			return b.Bytes()
		},
	})
}

// What was rewritten has no name of another kernel any more, but those that Linux has
// nothing for.
func TestOnce(t *testing.T) {
	for _, input := range golden.Inputs(t, "../../testdata/elsewhere/*.txtar") {
		s, _ := parser.Parse(token.NewFile("input", input))
		s, _ = parser.Parse(token.NewFile("input", elsewhere.Rewrite(s, elsewhere.Find(s))))
		for _, n := range elsewhere.Find(s) {
			if n.Linux != "" {
				t.Errorf("%s is there again: %s", n.Text, n.Linux)
			}
		}
	}
}
