package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/grammar"
	"dscope.dev/dlang/token"
	"dscope.dev/engine"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/home"
	"dscope.dev/ui/lsp"
)

func lspCommand() usage.Command {
	return usage.Command{
		Name: "lsp", Brief: "serve D to editors that speak the Language Server Protocol",
		Forms: []string{"[-CwZ] [-D name[=value]] [-U name] [-I path] [-L path]\n    [-p pid] [-x opt[=val]]", "--grammar | --grammar=sublime"},
		About: "Speaks the Language Server Protocol on standard input and output: complaints while one types, completion, hover, " +
			"signatures, definitions, references, renaming, layout, symbols, colours and quick fixes for D scripts, with the probes " +
			"and types of this kernel. It traces nothing and needs no privileges; what they would show is said once. Flags in the " +
			"first line of a script (#!/usr/sbin/dtrace -Cws) hold for that script.",
		Flags: lspFlags, Topics: []string{"editors"}, Run: lspMain,
	}
}

var lspFlags = []usage.Flag{
	{Name: "-C", Help: "preprocess the scripts first; -D, -U and -I are for that"},
	{Name: "-D", Arg: "name[=value]", Help: "define a name for -C"},
	{Name: "-U", Arg: "name", Help: "undefine a name for -C"},
	{Name: "-I", Arg: "path", Takes: usage.Folder, Help: "look for headers in this folder too"},
	{Name: "-L", Arg: "path", Takes: usage.Folder, Help: "look for libraries in this folder too"},
	{Name: "-p", Arg: "pid", Takes: usage.Process, Help: "the process that $target is"},
	{Name: "-w", Help: "allow destructive actions"},
	{Name: "-Z", Help: "allow descriptions that match no probe"},
	{Name: "-x", Arg: "opt[=val]", Takes: usage.Option, Help: "set an option"},
	{Name: "--grammar", Help: "print a TextMate grammar for D scripts, for VS Code, forges and others that colour by one; " +
		"--grammar=sublime prints the same for bat and Sublime Text"},
}

// lspMain is dscope lsp.
func lspMain(args []string) error {
	if len(args) > 1 && strings.HasPrefix(args[0], "--grammar") {
		return usageError{fmt.Errorf("%s makes no sense beside %s", args[1], args[0])}
	}
	if len(args) == 1 {
		switch args[0] {
		case "--grammar":
			_, err := scripts().Write(grammar.TextMate())
			return err
		case "--grammar=sublime":
			_, err := scripts().Write(grammar.Sublime())
			return err
		}
	}
	// Editors name the transport as they are told elsewhere to.
	args = slices.DeleteFunc(slices.Clone(args), func(word string) bool { return word == "--stdio" })
	flags, rest, err := getopt(args, usage.Spec(lspFlags))
	if err != nil || len(rest) > 0 {
		if err == nil {
			err = fmt.Errorf("%s: scripts come from the editor", rest[0])
		}
		return usageError{err}
	}
	var l language
	for _, f := range flags {
		if f.flag == 'p' {
			pid, ok := processNumber(f.arg)
			if !ok {
				return usageError{fmt.Errorf("-p %s: a process has a number", f.arg)}
			}
			l.target = pid
			continue
		}
		if err := l.set(f); err != nil {
			return err
		}
	}
	if err := l.cpp.settle(); err != nil {
		return err
	}
	debug.SetGCPercent(lspGarbage)
	if l.engine, err = engine.Open(); err != nil {
		return err
	}
	defer l.engine.Close()
	c := lsp.Config{Backend: &server{l}, Version: version}
	if dir, err := home.Cache(); err == nil {
		c.Library = filepath.Join(dir, "library", version)
	}
	return lsp.Serve(context.Background(), c, os.Stdin, messages())
}

// lspGarbage lets the memory of a check wait for its collector: each letter typed makes
// garbage of all that the check before has found, and a collection would come in the way
// of the answers. It costs some 50 MB.
const lspGarbage = 400

// A language is what flags say of the scripts of an editor.
type language struct {
	engine  *engine.Engine
	target  int
	options []string // as -x has them
	cpp     preprocessing
}

// set applies one flag.
func (l *language) set(f flagArg) error {
	switch f.flag {
	case 'w':
		return l.option("destructive")
	case 'Z':
		return l.option("zdefs")
	case 'q':
		return l.option("quiet")
	case 'L':
		return l.option("libdir=" + f.arg)
	case 'x':
		return l.option(f.arg)
	case 'C', 'D', 'U', 'I':
		l.cpp.set(f.flag, f.arg)
	}
	return nil
}

// option sets an option, unless it cannot be set so.
func (l *language) option(set string) error {
	name, value, _ := strings.Cut(set, "=")
	o := engine.DefaultOptions()
	if err := o.Set(name, value); err != nil {
		return fmt.Errorf("failed to set option -x %s: %w", set, err)
	}
	l.options = append(l.options, set)
	return l.cpp.option(name, value)
}

