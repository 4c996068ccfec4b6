// Package plain is the workbench in lines of text, for screen readers and for terminals that
// can do no more: no boxes, no colours, no cursor that moves, one thing at a time.
//
// It reads a command a line and answers with lines. What a run prints comes as it is
// printed, with a word whenever its state changes; tables are said when they are asked for,
// and once when the run ends. The script is changed by the numbers of its lines, and what
// is wrong with it is told by number, too.
//
// It is small, and no second workbench: what it has is the script, its run, the tables, the
// probes and the ready questions.
package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/near"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/document/disk"
	"dscope.dev/ui/widget"
)

// A Backend is what the plain workbench asks of the tracer: see ui.Backend.
type Backend interface {
	Check(ctx context.Context, s trace.Script) diag.List
	Probes(ctx context.Context, pattern string) ([]trace.Probe, []trace.ProviderInfo, error)
	Run(ctx context.Context, s trace.Script) (trace.Run, error)
}

// Options are what a plain workbench starts with.
type Options struct {
	Path    string   // the script to open; "" begins an empty one
	Target  int      // the process that is $target; 0 is none
	Options []string // of every run
	Notices []string // what there is to say first
}

// A bench is the state of the workbench.
type bench struct {
	ctx  context.Context
	back Backend
	o    Options

	mu  sync.Mutex // of out, which the run writes to as well
	out io.Writer

	file  disk.File
	lines []string // of the script
	dirty bool     // and they are not saved
	sure  bool     // leaving was asked for though they are not

	run *running
	end sync.WaitGroup // of what runs say
}

// Run reads commands from in until one of them or the end of in ends it. Nothing stays
// attached.
func Run(ctx context.Context, b Backend, in io.Reader, out io.Writer, o Options) error {
	w := &bench{ctx: ctx, back: b, o: o, out: out}
	defer w.close()
	w.say("dscope, plain: one command a line; help lists them")
	for _, n := range o.Notices {
		w.say("note: %s", n)
	}
	if o.Path != "" {
		w.open(o.Path)
	}
	lines, failed := make(chan string), make(chan error, 1)
	go func() { // which nothing ends but a line: the program ends without it
		defer close(lines)
		scan := bufio.NewScanner(in)
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			select {
			case lines <- scan.Text():
			case <-ctx.Done():
				return
			}
		}
		failed <- scan.Err()
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, ok := <-lines:
			if !ok {
				return <-failed
			}
			if w.do(line) {
				return nil
			}
		}
	}
}

// say writes a line.
func (w *bench) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(w.out, format+"\n", args...)
}

// A verb is a command.
type verb struct {
	name, args, help string
	do               func(w *bench, rest string)
}

// verbs are all commands but help and quit. It is filled where it is used, since help
// lists it.
func verbs() []verb {
	return []verb{
		{"open", "FILE", "open a script", (*bench).open},
		{"save", "[FILE]", "save the script", (*bench).save},
		{"show", "[FROM [TO]]", "say the lines of the script", (*bench).show},
		{"add", "TEXT", "add a line at the end", func(w *bench, s string) { w.insert(len(w.lines)+1, s) }},
		{"insert", "LINE TEXT", "put a line before another", (*bench).insertAt},
		{"set", "LINE TEXT", "change a line", (*bench).set},
		{"delete", "FROM [TO]", "delete lines", (*bench).remove},
		{"clear", "", "begin an empty script", func(w *bench, _ string) { w.take(disk.File{}) }},
		{"check", "", "say what is wrong with the script", (*bench).check},
		{"probes", "PATTERN", "list probes: syscall::read:entry, sched:::", (*bench).probes},
		{"questions", "[WORDS]", "list ready questions", (*bench).questions},
		{"ask", "NAME", "take the script of a question", (*bench).ask},
		{"run", "", "run the script", (*bench).start},
		{"stop", "", "stop the run", (*bench).stop},
		{"wait", "", "wait until the run ends", func(w *bench, _ string) { w.end.Wait() }},
		{"status", "", "say how the run is", func(w *bench, _ string) { w.status() }},
		{"tables", "[NAME]", "say the tables of the run", (*bench).tables},
	}
}

