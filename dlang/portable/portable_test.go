package portable_test

import (
	"bytes"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/portable"
	"dscope.dev/dlang/token"
)

func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/portable/*.txtar", map[string]func([]byte) []byte{
		"warnings": func(input []byte) []byte {
			f := token.NewFile("input", string(input))
			s, list := parser.Parse(f)
			list = append(list, portable.Find(s)...)
			var b bytes.Buffer
			if err := diag.Print(&b, f, list); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		},
	})
}

// TestClassics holds that what DTrace has is not taken for ours: the scripts that
// show the format are all of them such as DTrace takes, but for those of control.
func TestClassics(t *testing.T) {
	for _, input := range golden.Inputs(t, "../../testdata/check/oneliners.txtar") {
		s, _ := parser.Parse(token.NewFile("input", input))
		for _, d := range portable.Find(s) {
			t.Errorf("%s at %v", d.Msg, d.At)
		}
	}
}
