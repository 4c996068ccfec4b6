// Package golden runs tests that are text archives.
//
// An archive is a file in the txtar format: a comment that says what the case is
// about, then parts, each with a name. The part "input" is what goes in; every
// other part is what should come out of the printer of that name, so that one
// script may be compared as tokens, as tree and as complaints side by side:
//
//	An aggregation keeps the function of its first assignment.
//
//	-- input --
//	BEGIN { @n = count(); @n = sum(1); }
//	-- diagnostics --
//	…
//
// An archive has the parts that it is about and no others. With -update the
// parts are rewritten with what came out, and an archive that has only an input
// gets all of them; read the difference before it is committed.
package golden

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the archives with what came out")

// Run runs each archive that glob matches as a subtest. printers makes what should
// be in the part of its name from the input.
func Run(t *testing.T, glob string, printers map[string]func(input []byte) []byte) {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no archive matches %s", glob)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) { runFile(t, file, printers) })
	}
}

func runFile(t *testing.T, file string, printers map[string]func([]byte) []byte) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "input" })
	if i < 0 {
		t.Fatalf("%s has no part called input", file)
	}
	input := archive.Files[i].Data
	if len(archive.Files) == 1 && *update {
		for _, name := range slices.Sorted(maps.Keys(printers)) {
			archive.Files = append(archive.Files, txtar.File{Name: name})
		}
	}
	if len(archive.Files) == 1 {
		t.Fatalf("%s has nothing to compare; run the test with -update", file)
	}
	for j := range archive.Files {
		part := &archive.Files[j]
		if j == i {
			continue
		}
		print, ok := printers[part.Name]
		if !ok {
			t.Errorf("no printer is called %s; there are %v", part.Name, slices.Sorted(maps.Keys(printers)))
			continue
		}
		got := endLine(print(input))
		if *update {
			part.Data = got
		} else if !bytes.Equal(got, part.Data) {
			t.Errorf("%s is not as in %s:\n%s", part.Name, file, Diff(string(part.Data), string(got)))
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// endLine ends b with a newline, as every part of an archive ends.
func endLine(b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	return b
}

// Diff shows the lines in which got differs from want, those that are equal at
// the beginning and the end left out.
func Diff(want, got string) string {
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	ea, eb := len(a), len(b)
	for ea > from && eb > from && a[ea-1] == b[eb-1] {
		ea, eb = ea-1, eb-1
	}
	var out strings.Builder
	line := func(mark, text string) {
		out.WriteString(mark)
		out.WriteString(strings.TrimSuffix(text, "\n"))
		out.WriteByte('\n')
	}
	for _, text := range a[max(0, from-2):from] {
		line("  ", text)
	}
	for _, text := range a[from:ea] {
		line("- ", text)
	}
	for _, text := range b[from:eb] {
		line("+ ", text)
	}
	for _, text := range a[ea:min(len(a), ea+2)] {
		line("  ", text)
	}
	return out.String()
}

// Inputs returns the inputs of all archives that glob matches: seeds for a fuzz
// target, text for a benchmark.
func Inputs(t testing.TB, glob string) []string {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range archive.Files {
			if part.Name == "input" {
				inputs = append(inputs, string(part.Data))
			}
		}
	}
	if len(inputs) == 0 {
		t.Fatalf("no archive matches %s", glob)
	}
	return inputs
}

// Repeat strings scripts together until they have at least so many lines.
func Repeat(scripts []string, lines int) string {
	var b strings.Builder
	for n, i := 0, 0; n < lines; i++ {
		s := scripts[i%len(scripts)]
		n += strings.Count(s, "\n")
		b.WriteString(s)
	}
	return b.String()
}
