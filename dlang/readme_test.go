package dlang_test

import (
	"os"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/format"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/portable"
	"dscope.dev/dlang/token"
)

// TestReadme checks the examples of README.md: each is right, laid out as dscope
// fmt does it, and shows something that is beyond DTrace.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := codeBlocks(string(text))
	if len(examples) < 6 {
		t.Fatalf("only %d examples found", len(examples))
	}
	for _, src := range examples {
		f := token.NewFile("example", src)
		tree, list := parser.Parse(f)
		_, more := check.Check(f, tree, gen.NewEnv(), check.Options{ZeroProbesOK: true})
		for _, d := range append(list, more...) {
			line, col := f.Position(d.At.From)
			t.Errorf("%s\n%d:%d: %s [%s]", src, line, col, d.Msg, d.Code)
		}
		if got := format.Source(f, tree); got != src {
			t.Errorf("%s\nis not laid out:\n%s", src, got)
		}
		if len(portable.Find(tree)) == 0 {
			t.Errorf("%s\nis all DTrace's", src)
		}
	}
}

// codeBlocks returns the indented blocks of a page, without their indentation.
func codeBlocks(text string) []string {
	var blocks []string
	var block strings.Builder
	blank := 0
	end := func() {
		if block.Len() > 0 {
			blocks = append(blocks, block.String())
		}
		block.Reset()
	}
	for _, line := range strings.Split(text, "\n") {
		code, ok := strings.CutPrefix(line, "    ")
		switch {
		case ok:
			if block.Len() > 0 {
				block.WriteString(strings.Repeat("\n", blank))
			}
			block.WriteString(code + "\n")
			blank = 0
		case line == "":
			blank++
		default:
			end()
			blank = 0
		}
	}
	end()
	return blocks
}
