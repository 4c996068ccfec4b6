package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/token"
	"dscope.dev/engine"
	"dscope.dev/engine/trace"
)

// A job is what one command line of dscope trace asks for.
type job struct {
	list     bool     // -l
	check    bool     // -e: stop after compiling
	listing  bool     // -S: show what the compiler made
	verbose  bool     // -v
	version  bool     // -V
	making   byte     // h or G: what is written for a program that defines probes; else 0
	bare     bool     // nothing was asked for at all
	output   string   // -o
	aggs     bool     // -O: structured output ends with the aggregations that were not printed
	commands []string // -c
	env      []string // of those, if -x setenv or unsetenv changed it; nil is dscope's own
	pids     []int    // -p
	opts     engine.Options
	parts    []part // -n -P -m -f -i -s in order
	cpp      preprocessing
	monitor  monitoring
	beside   []trace.Observer // who is shown the run beside the printer
	args     []string         // $1, $2, …

	limit time.Duration // the run ends after it; 0 if nothing but the script ends it
	ready func()        // called when the run has begun; may be nil

	lastWords string // how the last process of -c or -p ended
}

// A part is one source of probes and clauses on the command line.
type part struct {
	flag byte
	name string      // of the file, or the text as it was given
	text string      // D
	file *token.File // the text with its origin, if it was preprocessed
}

// called is how people are told of places in it.
func (p *part) called() string {
	switch {
	case p.flag != 's':
		return "command line"
	case p.name == "-":
		return "standard input"
	}
	return p.name
}

// A usageError is a mistake on the command line itself: exit status 2.
type usageError struct{ error }

// parseTrace reads the arguments of dscope trace.
func parseTrace(args []string) (*job, error) {
	j := &job{opts: engine.DefaultOptions(), bare: len(args) == 0}
	args, err := j.monitor.take(args)
	if err != nil {
		return nil, usageError{err}
	}
	if args, err = containerOption(args); err != nil {
		return nil, err
	}
	flags, rest, err := getopt(args, usage.Spec(traceFlags))
	if err != nil {
		return nil, usageError{err}
	}
	j.args = rest
	for _, f := range flags {
		if err := j.set(f); err != nil {
			return nil, err
		}
	}
	return j, j.complete()
}

// set applies one flag.
func (j *job) set(f flagArg) error {
	switch f.flag {
	case 'l':
		j.list = true
	case 'e':
		j.check = true
	case 'S':
		j.listing = true
	case 'v':
		j.verbose = true
	case 'V':
		j.version = true
	case 'o':
		j.output = f.arg
	case 'O':
		j.aggs = true
	case 'c':
		if strings.TrimSpace(f.arg) == "" {
			return usageError{errors.New("-c needs a command")}
		}
		j.commands = append(j.commands, f.arg)
	case 'p':
		pid, ok := processNumber(f.arg)
		if !ok {
			return fmt.Errorf("invalid pid: %s", f.arg)
		}
		j.pids = append(j.pids, pid)
	case 'n', 'P', 'm', 'f', 'i':
		texts, err := inD(f.flag, f.arg)
		if err != nil {
			return err
		}
		for _, text := range texts {
			j.parts = append(j.parts, part{flag: f.flag, name: f.arg, text: text})
		}
	case 's':
		return j.file(f.arg)
	default:
		return j.setting(f)
	}
	return nil
}

// setting applies a flag that stands for an option, or one that cannot be had.
func (j *job) setting(f flagArg) error {
	switch f.flag {
	case 'q':
		j.opts.Quiet = true
	case 'w':
		j.opts.Destructive = true
	case 'Z':
		j.opts.ZeroProbes = true
	case 'F':
		j.opts.FlowIndent = true
	case 'b':
		if err := j.opts.Set("bufsize", f.arg); err != nil {
			return fmt.Errorf("failed to set -b %s: %w", f.arg, asTold(err))
		}
	case 'x':
		name, value, _ := strings.Cut(f.arg, "=")
		if err := j.option(name, value); err != nil {
			return err
		}
		switch name {
		case "setenv", "unsetenv":
			j.setenv(value)
		}
		return j.cpp.option(name, value)
	case 'C', 'H', 'D', 'U', 'I':
		j.cpp.set(f.flag, f.arg)
	case 'A', 'a':
		return fmt.Errorf("-%c: Linux has no anonymous tracing at boot", f.flag)
	case 'G', 'h':
		j.making = f.flag
	case '6':
		if f.arg != "4" {
			return usageError{fmt.Errorf("illegal option -- 6%s", f.arg)}
		}
	case '3':
		if f.arg != "2" {
			return usageError{fmt.Errorf("illegal option -- 3%s", f.arg)}
		}
		return errors.New("-32: the kernels that dscope traces have the 64-bit data model, and so has D")
	case 'L':
		return j.option("libdir", f.arg)
	case 'X':
		return j.cpp.option("stdc", f.arg)
	case 'B':
		return errors.New("-B: dtrace(1) shows its own buffers with it, which are not those of dscope; -S shows what the compiler makes")
	default:
		panic("dscope: flag without a meaning: " + string(f.flag))
	}
	return nil
}

