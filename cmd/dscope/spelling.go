package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/elsewhere"
	"dscope.dev/dlang/parser"
)

// A spelling is what dscope check --linux does with the script that it has rewritten:
// show it, show what would change, or write it back.
type spelling struct{ on, diff, write bool }

// files rewrites scripts. One that fails does not keep the others from being rewritten.
func (s spelling) files(paths []string) error {
	var failed error
	for _, path := range paths {
		if err := s.file(path); err != nil {
			failed = errReported
			if !errors.Is(err, errReported) {
				fmt.Fprintf(told, "dscope: check --linux %s: %v\n", path, err)
			}
		}
	}
	return failed
}

func (s spelling) file(path string) error {
	name, in := path, io.Reader(os.Stdin)
	if path == "-" {
		name = "standard input"
		if s.write {
			return errors.New("-w needs files to write to")
		}
	} else {
		f, err := os.Open(path)
		if err != nil {
			return reason(err)
		}
		defer f.Close()
		in = f
	}
	raw, err := readAll(in)
	if err != nil {
		return reason(err)
	}
	text := string(raw)
	file := cpp.NewFile(name, text)
	tree, list := parser.Parse(file)
	if list.Failed() {
		diag.Print(told, file, list)
		return errReported
	}
	names := elsewhere.Find(tree)
	out := elsewhere.Rewrite(tree, names)
	if err := diag.Print(told, file, notes(names)); err != nil {
		return err
	}
	switch {
	case s.diff:
		_, err = io.WriteString(scripts(), unified(name+".orig", name, text, out))
	case s.write && out != text:
		err = rewrite(path, out)
	case !s.write:
		_, err = io.WriteString(scripts(), out)
	}
	return err
}

// notes tells of the names that need a look: those that mean something a little
// different on Linux, or that it has nothing for.
func notes(names []elsewhere.Name) diag.List {
	var list diag.List
	for _, n := range names {
		switch {
		case n.Linux == "":
			list.Add(n.At, diag.Portable, "Linux has nothing for %s", n.Text).Suggest("%s", n.Note)
		case n.Note != "":
			list.Add(n.At, diag.Portable, "%s is %s on Linux", n.Text, n.Linux).Suggest("%s", n.Note)
		}
	}
	for _, d := range list {
		d.Severity = diag.Warning
	}
	return list
}

// set takes a flag of the rewritten script.
func (s *spelling) set(flag byte) error {
	switch flag {
	case 'd':
		s.diff = true
	case 'w':
		s.write = true
	default:
		return fmt.Errorf("-%c goes not with --linux, which checks nothing: leave one of them out", flag)
	}
	return nil
}
