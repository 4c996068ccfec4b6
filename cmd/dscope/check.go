package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/portable"
	"dscope.dev/dlang/token"
	"dscope.dev/engine"
)

var checkFlags = []usage.Flag{
	{Name: "-json", Help: "one JSON object for each mistake, a line each"},
	{Name: "--portable", Help: "point out what DTrace does not have, too"},
	{Name: "--linux", Help: "check nothing: print the scripts with Linux's names for what illumos, FreeBSD and macOS " +
		"call otherwise (curthread->t_procp)"},
	{Name: "-d", Help: "with --linux: show what would change"},
	{Name: "-w", Help: "allow destructive actions; with --linux: write the result back"},
	{Name: "-C", Help: "preprocess the scripts first"},
	{Name: "-D", Arg: "name[=value]", Help: "define a name for -C"},
	{Name: "-U", Arg: "name", Help: "undefine a name for -C"},
	{Name: "-I", Arg: "path", Takes: usage.Folder, Help: "look for headers in this folder too"},
	{Name: "-x", Arg: "opt[=val]", Takes: usage.Option, Help: "set an option"},
	{Name: "-Z", Help: "allow descriptions that match no probe"},
}

func checkCommand() usage.Command {
	return usage.Command{
		Name: "check", Brief: "show all mistakes of scripts",
		Forms: []string{"[-json] [--portable] [-CwZ] [-D name[=value]] [-U name]\n    [-I path] [-x opt[=val]] [path ...]",
			"--linux [-d] [-w] [path ...]"},
		About: "Checks D scripts on this system and shows all their mistakes; it traces nothing. Without a path it checks " +
			"standard input. Macro arguments ($1, $$1) count as given.",
		Flags: checkFlags, After: "Exit status 1 says that there are mistakes.",
		Words: usage.Script, Run: checkMain, Topics: []string{"scripts", "language"},
	}
}

// A checking is what one command line of dscope check asks for.
type checking struct {
	json, portable bool
	opts           engine.Options
	cpp            preprocessing
	linux          spelling
}

// checkMain is dscope check.
func checkMain(args []string) error {
	c := checking{opts: engine.DefaultOptions()}
	args = slices.DeleteFunc(slices.Clone(args), func(word string) bool {
		switch word {
		case "-json", "--json":
			c.json = true
		case "-portable", "--portable":
			c.portable = true
		case "-linux", "--linux":
			c.linux.on = true
		default:
			return false
		}
		return true
	})
	flags, paths, err := getopt(args, usage.Spec(checkFlags))
	if err != nil {
		return usageError{err}
	}
	for _, f := range flags {
		if err := c.set(f); err != nil {
			return err
		}
	}
	if len(paths) == 0 {
		paths = []string{"-"}
	}
	if c.linux.on {
		return c.linux.files(paths)
	}
	if err := c.cpp.settle(); err != nil {
		return err
	}
	c.opts.DefaultArgs = true
	e, err := newEngine()
	if err != nil {
		return err
	}
	defer e.Close()
	return c.files(e, paths)
}

func (c *checking) set(f flagArg) error {
	if c.linux.on {
		return c.linux.set(f.flag)
	}
	switch f.flag {
	case 'd':
		return usageError{errors.New("-d goes with --linux")}
	case 'w':
		c.opts.Destructive = true
	case 'Z':
		c.opts.ZeroProbes = true
	case 'x':
		name, value, _ := strings.Cut(f.arg, "=")
		if err := c.opts.Set(name, value); err != nil {
			return fmt.Errorf("failed to set option -x %s: %w", name, err)
		}
		return c.cpp.option(name, value)
	default:
		c.cpp.set(f.flag, f.arg)
	}
	return nil
}

// files checks scripts. One that cannot be read does not keep the others from being
// checked.
func (c *checking) files(e *engine.Engine, paths []string) error {
	var failed error
	for _, path := range paths {
		ok, err := c.file(e, path)
		if err != nil {
			fmt.Fprintf(told, "dscope: check %s: %v\n", path, err)
		}
		if err != nil || !ok {
			failed = errReported
		}
	}
	return failed
}

// file checks one script and reports whether it has no mistakes.
func (c *checking) file(e *engine.Engine, path string) (bool, error) {
	name, in := path, io.Reader(os.Stdin)
	if path == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return false, reason(err)
		}
		defer f.Close()
		in = f
	}
	text, err := readAll(in)
	if err != nil {
		return false, reason(err)
	}
	s := engine.Script{Name: name, Text: string(text), Options: c.opts, Arg0: name}
	var list diag.List
	if c.cpp.on {
		if s.File, list, err = c.cpp.source(name, s.Text); err != nil {
			return false, err
		}
		if list.Failed() {
			return false, c.show(s.File, list)
		}
	}
	found, err := e.Inspect(context.Background(), s)
	if err != nil {
		return false, err
	}
	list = append(list, found.List...)
	if c.portable {
		beyond := portable.Find(found.Tree)
		list = append(list, beyond...)
		list.Sort()
		return len(beyond) == 0 && !list.Failed(), c.show(found.File, list)
	}
	return !list.Failed(), c.show(found.File, list)
}

// show prints what was found.
func (c *checking) show(f *token.File, list diag.List) error {
	if !c.json {
		return diag.Print(said, f, list)
	}
	out := json.NewEncoder(said)
	out.SetEscapeHTML(false)
	var failed error
	for _, d := range list {
		failed = errors.Join(failed, out.Encode(mistakeOf(f, d)))
	}
	return failed
}

// A mistake is a complaint as editors and other programs read it. Lines and
// columns count from 1, columns in bytes.
type mistake struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	EndLine  int    `json:"endLine"`
	EndCol   int    `json:"endColumn"`
	Severity string `json:"severity"` // error or warning
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Notes    []note `json:"notes,omitempty"`
}

// A note is another place that explains a mistake.
type note struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

func mistakeOf(f *token.File, d *diag.Diagnostic) mistake {
	m := mistake{Severity: "error", Code: string(d.Code), Message: d.Msg, Hint: d.Hint}
	if d.Severity == diag.Warning {
		m.Severity = "warning"
	}
	m.File, m.Line, m.Column = f.Place(d.At.From)
	_, m.EndLine, m.EndCol = f.Place(d.At.To)
	for _, n := range d.Notes {
		o := note{Message: n.Msg}
		o.File, o.Line, o.Column = f.Place(n.At.From)
		m.Notes = append(m.Notes, o)
	}
	return m
}
