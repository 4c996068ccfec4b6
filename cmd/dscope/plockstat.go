package main

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine/trace"
)

var plockstatFlags = []usage.Flag{
	{Name: "-A", Help: "tell of contention and of how long locks are held: -C and -H"},
	{Name: "-C", Help: "tell of contention: threads that block or spin; so it is without flags"},
	{Name: "-e", Arg: "secs", Help: "end after so many seconds"},
	{Name: "-H", Help: "tell how long locks are held"},
	{Name: "-n", Arg: "count", Help: "print so many lines of each table"},
	{Name: "-p", Arg: "pid", Takes: usage.Process, Help: "look at a process that runs"},
	{Name: "-s", Arg: "depth", Help: "print a histogram for each lock, and so many levels of the stack"},
	{Name: "-v", Help: "say when tracing has begun"},
	{Name: "-V", Help: "print the D program"},
	{Name: "-x", Arg: "opt[=val]", Takes: usage.Option, Help: "set an option"},
}

func plockstatCommand() usage.Command {
	return usage.Command{
		Name: "plockstat", Brief: "show how a process uses its locks", Says: "plockstat",
		Forms: []string{"[-vACHV] [-n count] [-s depth] [-e secs] [-x opt[=val]]\n    command [arg ...]",
			"[-vACHV] [-n count] [-s depth] [-e secs] [-x opt[=val]]\n    -p pid"},
		About: "Is plockstat(1M): tells how long a process holds its locks and waits for them, and who does.",
		Flags: plockstatFlags, Words: usage.Program, Run: plockstatMain, Topics: []string{"processes"},
	}
}

// A lockWatch is one call of plockstat(1M).
type lockWatch struct {
	contention, holds bool
	most              int // lines of a table; -1 is all
	depth             int // of stacks; 0 asks for tables instead of histograms
	seconds           int // 0 is until the process ends
	pid               int // of -p
	verbose, show     bool
	options           []string
	command           []string
}

// plockstatMain is plockstat(1M).
func plockstatMain(args []string) error {
	w, err := parsePlockstat(args)
	if err != nil {
		return usageError{err}
	}
	if done, err := byHelper("plockstat", args, nil); done {
		return err
	}
	e, err := newEngine()
	if err != nil {
		return err
	}
	defer e.Close()
	t, err := w.target()
	if err != nil {
		return err
	}
	defer t.release()
	c := tabler{"plockstat", w.show, w.options}
	run, err := c.start(e, t, w.program(), w.settings()...)
	if err != nil {
		return err
	}
	if w.verbose {
		fmt.Fprintf(said, "plockstat: tracing enabled for pid %d\n", t.pid)
	}
	final, err := c.follow(run, t, func(how string) { fmt.Fprintf(told, "plockstat: %s\n", how) })
	out := bufio.NewWriter(said)
	w.print(out, final)
	return errors.Join(err, ignorePipe(out.Flush()))
}

// parsePlockstat reads the command line. What follows the flags is the command, whose
// own flags are not ours.
func parsePlockstat(args []string) (*lockWatch, error) {
	w := &lockWatch{most: -1}
	flags, rest := leading(args, usage.Spec(plockstatFlags))
	opts, _, err := getopt(flags, usage.Spec(plockstatFlags))
	if err != nil {
		return nil, err
	}
	for _, o := range opts {
		if err := w.set(o); err != nil {
			return nil, err
		}
	}
	if !w.contention && !w.holds {
		w.contention = true
	}
	w.command = rest
	switch {
	case w.pid == 0 && len(rest) == 0:
		return nil, errors.New("a command or the number of a process is needed")
	case w.pid != 0 && len(rest) > 0:
		return nil, errors.New("only one process is allowed")
	}
	return w, nil
}

// leading divides args where the flags end: at the first word that is none.
func leading(args []string, spec string) (flags, rest []string) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			return args[:i], args[i+1:]
		}
		if len(word) < 2 || word[0] != '-' {
			return args[:i], args[i:]
		}
		for j := 1; j < len(word); j++ {
			at := strings.IndexByte(spec, word[j])
			if at >= 0 && at+1 < len(spec) && spec[at+1] == ':' {
				if j == len(word)-1 {
					i++ // the argument is the next word
				}
				break
			}
		}
	}
	return args, nil
}

