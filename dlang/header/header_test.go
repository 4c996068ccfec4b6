package header_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/header"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

// TestArchives compares the macros that declarations become, without what all
// headers begin with.
func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/header/*.txtar", map[string]func([]byte) []byte{
		"header": func(in []byte) []byte {
			f := token.NewFile("input", string(in))
			script, list := parser.Parse(f)
			if list.Failed() {
				return []byte(list[0].Msg + "\n")
			}
			text, err := header.Write(f, script)
			if err != nil {
				return []byte(err.Error() + "\n")
			}
			_, own, _ := strings.Cut(string(text), "\n#endif\n\nDSCOPE_COUNTER")
			return []byte("DSCOPE_COUNTER" + own)
		},
	})
}
