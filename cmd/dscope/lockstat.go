package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine"
	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
)

var lockstatFlags = []usage.Flag{
	{Name: "-C", Help: "locks that threads wait for; so it is without flags", Above: "what is looked at:"},
	{Name: "-H", Help: "how long locks are held"},
	{Name: "-A", Help: "both"},
	{Name: "-E", Help: "mutexes that were wanted in vain"},
	{Name: "-I", Help: "what the CPUs do, by the clock"},
	{Name: "-e", Arg: "events", Help: "events by their numbers: 0,2-4,32"},
	{Name: "-i", Arg: "rate", Help: "how often a second the clock of -I ticks; 97 without it"},
	{Name: "-b", Help: "how often, by lock and caller", Above: "what is told of each:"},
	{Name: "-t", Help: "and how long on average; so it is without flags"},
	{Name: "-h", Help: "and how the times are distributed"},
	{Name: "-s", Arg: "depth", Help: "and so many levels of the stack"},
	{Name: "-n", Arg: "records", Help: "keep so many combinations of lock and caller", Above: "what is left out:"},
	{Name: "-l", Arg: "lock[,size]", Help: "only this lock: a name or an address, and how many bytes from there"},
	{Name: "-d", Arg: "nsec", Help: "only what took longer"},
	{Name: "-f", Arg: "function", Takes: usage.Function, Help: "only callers in this function"},
	{Name: "-k", Help: "functions, not the places in them", Above: "how it is printed:"},
	{Name: "-g", Help: "of stacks, every function that was on the way"},
	{Name: "-w", Help: "whoever called"},
	{Name: "-W", Help: "whichever lock it was"},
	{Name: "-R", Help: "so many a second, not so many"},
	{Name: "-P", Help: "what took longest in all first, not what was most frequent"},
	{Name: "-D", Arg: "count", Help: "so many lines of each table"},
	{Name: "-p", Help: "for programs: event, count, nsec, lock, caller, separated by tabs"},
	{Name: "-o", Arg: "file", Takes: usage.File, Help: "into a file"},
	{Name: "-V", Help: "print the D program"},
	{Name: "-x", Arg: "opt[=val]", Takes: usage.Option, Help: "set an option"},
	{Name: "-T", Hidden: true},
}

func lockstatCommand() usage.Command {
	return usage.Command{
		Name: "lockstat", Brief: "what the kernel's locks cost while a command runs", Says: "lockstat",
		Forms: []string{"[-ACEHI] [-e events] [-i rate] [-b | -t | -h | -s depth]\n" +
			"    [-n records] [-l lock[,size]] [-d nsec] [-f function]\n" +
			"    [-kgwWRpPV] [-D count] [-o file] [-x opt[=val]]\n" +
			"    command [arg ...]"},
		About: "Is lockstat(1M): tells what waits for the locks of the kernel while a command runs, and who holds them.",
		Flags: lockstatFlags, Words: usage.Program, Run: lockstatMain, Topics: []string{"providers"},
	}
}

// A lockEvent is one kind of what lockstat(1M) tells, by its number there.
type lockEvent struct {
	number int
	title  string
	probe  string // that ends it
	when   string // a condition; may be empty
	since  string // the probe that begins it, if it is something that is held
	kind   byte   // the flag that asks for it: C, H, E or I
}

// lockEvents are the events, by number. 3 is of locks that Linux has not.
var lockEvents = []lockEvent{
	{0, "Adaptive mutex spin", "adaptive-spin", "", "", 'C'},
	{1, "Adaptive mutex block", "adaptive-block", "", "", 'C'},
	{2, "Spin lock spin", "spin-spin", "", "", 'C'},
	{4, "R/W writer blocked", "rw-block", "arg2 == 0", "", 'C'},
	{5, "R/W writer spin", "rw-spin", "arg2 == 0", "", 'C'},
	{6, "R/W reader blocked", "rw-block", "arg2 == 1", "", 'C'},
	{7, "R/W reader spin", "rw-spin", "arg2 == 1", "", 'C'},
	{8, "Adaptive mutex error", "adaptive-acquire-error", "", "", 'E'},
	{32, "Adaptive mutex hold", "adaptive-release", "", "adaptive-acquire", 'H'},
	{33, "Spin lock hold", "spin-release", "", "spin-acquire", 'H'},
	{34, "R/W writer hold", "rw-release", "arg1 == 0", "rw-acquire", 'H'},
	{35, "R/W reader hold", "rw-release", "arg1 == 1", "rw-acquire", 'H'},
	{56, "Profiling interrupt", "", "", "", 'I'},
}

