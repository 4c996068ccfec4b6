package engine

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/engine/internal/options"
)

var updateDims = flag.Bool("update-dims", false, "write what the dimensions are into testdata/dims")

// TestDims compares the dimensions that examples of a script would have, of each place
// that fills an aggregation, with those written down in testdata/dims.
func TestDims(t *testing.T) {
	e := tracing(t)
	paths, err := filepath.Glob("../testdata/dims/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil || len(a.Files) != 2 {
				t.Fatalf("%d files, %v; want a script and its dimensions", len(a.Files), err)
			}
			o := options.Default()
			if err := o.Set("examples", "4"); err != nil {
				t.Fatal(err)
			}
			s := Script{Name: "script", Text: string(a.Files[0].Data), Options: o, Target: 1}
			_, p, list := e.check(context.Background(), &s, false)
			if list.Failed() {
				t.Fatal(list[0].Msg)
			}
			var got strings.Builder
			for _, as := range inOrder(p) {
				fmt.Fprintf(&got, "@%s\n", as.Agg.Name)
				for _, d := range as.Dims {
					key := ""
					if d.Key {
						key = " (key)"
					}
					fmt.Fprintf(&got, "\t%s: %s%s\n", d.Name, d.Text, key)
				}
			}
			if *updateDims {
				a.Files[1].Data = []byte(got.String())
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(a.Files[1].Data); got.String() != want {
				t.Errorf("got:\n%swant:\n%s", got.String(), want)
			}
		})
	}
}

// inOrder returns what fills aggregations, as it stands in the script.
func inOrder(p *check.Program) (list []*check.AggAssign) {
	for _, c := range p.Clauses {
		p.Means.Walk(c.AST, func(n ast.Node) bool {
			if s, ok := n.(*ast.AggAssign); ok && p.AggAssigns[s] != nil {
				list = append(list, p.AggAssigns[s])
			}
			return true
		})
	}
	return list
}
