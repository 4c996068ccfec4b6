package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/option"
	"dscope.dev/dlang/token"
	"dscope.dev/engine"
)

// A preprocessing is what the flags say to the preprocessor. Without -C they say
// nothing, as in dtrace(1).
type preprocessing struct {
	on      bool // -C
	headers bool // -H
	cfg     cpp.Config
	args    []string // of -x cppargs
	path    string   // of -x cpppath: the program that preprocesses; "" is dscope itself
}

// set applies -C, -H, -D, -U or -I.
func (p *preprocessing) set(flag byte, arg string) {
	switch flag {
	case 'C':
		p.on = true
	case 'H':
		p.headers = true
	case 'D', 'U':
		p.cfg.Defines = append(p.cfg.Defines, cpp.Define{Text: arg, Undef: flag == 'U'})
	case 'I':
		p.cfg.Include = append(p.cfg.Include, arg)
	default:
		panic("dscope: flag without a meaning: " + string(flag))
	}
}

// option applies an option of -x that speaks to the preprocessor; the others pass.
func (p *preprocessing) option(name, value string) error {
	switch name {
	case "cpp":
		p.on, _ = option.Flag(value)
	case "cpphdrs":
		p.headers, _ = option.Flag(value)
	case "define":
		p.set('D', value)
	case "undef":
		p.set('U', value)
	case "incdir":
		p.set('I', value)
	case "stdc":
		if !slices.Contains([]string{"a", "c", "s", "t"}, value) {
			return fmt.Errorf("failed to set -x stdc: Invalid value for specified option: %q is none of a, c, s, t", value)
		}
		p.cfg.Std = value
	case "cppargs":
		p.args = append(p.args, strings.Fields(value)...)
	case "cpppath":
		p.path = value
	}
	return nil
}

// words applies those arguments of a preprocessor that dtrace(1) has too.
func (p *preprocessing) words(list []string) error {
	for i := 0; i < len(list); i++ {
		word := list[i]
		switch {
		case word == "-H":
			p.set('H', "")
		case word == "-dM":
			p.cfg.Macros = true
		case len(word) > 2 && word[0] == '-' && strings.IndexByte("DUI", word[1]) >= 0:
			p.set(word[1], word[2:])
		case (word == "-D" || word == "-U" || word == "-I") && i+1 < len(list):
			i++
			p.set(word[1], list[i])
		default:
			return fmt.Errorf("-x cppargs: %s is no argument of dscope's own preprocessor, which takes -D, -U, -I, -H and -dM", word)
		}
	}
	return nil
}

// preprocess runs the sources through the preprocessor, if -C says so.
func (j *job) preprocess() error {
	if !j.cpp.on {
		return nil
	}
	var lists []diag.List
	for i := range j.parts {
		part := &j.parts[i]
		name := part.name
		if j.cpp.path == "" {
			name = part.called()
		}
		f, list, err := j.cpp.source(name, part.text)
		if err != nil {
			return err
		}
		part.text, part.file = f.Src, f
		lists = append(lists, list)
	}
	return j.preprocessed(lists)
}

// source preprocesses one source.
func (p *preprocessing) source(name, text string) (*token.File, diag.List, error) {
	if p.path != "" {
		out, err := p.outside(name, text)
		return cpp.NewFile(name, out), nil, err
	}
	cfg := p.cfg
	cfg.Arch, cfg.Now, cfg.Reserved = runtime.GOARCH, time.Now(), check.Reserved
	r, list := cpp.Process(cfg, name, text)
	for _, h := range r.Headers {
		if p.headers {
			fmt.Fprintln(told, strings.Repeat(".", h.Depth), h.Path)
		}
	}
	return r.File, list, nil
}

// preprocessed shows what the preprocessor has to say of each source.
func (j *job) preprocessed(lists []diag.List) error {
	files := make([]*token.File, len(j.parts))
	for i, p := range j.parts {
		files[i] = p.file
	}
	if len(files) == 0 {
		return nil
	}
	file, starts := engine.JoinFiles("command line", files)
	var all diag.List
	for i, list := range lists {
		list.Move(token.Pos(starts[i]))
		all = append(all, list...)
	}
	if all.Failed() {
		return j.complain(&diag.ListError{File: file, List: all})
	}
	return diag.Print(told, file, all)
}

// joined returns the one file of all sources, nil if that is the only one as it stands.
// A place in it is one of the source.
func (j *job) joined(name string) *token.File {
	if !j.cpp.on && len(j.parts) == 1 {
		return nil
	}
	var files []*token.File
	for _, p := range j.parts {
		if p.file == nil {
			p.file = cpp.NewFile(p.called(), p.text)
		}
		files = append(files, p.file)
	}
	file, _ := engine.JoinFiles(name, files)
	return file
}