// A lockStat is one call of lockstat(1M).
type lockStat struct {
	events   map[int]bool
	rate     int
	times    bool // whether times are told
	spread   bool // whether their distribution is
	depth    int  // of stacks; 0 if there are none
	records  int
	lock     string // a condition on arg0; may be empty
	longer   int64
	function string

	coalesce, graph, anyCaller, anyLock, rates, parsable, byTime, show bool

	most    int // lines of a table; -1 is all
	output  string
	options []string
	command []string
}

// lockstatMain is lockstat(1M).
func lockstatMain(args []string) error {
	w, err := parseLockstat(args)
	if err != nil {
		return usageError{err}
	}
	if done, err := byHelper("lockstat", args, nil); done {
		return err
	}
	e, err := newEngine()
	if err != nil {
		return err
	}
	defer e.Close()
	if err := w.leaveOut(e); err != nil {
		return err
	}
	t, err := startCommand(w.command, nil, "main")
	if err != nil {
		return err
	}
	defer t.release()
	c := tabler{"lockstat", w.show, w.options}
	run, err := c.start(e, t, w.program(), w.settings()...)
	if err != nil {
		return err
	}
	began := time.Now()
	final, err := c.follow(run, t, func(string) {})
	file := said
	if w.output != "" {
		f, failed := os.Create(w.output)
		if failed != nil {
			return errors.Join(err, failed)
		}
		defer f.Close()
		file = text.NewScreen(f, false)
	}
	out := bufio.NewWriter(file)
	w.print(out, final, time.Since(began))
	return errors.Join(err, ignorePipe(out.Flush()))
}

// parseLockstat reads the command line.
func parseLockstat(args []string) (*lockStat, error) {
	w := &lockStat{most: -1, rate: 97, times: true, events: map[int]bool{}}
	flags, rest := leading(args, usage.Spec(lockstatFlags))
	opts, _, err := getopt(flags, usage.Spec(lockstatFlags))
	if err != nil {
		return nil, err
	}
	for _, o := range opts {
		if err := w.set(o); err != nil {
			return nil, err
		}
	}
	if len(w.events) == 0 {
		w.want("C")
	}
	if w.command = rest; len(rest) == 0 {
		return nil, errors.New("a command is needed: its end is the end of what is told; sleep 10 for ten seconds of the machine")
	}
	if w.graph && w.depth == 0 {
		return nil, errors.New("-g needs stacks: -s depth")
	}
	return w, nil
}

// want asks for the events of some kinds.
func (w *lockStat) want(kinds string) {
	for _, e := range lockEvents {
		if strings.IndexByte(kinds, e.kind) >= 0 {
			w.events[e.number] = true
		}
	}
}

// set applies one flag. More than one of a switch is long, and flat.
func (w *lockStat) set(o flagArg) (err error) {
	number := o.numbers(&err)
	switch o.flag {
	case 'A':
		w.want("CH")
	case 'C', 'E', 'H', 'I':
		w.want(string(o.flag))
	case 'e':
		return w.wantNumbers(o.arg)
	case 'i':
		w.rate = number("rate", 1)
		w.want("I")
	case 'b':
		w.times = false
	case 't':
		w.times = true
	case 'h':
		w.spread = true
	case 's':
		w.spread, w.depth = true, number("depth", 1)
	case 'n':
		w.records = number("number of records", 1)
	case 'l':
		return w.onlyLock(o.arg)
	case 'd':
		w.longer = int64(number("duration", 0))
	case 'f':
		if w.function = o.arg; strings.ContainsAny(o.arg, ",+") {
			return fmt.Errorf("-f %s: it takes the name of a function, whose size the kernel tells", o.arg)
		}
	case 'T':
		return errors.New("-T: to see events one by one, trace them: dscope trace -n 'lockstat:::adaptive-block { trace(arg1); stack(); }'")
	case 'k':
		w.coalesce = true
	case 'g':
		w.graph, w.coalesce = true, true
	case 'w':
		w.anyCaller = true
	case 'W':
		w.anyLock = true
	case 'R':
		w.rates = true
	case 'p':
		w.parsable = true
	case 'P':
		w.byTime = true
	case 'V':
		w.show = true
	case 'D':
		w.most = number("number of lines", 0)
	case 'o':
		w.output = o.arg
	case 'x':
		w.options = append(w.options, o.arg)
	}
	return err
}

// wantNumbers asks for the events of a list such as 0,2-4.
func (w *lockStat) wantNumbers(list string) error {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil {
			return fmt.Errorf("invalid event '%s'", part)
		}
		some := false
		for _, e := range lockEvents {
			if from <= e.number && e.number <= to {
				w.events[e.number], some = true, true
			}
		}
		if !some {
			return fmt.Errorf("there is no event %s; there are %s", part, eventNumbers())
		}
	}
	return nil
}

// eventNumbers lists the events.
func eventNumbers() string {
	var list []string
	for _, e := range lockEvents {
		list = append(list, fmt.Sprintf("%d (%s)", e.number, e.title))
	}
	return strings.Join(list, ", ")
}

