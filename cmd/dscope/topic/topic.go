// Package topic holds the pages of dscope help, which the manual pages have too.
//
// A page is a file of Markdown in the folder text, of which dscope help TOPIC prints each line
// nearly as it stands. So it keeps to little of that language, and to lines of 80 columns at
// most:
//
//	# workbench – open, look, change, run again
//
//	## A heading
//
//	A paragraph, with `words as they are typed`.
//
//	- an item of a list
//
//	`term`
//	:   what is told of it, in a list of terms
//
//	    $ an example: lines that are indented by four
//
// In examples a line that begins with "$ " is typed at a shell. Tests run each of them, have
// each script compiled, and hold the pages to the form. To add a page, add a file, and its name
// to the order.
package topic

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed text/*.md
var files embed.FS

// A Topic is one page.
type Topic struct {
	Name  string // what one asks for: workbench
	Brief string // what it is about, in some words
	Body  string // Markdown, without the line of the title
}

// order is that in which the pages are listed: as somebody new would read them.
var order = []string{
	"workbench", "home", "questions", "differences", "examples", "providers", "language", "scripts", "editors", "processes", "stacks",
	"output", "options", "losses", "cost", "recordings", "exports", "machines", "fleets", "kernels",
}

// All returns every topic.
func All() []Topic { return append([]Topic(nil), read()...) }

// Named returns the topic of a name.
func Named(name string) (Topic, bool) {
	for _, t := range read() {
		if t.Name == name {
			return t, true
		}
	}
	return Topic{}, false
}

// read reads the files, once. They are part of the program, and tests hold them to the form.
var read = sync.OnceValue(func() []Topic {
	var list []Topic
	for _, name := range order {
		text, err := files.ReadFile("text/" + name + ".md")
		if err != nil {
			panic(err)
		}
		t, err := parse(name, string(text))
		if err != nil {
			panic(err)
		}
		if name == "options" {
			t.Body += options()
		}
		list = append(list, t)
	}
	return list
})

// parse reads the title of a page.
func parse(name, text string) (Topic, error) {
	title, body, _ := strings.Cut(text, "\n")
	brief, ok := strings.CutPrefix(title, "# "+name+" – ")
	if !ok {
		return Topic{}, fmt.Errorf("%s.md begins with %q, not with # %s – and what it is about", name, title, name)
	}
	return Topic{name, brief, strings.TrimLeft(body, "\n")}, nil
}

// quoted finds what is marked as typed.
var quoted = regexp.MustCompile("`` (.+?) ``|`([^`]+)`")

// Text returns the page as it is printed: headings in capitals, the marks of Markdown taken
// off where they are not part of an example.
func (t Topic) Text() string {
	var b strings.Builder
	b.WriteString(strings.ToUpper(t.Name) + " – " + t.Brief + "\n\n")
	example, blank := false, true
	for line := range strings.Lines(t.Body) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" {
			// What is indented right below a line carries that on.
			example = strings.HasPrefix(line, "    ") && (blank || example)
			blank = false
		} else {
			blank = true
		}
		heading, isHeading := strings.CutPrefix(line, "## ")
		told, isTold := strings.CutPrefix(line, ":   ")
		switch {
		case isHeading:
			line = strings.ToUpper(heading)
		case isTold:
			line = "    " + plain(told)
		case !example:
			line = plain(line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// plain takes the marks off a line.
func plain(line string) string { return quoted.ReplaceAllString(line, "$1$2") }