func (w *lockWatch) set(o flagArg) (err error) {
	number := o.numbers(&err)
	switch o.flag {
	case 'A':
		w.contention, w.holds = true, true
	case 'C':
		w.contention = true
	case 'H':
		w.holds = true
	case 'V':
		w.show = true
	case 'v':
		w.verbose = true
	case 'n':
		w.most = number("count", 0)
	case 's':
		w.depth = number("depth", 1)
	case 'e':
		w.seconds = number("timeout", 1)
	case 'p':
		var ok bool
		if w.pid, ok = processNumber(o.arg); !ok {
			err = fmt.Errorf("invalid pid '%s'", o.arg)
		}
	case 'x':
		w.options = append(w.options, o.arg)
	}
	return err
}

// target prepares the process.
func (w *lockWatch) target() (*target, error) {
	if w.pid != 0 {
		return newProcess(w.pid, "")
	}
	return startCommand(w.command, nil, "main")
}

// settings returns the options that the flags ask for.
func (w *lockWatch) settings() []string {
	if w.depth > 0 {
		return []string{"ustackframes=" + strconv.Itoa(w.depth)}
	}
	return nil
}

// The tables, in the order in which they are printed, by the aggregations that they
// show.
var lockTables = []struct{ agg, title string }{
	{"mtx_hold", "Mutex hold"},
	{"mtx_block", "Mutex block"},
	{"mtx_spin", "Mutex spin"},
	{"mtx_vain_spin", "Mutex unsuccessful spin"},
	{"rw_r_hold", "R/W reader hold"},
	{"rw_w_hold", "R/W writer hold"},
	{"rw_r_block", "R/W reader block"},
	{"rw_w_block", "R/W writer block"},
}

// program returns the D program for what is asked. Of a mutex that was acquired twice
// only the first time counts. Mutexes may be released by another thread than that which
// acquired them; readers/writer locks are held by several threads at once.
func (w *lockWatch) program() string {
	var b strings.Builder
	if w.seconds > 0 {
		fmt.Fprintf(&b, "BEGIN\n{\n\tend = timestamp + %d * 1000000000;\n}\n\ntick-10hz\n/timestamp >= end/\n{\n\texit(0);\n}\n\n", w.seconds)
	}
	clause := func(probe, when, body string) {
		fmt.Fprintf(&b, "plockstat$target:::%s\n", probe)
		if when != "" {
			fmt.Fprintf(&b, "/%s/\n", when)
		}
		fmt.Fprintf(&b, "{\n\t%s\n}\n\n", strings.ReplaceAll(body, "; ", ";\n\t"))
	}
	fn, stack := "avg", "ustack(5)"
	if w.depth > 0 {
		fn, stack = "quantize", "ustack()"
	}
	ends := func(probe, agg, since, when string) {
		cond := since
		if when != "" {
			cond += " && " + when
		}
		clause(probe, cond, fmt.Sprintf("@%s[uaddr(arg0), %s] = %s(timestamp - %s); %s = 0;", agg, stack, fn, since, since))
	}
	if w.holds {
		clause("rw-acquire", "", "self->rwhold[arg0] = timestamp;")
		clause("mutex-acquire", "arg1 == 0", "mtxhold[arg0] = timestamp;")
		ends("rw-release", "rw_w_hold", "self->rwhold[arg0]", "arg1 == 1")
		ends("rw-release", "rw_r_hold", "self->rwhold[arg0]", "")
		ends("mutex-release", "mtx_hold", "mtxhold[arg0]", "arg1 == 0")
	}
	if w.contention {
		clause("rw-block", "", "self->rwblock = timestamp;")
		clause("mutex-block", "", "self->mtxblock = timestamp;")
		clause("mutex-spin", "", "self->mtxspin = timestamp;")
		ends("rw-blocked", "rw_w_block", "self->rwblock", "arg1 == 1 && arg2 != 0")
		ends("rw-blocked", "rw_r_block", "self->rwblock", "arg2 != 0")
		ends("mutex-spun", "mtx_spin", "self->mtxspin", "arg1 != 0")
		ends("mutex-spun", "mtx_vain_spin", "self->mtxspin", "")
		ends("mutex-blocked", "mtx_block", "self->mtxblock", "arg1 != 0")
	}
	return b.String()
}

// rows returns the lines of a table that are printed, the longest times first.
func (w *lockWatch) rows(t trace.Table) []lockRow {
	var list []lockRow
	for _, r := range t.Rows {
		list = append(list, newLockRow(r))
	}
	slices.SortStableFunc(list, func(a, b lockRow) int { return int(min(max(b.mean-a.mean, -1), 1)) })
	if w.most >= 0 && len(list) > w.most {
		list = list[:w.most]
	}
	return list
}