// do does a command; it reports whether that was the last.
func (w *bench) do(line string) (last bool) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	sure := w.sure
	w.sure = false
	switch name {
	case "":
		return false
	case "quit", "exit":
		if w.dirty && !sure {
			w.sure = true
			w.say("the script is not saved; %s again leaves without it", name)
			return false
		}
		return true
	case "help":
		w.help()
		return false
	}
	all := verbs()
	at := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if at >= 0 {
		all[at].do(w, strings.TrimLeft(rest, " "))
		return false
	}
	names := []string{"help", "quit"}
	for _, v := range all {
		names = append(names, v.name)
	}
	hint := ""
	if meant := near.Name(name, names); meant != "" {
		hint = "; did you mean " + meant + "?"
	}
	w.say("%s is no command%s", widget.Safe(name), hint)
	return false
}

func (w *bench) help() {
	for _, v := range verbs() {
		w.say("%s: %s", strings.TrimSpace(v.name+" "+v.args), v.help)
	}
	w.say("help: this list")
	w.say("quit: leave")
}

// close ends the run, and waits for what it still says.
func (w *bench) close() {
	if w.run != nil {
		if err := w.run.run.Close(); err != nil {
			w.say("close the run: %v", err)
		}
	}
	w.end.Wait()
}

func (w *bench) text() string {
	if len(w.lines) == 0 {
		return ""
	}
	return strings.Join(w.lines, "\n") + "\n"
}

// take takes a script in place of the one at hand.
func (w *bench) take(f disk.File) {
	if w.dirty {
		w.say("what was not saved of the script before is dropped")
	}
	w.file, w.dirty, w.lines = f, false, nil
	if text := strings.TrimSuffix(strings.ReplaceAll(f.Text, "\r\n", "\n"), "\n"); text != "" {
		w.lines = strings.Split(text, "\n")
	}
}

func (w *bench) open(path string) {
	if path == "" {
		w.say("open what?")
		return
	}
	f, err := disk.Read(path)
	if err != nil {
		w.say("%v", err)
		return
	}
	w.take(f)
	if f.New {
		w.say("new script %s", f.Path)
		return
	}
	w.say("%s, %s", f.Path, widget.Count(len(w.lines), "line"))
}

func (w *bench) save(path string) {
	var stamp disk.Stamp
	var err error
	switch {
	case path == "" && w.file.Path == "":
		w.say("save it where? save FILE")
		return
	case path == "" && !w.file.New:
		stamp, err = disk.Write(w.file.Path, w.text(), w.file.Stamp)
	case path == "":
		stamp, err = disk.WriteNew(w.file.Path, w.text())
	default:
		stamp, err = disk.WriteNew(path, w.text())
	}
	if err != nil {
		w.say("%v", err)
		return
	}
	if path != "" {
		w.file.Path = path
	}
	w.file.Stamp, w.file.New, w.dirty = stamp, false, false
	w.say("saved %s, %s", w.file.Path, widget.Count(len(w.lines), "line"))
}

// script is what is asked of the backend.
func (w *bench) script() trace.Script {
	return trace.Script{Text: w.text(), Target: w.o.Target, Options: w.o.Options, Prints: true}
}

func (w *bench) check(string) {
	list := w.back.Check(w.ctx, w.script())
	if len(list) == 0 {
		w.say("nothing is wrong")
	}
	w.complain(list)
}

// complain tells complaints by line.
func (w *bench) complain(list diag.List) {
	text := w.text()
	for _, d := range list {
		at := min(max(int(d.At.From)-1, 0), len(text))
		s := fmt.Sprintf("line %d: %s", 1+strings.Count(text[:at], "\n"), d.Msg)
		if d.Hint != "" {
			s += "; " + d.Hint
		}
		w.say("%s", widget.Safe(s))
	}
}

// failed tells why a script does not run.
func (w *bench) failed(err error) {
	var list *diag.ListError
	if errors.As(err, &list) {
		w.complain(list.List)
		return
	}
	if errors.Is(err, trace.ErrWide) { // which says so itself
		w.say("%s", widget.Safe(err.Error()))
		return
	}
	w.say("not started: %s", widget.Safe(err.Error()))
}
