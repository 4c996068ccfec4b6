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

// TestEveryCodeHasAnArchive reads our own source: a complaint that no archive
// provokes may be one that no script can provoke, or one that nobody has read.
func TestEveryCodeHasAnArchive(t *testing.T) {
	var said strings.Builder
	archives, err := filepath.Glob("../../testdata/check/*.txtar")
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
	tags := codeTags(t)
	for name := range usedCodes(t) {
		tag, ok := tags[name]
		if ok && !strings.Contains(said.String(), "["+tag+"]") {
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

// usedCodes collects what the checker takes from package diag.
func usedCodes(t *testing.T) map[string]bool {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "diag" {
					used[sel.Sel.Name] = true
				}
			}
			return true
		})
	}
	return used
}
