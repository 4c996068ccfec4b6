// Package question is the catalogue of ready questions: scripts for people who want to know
// what a machine does, and know no D.
//
// A question is a file of D in the folder d. Its name is short and is what one types to have
// it run; all else that is told of it stands in a comment at its head, in a fixed form:
//
//	/*
//	 * Which reads are slow?
//	 *
//	 * Words:    slow reads, read latency, disk slow
//	 * Area:     files
//	 * Attaches: begin and end of the system calls that read
//	 * Cost:     medium – two firings for each read of the machine
//	 * Needs:    a process
//	 *
//	 * How to read what comes.
//	 */
//
// Words are phrases that people type, the likeliest first. Needs is left out by a question
// that needs nothing; "a process" is told by -p or chosen in the workbench, "a thread" is that
// of an example that is followed, or else the first of such a process, "fbt" are hooks
// at functions of the kernel. Whether a question can be asked on a machine is not told here:
// whoever wants to know has its script checked.
//
// The palette of the workbench and dscope ask find them with the same words (Find).
//
// To add a question, add a file. Tests hold it to the form, to the layout of dlang/format and
// to its promise: that it says something, on this kernel or in the matrix.
package question

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed d/*.d
var files embed.FS

// A Question is a script with what is told of it.
type Question struct {
	Name     string   // of its file: read-latency
	Title    string   // the question: Which reads are slow?
	Words    []string // phrases that people type, the likeliest first
	Area     string   // one of Areas
	Attaches string   // where it hooks
	Cost     Cost
	Why      string // what makes the cost
	Process  bool   // it asks about one process, $target
	Thread   bool   // it asks about one thread, whose number $target is
	FBT      bool   // it hooks functions of the kernel, which not every kernel allows
	Note     string // how to read what comes; may be empty
	Text     string // the whole script
}

// A Cost is what a question is likely to take of a busy machine.
type Cost uint8

// The costs.
const (
	Low    Cost = iota // up to some hundred firings a second and CPU: nobody notices
	Medium             // up to ten thousand: some percent of a CPU
	High               // more, or a breakpoint in a program: look at what it takes
)

// String returns the word of c.
func (c Cost) String() string { return [...]string{"low", "medium", "high"}[c] }

// Areas are what questions are about, in the order in which they are listed.
var Areas = []string{"CPU", "scheduler", "memory", "disk", "files", "network", "locks", "processes", "programs"}

// All returns every question, by area and name.
func All() []Question { return slices.Clone(catalogue()) }

// Named returns the question of a name.
func Named(name string) (Question, bool) {
	for _, q := range catalogue() {
		if q.Name == name {
			return q, true
		}
	}
	return Question{}, false
}

// Target reports whether the script has a $target.
func (q *Question) Target() bool { return q.Process || q.Thread }

// About returns the script with the process, or the thread, that it asks about written into it.
// Of the head it keeps what is told of the question and of what comes.
func (q *Question) About(id int) string {
	_, body, _ := strings.Cut(q.Text, "*/")
	head := strings.ReplaceAll("/*\n"+q.Title+"\n\n"+q.Note, "\n", "\n * ")
	head = strings.ReplaceAll(head, " * \n", " *\n")
	return head + "\n */" + strings.ReplaceAll(body, "$target", strconv.Itoa(id))
}

// catalogue reads the files, once. They are part of the program: one that breaks the form
// fails each test, and cannot be met by a user.
var catalogue = sync.OnceValue(func() []Question {
	names, err := files.ReadDir("d")
	if err != nil {
		panic(err)
	}
	var list []Question
	for _, f := range names {
		text, err := files.ReadFile(path.Join("d", f.Name()))
		if err != nil {
			panic(err)
		}
		q, err := parse(strings.TrimSuffix(f.Name(), ".d"), string(text))
		if err != nil {
			panic(err)
		}
		list = append(list, q)
	}
	slices.SortStableFunc(list, func(a, b Question) int {
		return cmp.Compare(slices.Index(Areas, a.Area), slices.Index(Areas, b.Area))
	})
	return list
})

// parse reads the head of a script.
func parse(name, text string) (Question, error) {
	q := Question{Name: name, Text: text}
	head, _, closed := strings.Cut(text, "*/")
	head, opened := strings.CutPrefix(head, "/*\n")
	if !opened || !closed {
		return q, fmt.Errorf("%s.d: it does not begin with a comment", name)
	}
	paragraphs := strings.Split(lines(head), "\n\n")
	if len(paragraphs) < 2 {
		return q, fmt.Errorf("%s.d: the head has no fields below its title", name)
	}
	q.Title = paragraphs[0]
	q.Note = strings.Join(paragraphs[2:], "\n\n")
	given := map[string]bool{}
	for _, line := range strings.Split(paragraphs[1], "\n") {
		key, value, _ := strings.Cut(line, ":")
		if given[key] {
			return q, fmt.Errorf("%s.d: field %s is there twice", name, key)
		}
		given[key] = true
		if err := q.set(key, strings.TrimSpace(value)); err != nil {
			return q, fmt.Errorf("%s.d: %w", name, err)
		}
	}
	for _, key := range []string{"Words", "Area", "Attaches", "Cost"} {
		if !given[key] {
			return q, fmt.Errorf("%s.d: the head has no field %s", name, key)
		}
	}
	return q, nil
}

// lines takes the stars off the lines of a comment.
func lines(comment string) string {
	var out []string
	for _, line := range strings.Split(strings.TrimRight(comment, " \n"), "\n") {
		out = append(out, strings.TrimSpace(strings.TrimPrefix(line, " *")))
	}
	return strings.Join(out, "\n")
}

// set takes one field of the head.
func (q *Question) set(key, value string) error {
	if value == "" {
		return fmt.Errorf("field %s says nothing", key)
	}
	switch key {
	case "Words":
		for _, w := range strings.Split(value, ",") {
			q.Words = append(q.Words, strings.TrimSpace(w))
		}
	case "Area":
		if !slices.Contains(Areas, value) {
			return fmt.Errorf("field Area: %q is none of %s", value, strings.Join(Areas, ", "))
		}
		q.Area = value
	case "Attaches":
		q.Attaches = value
	case "Cost":
		word, why, ok := strings.Cut(value, " – ")
		c := slices.Index([]string{Low.String(), Medium.String(), High.String()}, word)
		if !ok || c < 0 {
			return fmt.Errorf("field Cost: %q is not low, medium or high, a dash, and why", value)
		}
		q.Cost, q.Why = Cost(c), why
	case "Needs":
		switch value {
		case "a process":
			q.Process = true
		case "a thread":
			q.Thread = true
		case "fbt":
			q.FBT = true
		default:
			return fmt.Errorf(`field Needs: %q is neither "a process", "a thread" nor "fbt"`, value)
		}
	default:
		return fmt.Errorf("%q is no field of a head", key)
	}
	return nil
}
