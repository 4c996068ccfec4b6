package engine

import (
	"testing"

	"dscope.dev/dlang/token"
)

// TestJoinFiles joins files that were made and one that was not: every place is
// that of its own file.
func TestJoinFiles(t *testing.T) {
	source := token.NewFile("a.d", "\nBEGIN { A; }\n")
	files := []*token.File{
		token.NewMapped("a.d", "BEGIN { 1; }\n", []token.Run{{File: source, Off: 1}, {At: 8, File: source, Off: 9, Len: 1}, {At: 9, File: source, Off: 10}}),
		token.NewFile("b.d", "tick-1s"),
		token.NewMapped("c.d", "END {}", []token.Run{{File: token.NewFile("c.d", "  END {}"), Off: 2}}),
	}
	f, starts := JoinFiles("all", files)
	var texts []string
	for _, file := range files {
		texts = append(texts, file.Src)
	}
	if f.Src != Join(texts) {
		t.Errorf("joined to %q", f.Src)
	}
	for i, want := range []struct {
		name      string
		line, col int
	}{{"a.d", 2, 1}, {"b.d", 1, 1}, {"c.d", 1, 3}} {
		if f.Src[starts[i]:][:len(texts[i])] != texts[i] {
			t.Errorf("%s begins at %d", want.name, starts[i])
		}
		name, line, col := f.Place(token.Pos(starts[i] + 1))
		if name != want.name || line != want.line || col != want.col {
			t.Errorf("file %d begins at %s:%d:%d, want %v", i, name, line, col, want)
		}
	}
}