// option sets an option of -x or -b.
func (j *job) option(name, value string) error {
	if err := j.opts.Set(name, value); err != nil {
		return fmt.Errorf("failed to set -x %s: %w", name, asTold(err))
	}
	return nil
}

// setenv applies -x setenv=NAME=VALUE and -x unsetenv=NAME, the one for the
// environment of the command of -c alone.
func (j *job) setenv(value string) {
	if j.env == nil {
		j.env = os.Environ()
	}
	name, _, set := strings.Cut(value, "=")
	j.env = slices.DeleteFunc(j.env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
	if set {
		j.env = append(j.env, value)
	}
}

// asTold returns why an option is refused, without what would do if a test suite
// for dtrace(1) is at work.
func asTold(err error) error {
	var refused *engine.OptionError
	if errors.As(err, &refused) && underTest() {
		return errors.New(refused.Reason)
	}
	return err
}

// reason is the cause of err in the words of the C library, which scripts that
// read messages expect.
func reason(err error) error {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return err
	}
	text := errno.Error()
	return fmt.Errorf("%s%s", strings.ToUpper(text[:1]), text[1:])
}

// file adds the script of -s; - is standard input.
func (j *job) file(name string) error {
	text, err := sourceText(name)
	if err != nil {
		return err
	}
	j.parts = append(j.parts, part{flag: 's', name: name, text: text})
	return nil
}

// specified is what -P, -m, -f and -n are followed by, in DTrace's words.
var specified = map[byte]string{'P': "providers", 'm': "modules", 'f': "functions", 'n': "names"}

// inD turns the argument of -n, -P, -m, -f or -i into D. Such an argument may
// carry a predicate and actions after its description. Descriptions are read from
// the right, so a provider, module or function is followed by its colons, and one
// part too many on the left must say nothing. What begins with no digit is no id, and
// what follows the digits of an id is a description of its own.
func inD(flag byte, arg string) ([]string, error) {
	end := len(arg)
	if i := strings.IndexAny(arg, " \t\n/{"); i >= 0 {
		end = i
	}
	desc, rest := arg[:end], arg[end:]
	digits := len(desc) - len(strings.TrimLeft(desc, "0123456789"))
	if flag == 'i' {
		if digits > 0 && digits < len(desc) {
			return []string{desc[:digits], desc[digits:] + rest}, nil
		}
		return []string{arg}, nil
	}
	if digits > 0 && flag != 'n' {
		return nil, fmt.Errorf("invalid probe specifier %s: probe identifier %s not permitted when specifying %s", arg, desc[:digits], specified[flag])
	}
	colons := map[byte]int{'P': 3, 'm': 2, 'f': 1, 'n': 0}[flag]
	descs := strings.Split(desc, ",")
	for i, d := range descs {
		for strings.Count(d, ":")+colons > 3 && d[0] == ':' {
			d = d[1:]
		}
		if strings.Count(d, ":")+colons > 3 {
			return nil, fmt.Errorf("invalid probe specifier %s: invalid probe description %q: Overspecified probe description", arg, descs[i])
		}
		descs[i] = d + strings.Repeat(":", colons)
	}
	return []string{strings.Join(descs, ",") + rest}, nil
}

// complete checks what the flags say together.
func (j *job) complete() error {
	if err := j.cpp.settle(); err != nil {
		return err
	}
	if j.version && j.list || j.making != 0 && (j.version || j.list) {
		return usageError{errors.New("only one of the [-AGhlV] options can be specified at a time")}
	}
	switch {
	case j.version, j.making != 0:
	case len(j.parts) == 0 && !j.list && !j.check:
		err := errors.New("no probes specified")
		if j.bare {
			return usageError{err}
		}
		return err
	}
	return nil
}
