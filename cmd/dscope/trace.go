package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine"
	"dscope.dev/engine/trace"
)

// gcPercent lets garbage grow to a few times what is kept, which is little: a
// flood of events makes much of it, and to collect it less often takes a third
// off the cost of an event (BenchmarkDelivery in engine).
const gcPercent = 400

// compilerMemory is what a script may take to be compiled before garbage is looked
// for: the largest that people write leave less, and to look for it is a tenth of
// the work.
const compilerMemory = 128 << 20

// traceMain is dtrace(1), on another machine if the first words are -H and its name.
func traceMain(args []string) error {
	if host, rest := leadingMachine(args); host != "" {
		return traceOn(host, rest)
	}
	c, rest, err := takeFleet(args)
	switch {
	case err != nil:
		return usageError{err}
	case c.hosts != "":
		return fleetTrace(c, rest)
	}
	return classicMain(args)
}

// classicMain is dtrace(1) to the letter.
func classicMain(args []string) error {
	j, err := parseTrace(args)
	if err != nil {
		return err
	}
	if j.version {
		fmt.Fprintln(said, "dtrace: "+versionLine)
		return nil
	}
	if j.making == 0 {
		if done, err := byHelper("trace", args, j.read()); done {
			return err
		}
	}
	if err := j.preprocess(); err != nil {
		return err
	}
	if j.making != 0 {
		return j.define()
	}
	if j.opts.On("core") {
		defer dumpCore()
	}
	debug.SetGCPercent(gcPercent)
	e, err := newEngine()
	if err != nil {
		return err
	}
	defer e.Close()
	ctx := context.Background()
	if os.Getenv("DTRACE_DEBUG") != "" {
		j.debugLibraries(ctx, e)
	}
	if len(j.parts) == 0 && !j.list {
		return j.onlyLibraries(ctx, e)
	}
	t, err := j.target(e)
	if err != nil {
		return err
	}
	if t != nil {
		defer t.release()
	}
	e.UseImage(j.opts.Values["vmlinux"])
	if j.list {
		return listProbes(ctx, e, j, t)
	}
	return j.trace(ctx, e, t)
}

// read returns what the files of -s hold, one of which may be a pipe that is empty now.
func (j *job) read() map[string][]byte {
	files := map[string][]byte{}
	for _, p := range j.parts {
		if p.flag == 's' {
			files[p.name] = []byte(p.text)
		}
	}
	return files
}

// debugLibraries tells in which order the libraries of the user are needed.
func (j *job) debugLibraries(ctx context.Context, e *engine.Engine) {
	order, err := e.LibraryOrder(ctx, j.opts)
	if err != nil {
		return // the compiler will tell
	}
	for _, path := range order {
		fmt.Fprintf(told, "dtrace DEBUG: library %s\n", path)
	}
}

// onlyLibraries is -e without a script: it checks the libraries of the user.
func (j *job) onlyLibraries(ctx context.Context, e *engine.Engine) error {
	if err := j.opts.Set("empty", ""); err != nil {
		return err
	}
	_, err := e.Enabled(ctx, engine.Script{Name: "libraries", Options: j.opts})
	if list, ok := engine.IsScriptError(err); ok {
		diag.Print(told, list.File, list.List)
		return errReported
	}
	return err
}

