package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dscope.dev/cmd/dscope/topic"
)

// An example is a block of a page that is set apart: some commands with what they print, a
// script, or a picture.
type example struct {
	page  string // where it stands
	lines []string
}

// documents are all pages with examples: the README, the topics, and what is told of commands.
func documents(t testing.TB) map[string]string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{"README": string(readme)}
	for _, p := range topic.All() {
		pages[p.Name] = p.Body
	}
	for _, c := range commandTable() {
		pages["dscope "+c.Name] = c.About
	}
	return pages
}

// examples returns the blocks of a page.
func examples(page, text string) []example {
	var list []example
	var block []string
	end := func() {
		if len(block) > 0 {
			list = append(list, example{page, block})
		}
		block = nil
	}
	blank := true
	for line := range strings.SplitSeq(text, "\n") {
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case indented && block != nil && blank:
			block = append(block, "", code)
		case indented && (blank || block != nil):
			block = append(block, code)
		case line != "":
			end()
		}
		blank = line == ""
	}
	end()
	return list
}

// commands returns the command lines of a block, without comments. One goes on in the next
// line while a quote is open.
func (e *example) commands() []string {
	var list []string
	open := false
	for _, line := range e.lines {
		switch first, _, _ := strings.Cut(line, " "); {
		case open:
			list[len(list)-1] += "\n" + line
		case first == "dscope", first == "sudo", first == "source", first == "go", strings.HasPrefix(first, "CGO_"):
			list = append(list, line)
		default:
			continue
		}
		open = strings.Count(list[len(list)-1], "'")%2 == 1
	}
	for i := range list {
		list[i], _, _ = strings.Cut(list[i], " # ")
		list[i] = strings.TrimRight(list[i], " ")
	}
	return list
}

// text is all of a block.
func (e *example) text() string { return strings.Join(e.lines, "\n") + "\n" }

// isScript reports whether a block is D, with clauses.
func (e *example) isScript() bool {
	return len(e.commands()) == 0 && strings.Contains(e.text(), "\n{\n")
}

// TestObjectsOfPages reads the objects that pages show as output.
func TestObjectsOfPages(t *testing.T) {
	seen := 0
	for page, text := range documents(t) {
		for _, e := range examples(page, text) {
			if !strings.HasPrefix(e.text(), "{") {
				continue
			}
			for in := json.NewDecoder(strings.NewReader(e.text())); ; seen++ {
				var o struct{ Type string }
				err := in.Decode(&o)
				if err == io.EOF {
					break
				}
				if err != nil || o.Type == "" {
					t.Fatalf("%s: %v, type %q", page, err, o.Type)
				}
			}
		}
	}
	if seen < 4 {
		t.Errorf("%d objects in all pages: are they still found?", seen)
	}
}

// TestScriptsOfPages has each script of a page compiled.
func TestScriptsOfPages(t *testing.T) {
	seen := 0
	for page, text := range documents(t) {
		for i, e := range examples(page, text) {
			if !e.isScript() {
				continue
			}
			seen++
			path := filepath.Join(t.TempDir(), fmt.Sprintf("%s%d.d", page, i))
			if err := os.WriteFile(path, []byte(e.text()), 0o666); err != nil {
				t.Fatal(err)
			}
			if code := run([]string{"dscope", "check", "-Z", path}); code != exitOK {
				t.Errorf("%s: exit code %d for\n%s", page, code, e.text())
			}
		}
	}
	if seen < 2 {
		t.Errorf("%d scripts in all pages: are they still found?", seen)
	}
}

// TestTestCommand holds that the README has people test as CI does.
func TestTestCommand(t *testing.T) {
	ci, err := os.ReadFile(filepath.Join("..", "..", ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples("README", documents(t)["README"]) {
		for _, line := range e.commands() {
			if strings.HasPrefix(line, "go test") {
				if !strings.Contains(string(ci), "\n"+line+"\n") {
					t.Errorf(".ci/run does not run %q", line)
				}
				return
			}
		}
	}
	t.Error("the README does not say how to test")
}
