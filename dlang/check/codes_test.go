package check_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestEveryCodeHasAnArchive looks in the archives of all phases for each tag: a
// complaint that none provokes may be one that no script can provoke, or one that
// nobody has read.
func TestEveryCodeHasAnArchive(t *testing.T) {
	var said strings.Builder
	archives, err := filepath.Glob("../../testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		said.Write(text)
	}
	for name, tag := range codeTags(t) {
		if name == "Verifier" || name == "Internal" {
			continue // no script does; tests of package engine break the code of one, and the compiler
		}
		if !strings.Contains(said.String(), "["+tag+"]") {
			t.Errorf("no archive shows %s", tag)
		}
	}
}

// codeTags maps the names of the codes to their tags.
func codeTags(t *testing.T) map[string]string {
	f, err := parser.ParseFile(token.NewFileSet(), "../diag/code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
			tags[spec.Names[0].Name], _ = strconv.Unquote(lit.Value)
		}
		return true
	})
	return tags
}