// onlyLock makes a condition of -l.
func (w *lockStat) onlyLock(arg string) error {
	name, size, sized := strings.Cut(arg, ",")
	bytes := uint64(1)
	if sized {
		var err error
		if bytes, err = strconv.ParseUint(size, 0, 32); err != nil || bytes == 0 {
			return fmt.Errorf("invalid size '%s'", size)
		}
	}
	from := name
	if _, err := strconv.ParseUint(name, 0, 64); err != nil {
		from = "(uint64_t)&`" + name
	}
	w.lock = fmt.Sprintf("arg0 - %s < %dull", from, bytes)
	return nil
}

// leaveOut drops the events that this kernel cannot tell of, and says why, unless
// there would be none left.
func (w *lockStat) leaveOut(e *engine.Engine) error {
	var first error
	for _, ev := range lockEvents {
		for _, name := range []string{ev.probe, ev.since} {
			if !w.events[ev.number] || name == "" {
				continue
			}
			info, err := e.Describe(context.Background(), trace.Probe{Provider: "lockstat", Module: "vmlinux", Name: name})
			if err == nil && info.Unavailable != "" {
				err = errors.New(info.Unavailable)
			}
			if err == nil {
				continue
			}
			delete(w.events, ev.number)
			if first == nil {
				first = err
			}
			fmt.Fprintf(told, "lockstat: nothing is told of %s\n", ev.title)
		}
	}
	if first != nil {
		fmt.Fprintf(told, "lockstat: %v\n", first)
	}
	if len(w.events) == 0 {
		return first
	}
	return nil
}

// settings returns the options that the flags ask for.
func (w *lockStat) settings() []string {
	if w.records > 0 {
		return []string{fmt.Sprintf("aggsize=%d", w.records*recordBytes)}
	}
	return nil
}

// recordBytes is what a combination of lock and caller takes of aggsize.
const recordBytes = 128

// callerFrames is how many frames are kept to find the caller in: those of what
// locks are made of come first.
const callerFrames = 12

// program returns the D program for what is asked. Of a lock that is held it is
// remembered since when, by its address.
func (w *lockStat) program() string {
	var b strings.Builder
	for _, e := range lockEvents {
		switch {
		case !w.events[e.number]:
		case e.kind == 'I':
			fmt.Fprintf(&b, "profile-%dhz\n{\n\t@e%d[cpu%s] = %s;\n}\n\n", w.rate, e.number, w.stack(), "count()")
		case e.since != "":
			fmt.Fprintf(&b, "uint64_t since%d[uint64_t];\n\n", e.number)
			clause(&b, e.since, e.when, fmt.Sprintf("since%d[arg0] = timestamp;", e.number))
			held := fmt.Sprintf("since%d[arg0]", e.number)
			w.counts(&b, e, held, fmt.Sprintf("(timestamp - %s)", held))
			clause(&b, e.probe, join(e.when, held), held+" = 0;")
		case e.kind == 'E':
			w.counts(&b, e, "", "0")
		default:
			w.counts(&b, e, "", "arg1")
		}
	}
	return b.String()
}

// counts appends the clause that counts an event that took so long.
func (w *lockStat) counts(b *strings.Builder, e lockEvent, when, long string) {
	cond := join(e.when, when, w.lock)
	if w.longer > 0 {
		cond = join(cond, fmt.Sprintf("%s > %d", long, w.longer))
	}
	lock := "sym(arg0)"
	if w.anyLock {
		lock = "0"
	}
	body := fmt.Sprintf("@e%d[%s%s] = count();", e.number, lock, w.stack())
	if w.times {
		body += fmt.Sprintf("\n\t@t%d[%s%s] = sum(%s);", e.number, lock, w.stack(), long)
	}
	if w.spread {
		body += fmt.Sprintf("\n\t@h%d[%s%s] = quantize(%s);", e.number, lock, w.stack(), long)
	}
	clause(b, e.probe, cond, body)
}

// stack is the key that tells callers apart, behind the first.
func (w *lockStat) stack() string {
	if w.anyCaller && w.depth == 0 {
		return ""
	}
	return fmt.Sprintf(", stack(%d)", callerFrames+w.depth)
}

// join joins conditions that are not empty.
func join(conds ...string) string {
	return strings.Join(slices.DeleteFunc(conds, func(s string) bool { return s == "" }), " && ")
}

// clause appends a clause of a probe of lockstat.
func clause(b *strings.Builder, probe, when, body string) {
	fmt.Fprintf(b, "lockstat:::%s\n", probe)
	if when != "" {
		fmt.Fprintf(b, "/%s/\n", when)
	}
	fmt.Fprintf(b, "{\n\t%s\n}\n\n", body)
}