// of returns the language of a script, whose first line may have flags of its own. Those
// that name a program to run are passed over: to open a script must run nothing.
func (l language) of(d lsp.Document) language {
	line, _, _ := strings.Cut(d.Text, "\n")
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return l
	}
	words := strings.Fields(rest)
	for len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		words = words[1:] // /usr/bin/env, dscope, trace
	}
	flags, _, err := getopt(append(words, d.Path), usage.Spec(traceFlags)) // -s takes the path, as the kernel appends it
	if err != nil {
		return l
	}
	l.options = slices.Clip(l.options)
	l.cpp.cfg.Defines, l.cpp.cfg.Include = slices.Clip(l.cpp.cfg.Defines), slices.Clip(l.cpp.cfg.Include)
	for _, f := range flags {
		if f.flag == 'x' && (strings.HasPrefix(f.arg, "cpp") && f.arg != "cpp") {
			continue
		}
		l.set(f) // what is wrong with a flag the run says; the rest of the script is to be checked
	}
	return l
}

// script returns a document as the engine takes it.
func (l language) script(d lsp.Document) (engine.Script, diag.List) {
	s := engine.Script{Name: nameOf(d), Text: d.Text, Options: engine.DefaultOptions(), Target: l.target, Arg0: nameOf(d)}
	s.Options.DefaultArgs = true
	for _, set := range l.options {
		name, value, _ := strings.Cut(set, "=")
		s.Options.Set(name, value) // option has tried it
	}
	if !l.cpp.on {
		return s, nil
	}
	f, list, err := l.cpp.source(s.Name, s.Text)
	if err != nil {
		list.Add(token.Span{From: 1, To: 1}, diag.Preprocess, "%v", err)
		f = cpp.NewFile(s.Name, s.Text)
	}
	s.File = f
	return s, list
}

// nameOf is how places in a document are told.
func nameOf(d lsp.Document) string {
	if d.Path == "" {
		return "script"
	}
	return d.Path
}

// A server answers the questions of package lsp.
type server struct{ language }

// Check goes as far as the checker.
func (s *server) Check(ctx context.Context, d lsp.Document) (*token.File, diag.List) {
	return s.look(ctx, d, s.engine.Glance)
}

// Compile goes as far as code.
func (s *server) Compile(ctx context.Context, d lsp.Document) (*token.File, diag.List) {
	return s.look(ctx, d, s.engine.Inspect)
}

func (s *server) look(ctx context.Context, d lsp.Document, how func(context.Context, engine.Script) (engine.Inspection, error)) (*token.File, diag.List) {
	script, list := s.of(d).script(d)
	if list.Failed() {
		return script.File, list
	}
	in, err := how(ctx, script)
	if in.File == nil {
		in.File = cpp.NewFile(nameOf(d), d.Text)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		in.List.Add(token.Span{From: 1, To: 1}, diag.Unsupported, "%v", err)
	}
	return in.File, append(list, in.List...)
}

// Complete offers what could stand at a place.
func (s *server) Complete(ctx context.Context, d lsp.Document, at int) (int, []trace.Completion) {
	script, made, _ := s.read(d, at)
	from, list := s.engine.CompleteIn(ctx, script, made)
	return at - (made - from), list
}

// Explain tells what a word means.
func (s *server) Explain(ctx context.Context, d lsp.Document, at int) (trace.Explanation, bool) {
	script, made, written := s.read(d, at)
	x, ok := s.engine.ExplainIn(ctx, script, made)
	if ok {
		x.From, x.To = written(x.From), written(x.To)
	}
	return x, ok
}

// read returns a document as the compiler reads it, and where in that an offset is. written
// leads back from there. What a preprocessor leaves out is read as it stands.
func (s *server) read(d lsp.Document, at int) (script engine.Script, made int, written func(int) int) {
	script, _ = s.of(d).script(d)
	same := func(off int) int { return off }
	if script.File == nil {
		return script, at, same
	}
	made, ok := script.File.Made(at)
	if !ok {
		script.File = nil
		return script, at, same
	}
	return script, made, func(off int) int { return at + off - made } // words stay whole
}

// Source returns a script as the compiler reads it.
func (s *server) Source(d lsp.Document) *token.File {
	script, _ := s.of(d).script(d)
	if script.File != nil {
		return script.File
	}
	return cpp.NewFile(script.Name, script.Text)
}

// Missing says what these privileges do not show.
func (s *server) Missing() string {
	_, families, err := s.engine.Probes(context.Background(), "dtrace:::BEGIN")
	if err != nil {
		return err.Error()
	}
	var names, reasons []string
	for _, f := range families {
		if f.Unavailable == "" {
			continue
		}
		names = append(names, f.Name)
		if !slices.Contains(reasons, f.Unavailable) {
			reasons = append(reasons, f.Unavailable)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("dscope does not see all probes here (%s): %s", strings.Join(names, ", "), strings.Join(reasons, "; "))
}
