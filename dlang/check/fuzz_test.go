package check_test

import (
	"os"
	"path/filepath"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/check/checktest"
	"dscope.dev/dlang/complete"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"golang.org/x/tools/txtar"
)

// FuzzCheck sees that nothing that can be typed makes the checker panic, and
// that what it says about places lies in the script.
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("../../testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range archive.Files {
			if part.Name == "input" {
				f.Add(string(part.Data))
			}
		}
	}
	env := checktest.New()
	f.Fuzz(func(t *testing.T, src string) {
		file := token.NewFile("input", src)
		s, _ := parser.Parse(file)
		prog, list := check.Check(file, s, env, check.Options{Macros: map[string]string{"1": "4", "2": "x y", "target": "7"}})
		for _, d := range list {
			if d.At.From < 1 || d.At.To.Offset() > len(src)+1 || d.At.To < d.At.From {
				t.Errorf("%s is said of %v in %d bytes", d.Msg, d.At, len(src))
			}
		}
		for x := range prog.Types {
			if prog.Types[x] == nil {
				t.Errorf("%s has no type", file.Text(x.Span()))
			}
		}
		complete.At(file, s, env, nil, len(src)*2/3)
	})
}

// TestArchivesAlwaysAnswer cuts every archive at every line, as one who types
// does, because a fuzzer seldom gets that far.
func TestArchivesAlwaysAnswer(t *testing.T) {
	if os.Getenv("CI") == "" && testing.Short() {
		t.Skip("short")
	}
	files, err := filepath.Glob("../../testdata/check/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	env := checktest.New()
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src := string(archive.Files[0].Data)
		for i := 0; i <= len(src); i += 1 + len(src)/300 {
			file := token.NewFile("input", src[:i])
			s, _ := parser.Parse(file)
			check.Check(file, s, env, check.Options{})
			complete.At(file, s, env, nil, i)
		}
	}
}
