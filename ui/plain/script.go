package plain

import (
	"slices"
	"strconv"
	"strings"

	"dscope.dev/engine/question"
	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/widget"
)

// numbers reads up to two numbers of lines; the second is the first if there is none.
func (w *bench) numbers(s string) (from, to int, ok bool) {
	f := strings.Fields(s)
	if len(f) == 0 || len(f) > 2 {
		w.say("which line?")
		return 0, 0, false
	}
	var n [2]int
	for i, word := range f {
		v, err := strconv.Atoi(word)
		if err != nil || v < 1 || v > len(w.lines) {
			w.say("there is no line %s; the script has %s", widget.Safe(word), widget.Count(len(w.lines), "line"))
			return 0, 0, false
		}
		n[i] = v
	}
	if len(f) == 1 {
		n[1] = n[0]
	}
	if n[1] < n[0] {
		w.say("line %d comes before line %d", n[1], n[0])
		return 0, 0, false
	}
	return n[0], n[1], true
}

func (w *bench) show(s string) {
	from, to := 1, len(w.lines)
	if s != "" {
		var ok bool
		if from, to, ok = w.numbers(s); !ok {
			return
		}
		if len(strings.Fields(s)) == 1 {
			to = len(w.lines)
		}
	}
	if len(w.lines) == 0 {
		w.say("the script is empty")
	}
	for i := from; i <= to; i++ {
		w.say("%d: %s", i, widget.Safe(strings.ReplaceAll(w.lines[i-1], "\t", "    ")))
	}
}

// insert puts a text before a line.
func (w *bench) insert(at int, text string) {
	w.lines = slices.Insert(w.lines, at-1, text)
	w.dirty = true
	w.say("line %d", at)
}

func (w *bench) insertAt(s string) {
	number, text, _ := strings.Cut(s, " ")
	if at, _, ok := w.numbers(number); ok {
		w.insert(at, text)
	}
}

func (w *bench) set(s string) {
	number, text, _ := strings.Cut(s, " ")
	if at, _, ok := w.numbers(number); ok {
		w.lines[at-1] = text
		w.dirty = true
		w.say("line %d", at)
	}
}

func (w *bench) remove(s string) {
	if from, to, ok := w.numbers(s); ok {
		w.lines = slices.Delete(w.lines, from-1, to)
		w.dirty = true
		w.say("deleted %s", widget.Count(to-from+1, "line"))
	}
}

// most is how many lines of a list are said.
const most = 50

func (w *bench) probes(pattern string) {
	if pattern == "" {
		w.say("probes of what? probes syscall:::")
		return
	}
	list, _, err := w.back.Probes(w.ctx, pattern)
	if err != nil {
		w.say("%s", widget.Safe(err.Error()))
		return
	}
	w.say("%s", widget.Count(len(list), "probe"))
	for i, p := range list {
		if i == most {
			w.say("and %d more", len(list)-most)
			return
		}
		w.say("%s", widget.Safe(p.String()))
	}
}

func (w *bench) questions(words string) {
	for _, q := range question.Find(words) {
		w.say("%s: %s", q.Name, q.Title)
	}
}

func (w *bench) ask(name string) {
	if name == "" {
		w.say("which question? questions lists them")
		return
	}
	q, ok := question.Named(name)
	if !ok {
		w.say("no question is called %s; questions lists them", widget.Safe(name))
		return
	}
	if q.Target() && w.o.Target == 0 {
		w.say("it asks about a process: start dscope with -p PID")
		return
	}
	w.take(disk.File{Text: q.Text})
	w.say("%s, %s; run runs it", q.Title, widget.Count(len(w.lines), "line"))
}