// target prepares the processes of -c, -p and --container, with -e too, since what the script names
// is looked for in them; nil if there are none. $target is
// the first, and the run ends when all have ended.
func (j *job) target(e *engine.Engine) (*target, error) {
	if word := j.opts.Values["container"]; word != "" {
		return j.contained(e, word)
	}
	var list []*target
	for _, pid := range j.pids {
		t, err := newProcess(pid, "")
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	var started []*target
	for _, line := range j.commands {
		t, err := newCommand(line, j.env, j.evaltime())
		if err != nil {
			for _, t := range started {
				t.release()
			}
			return nil, err
		}
		started = append(started, t)
	}
	list = append(started, list...)
	if len(list) == 0 {
		return nil, nil
	}
	return together(list), nil
}

// processes returns the process that $target is, and all that descriptions mean too which
// name no provider: 0 and none if there is no target.
func (t *target) processes() (first int, all []int) {
	if t == nil {
		return 0, nil
	}
	return t.pid, t.pids
}

// A witness is told of a process that has executed a program while it stands.
type witness interface{ Executed(pid int) }

// together makes one target of several: it is the first of them, and tells of
// the end of each.
func together(list []*target) *target {
	all := *list[0]
	for _, t := range list {
		all.pids = append(all.pids, t.pid)
	}
	all.live = len(list)
	all.done = make(chan string, len(list))
	for _, t := range list {
		go func() { all.done <- <-t.done }()
	}
	all.start = func(run witness) error {
		for _, t := range list {
			if err := t.start(run); err != nil {
				return err
			}
		}
		return nil
	}
	all.kill = func() {
		for _, t := range list {
			t.release()
		}
	}
	return &all
}

// evaltime returns how far commands run before they are traced.
func (j *job) evaltime() string {
	if when, ok := j.opts.Values["evaltime"]; ok {
		return when
	}
	return "main"
}

// trace compiles the job's script and, unless -e says otherwise, runs it.
func (j *job) trace(ctx context.Context, e *engine.Engine, t *target) error {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(min(compilerMemory, e.Memory()/2))
	if !j.check {
		go e.Available() // the kernel is tried meanwhile
	}
	script := j.script(t)
	script.Options.Prints, script.Options.LastOnly = true, !j.monitor.wanted()
	c, err := e.Compile(ctx, script)
	if err != nil {
		return j.complain(err)
	}
	if !j.check {
		if err := e.Available(); err != nil {
			return err
		}
	}
	j.opts = c.Options()
	if j.listing || j.opts.On("verbose") {
		fmt.Fprint(told, c.Listing())
	}
	j.matched(c)
	beware(c)
	if c.Probes() == 0 && !j.opts.ZeroProbes {
		return errors.New("no probes matched")
	}
	if j.check {
		j.stability(said, c)
		return nil
	}
	out, err := j.open()
	if err != nil {
		return err
	}
	defer out.Close()
	j.stability(out, c)
	debug.SetGCPercent(gcPercent)
	tidy := spare(e)
	if limit := j.opts.Estimate; limit > 0 {
		est, err := c.Estimate(ctx)
		if err != nil {
			return fmt.Errorf("estimate what it takes: %w", err)
		}
		fmt.Fprintf(told, "dtrace: estimate: %s\n", est)
		if est.Limit = limit; est.Above() {
			return &trace.WideError{Estimate: est}
		}
	}
	beside, done, err := j.monitor.start(func(text string) { fmt.Fprintf(told, "dtrace: %s\n", text) })
	if err != nil {
		return err
	}
	defer done()
	j.beside = beside
	s, err := c.Start(waiting(ctx, "dtrace"))
	if err != nil {
		return j.complain(err)
	}
	go tidy()
	return j.follow(s, t, out)
}

// plenty is how much memory the machine must have left for a script to be started before
// what compiling took is given back: that takes longer than the kernel takes to check most.
const plenty = 16 * compilerMemory

// spare lets garbage grow to no more than half of what the machine has left besides, and
// returns what gives back the memory that compiling took. With little memory, which matters
// more than time, it does so itself.
func spare(e *engine.Engine) (tidy func()) {
	var used runtime.MemStats
	runtime.ReadMemStats(&used)
	left, tidy := e.Memory(), func() {}
	if used.HeapAlloc > compilerMemory/2 {
		tidy = debug.FreeOSMemory
	}
	if left < plenty {
		tidy()
		runtime.ReadMemStats(&used)
		tidy = func() {}
	}
	if left > math.MaxInt64/2 {
		debug.SetMemoryLimit(math.MaxInt64)
	} else {
		debug.SetMemoryLimit(int64(used.HeapAlloc) + left/2)
	}
	return tidy
}

// script joins the sources of the command line.
func (j *job) script(t *target) engine.Script {
	s := engine.Script{Name: j.parts[0].name, Options: j.opts, Args: j.args, Comm: "dtrace", Terminal: j.output == "" && isTerminal(os.Stdout)}
	if len(j.parts) > 1 || j.parts[0].flag != 's' {
		s.Name = "command line"
	}
	s.Text, s.File = engine.Join(j.texts()), j.joined(s.Name)
	s.Arg0 = "dtrace"
	if j.parts[0].flag == 's' {
		s.Arg0 = j.parts[0].name
	}
	s.Target, s.Follow = t.processes()
	return s
}

// complain prints the complaints about the script that the sources make.
func (j *job) complain(err error) error {
	list, ok := engine.IsScriptError(err)
	if !ok {
		return err
	}
	return complainOf(err, j.parts[j.ends().source(firstError(list.List).At.From.Offset())], j.opts.On("errtags"))
}

// complainOf prints the complaints about a source: the first in one line, as
// dtrace(1) words it, then all with their places.
func complainOf(err error, source part, tags bool) error {
	list, ok := engine.IsScriptError(err)
	if !ok {
		return err
	}
	what := "failed to compile script"
	if source.flag != 's' {
		what = "invalid probe specifier"
	}
	line := diag.Classic(list.File, firstError(list.List), tags)
	if source.flag != 's' { // a command line has no lines to speak of
		line = lineNumber.ReplaceAllString(line, "$1")
	}
	fmt.Fprintf(told, "dtrace: %s %s: %s\n", what, source.name, line)
	if tags || !underTest() { // who asks for tags wants to know of them all
		diag.Print(told, list.File, list.List)
	}
	return errReported
}

// lineNumber is what Classic puts between the tag and the message.
var lineNumber = regexp.MustCompile(`^(\[\w+\] )?line \d+: `)

// firstError returns the first complaint that is no warning. That an argument is
// not read is none that a script with others should be known by.
func firstError(list diag.List) *diag.Diagnostic {
	first := list[0]
	for _, d := range list {
		if d.Severity == diag.Error && (first.Severity != diag.Error || first.Code == diag.MacroUnused) {
			first = d
		}
	}
	return first
}

// underTest reports whether a test suite for dtrace(1) is at work: then nothing is
// written that dtrace would not write, and what differs from run to run is left
// out.
func underTest() bool {
	_, ok := os.LookupEnv("_DTRACE_TESTING")
	return ok
}

// matched says how many probes each source enables.
func (j *job) matched(c *engine.Compiled) {
	if j.opts.Quiet {
		return
	}
	for i, n := range j.count(c) {
		what, name := j.describe(i)
		fmt.Fprintf(told, "dtrace: %s '%s' matched %d probe%s\n", what, name, n, plural(n))
	}
	if j.opts.Destructive && !j.check {
		fmt.Fprintln(told, "dtrace: allowing destructive actions")
	}
	narrowed(c)
}

// beware says what of the script cannot fire because of what this kernel lacks,
// where -Z forgives that, and what has another meaning or name on Linux.
func beware(c *engine.Compiled) {
	if underTest() {
		return
	}
	for _, d := range c.Warnings() {
		if d.Code == diag.ProbeZero || d.Code == diag.ArgsType || d.Code == diag.Portable {
			fmt.Fprintf(told, "dtrace: warning: %s\n", d.Msg)
		}
		if d.Code == diag.FailedCall {
			file, line, _ := c.Program().File.Place(d.At.From)
			fmt.Fprintf(os.Stderr, "dtrace: warning: %s, line %d: %s (write %s)\n", file, line, d.Msg, d.Hint)
		}
	}
}

// narrowed tells which numbers will be printed with fewer bits than they have, and
// which stacks with fewer frames than the script asks for: DTrace does both without a
// word. Other warnings are for dscope check.
func narrowed(c *engine.Compiled) {
	for _, d := range c.Warnings() {
		if d.Code == diag.Narrow && !underTest() {
			fmt.Fprintf(told, "dtrace: warning: %s: %s\n", diag.Classic(c.File(), d, false), d.Hint)
		}
	}
}

// stability prints what -v adds: how far one can rely on what each source uses.
func (j *job) stability(out io.Writer, c *engine.Compiled) {
	if !j.verbose {
		return
	}
	ends := j.ends()
	for i := range j.parts {
		what, name := j.describe(i)
		fmt.Fprintf(out, "\nStability attributes for %s %s:\n", what, name)
		printStability(out, c, func(offset int) bool { return ends.source(offset) == i }, j.check)
	}
}

// describe names a source as dtrace(1) does.
func (j *job) describe(i int) (what, name string) {
	if p := j.parts[i]; p.flag != 's' {
		return "description", crop(p.name)
	}
	return "script", j.parts[i].name
}

// crop cuts a description before its predicate and actions, for reporting. As
// in dtrace(1) the blank before them stays.
func crop(text string) string {
	if i := strings.IndexAny(text, "{/;"); i >= 0 {
		return text[:i]
	}
	return text
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// count returns how many probes each source enables: clauses belong to the
// source in whose stretch of the joined text they stand.
func (j *job) count(c *engine.Compiled) []int {
	counts := make([]int, len(j.parts))
	ends := j.ends()
	for _, clause := range c.Program().Clauses {
		source := ends.source(clause.AST.Span().From.Offset())
		for _, set := range clause.Probes {
			counts[source] += set.Count
		}
	}
	return counts
}

// ends are the places behind the sources in the joined text.
type ends []int

func (j *job) ends() (list ends) {
	texts := j.texts()
	for i := range texts {
		list = append(list, len(engine.Join(texts[:i+1])))
	}
	return list
}

// source returns the number of the source that a place of the joined text
// belongs to.
func (e ends) source(offset int) int {
	if offset > e[len(e)-1] { // in a library
		return 0
	}
	for i, end := range e {
		if offset < end {
			return i
		}
	}
	return len(e) - 1
}

func (j *job) texts() []string {
	var texts []string
	for _, p := range j.parts {
		texts = append(texts, p.text)
	}
	return texts
}

// open returns where output goes: standard output, or the file of -o, to which
// it is appended.
func (j *job) open() (io.WriteCloser, error) {
	if j.output == "" {
		return os.Stdout, nil
	}
	f, err := os.OpenFile(j.output, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("failed to open %s: %w", j.output, reason(err))
	}
	return f, nil
}
