package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/format"
	"dscope.dev/ui/document/disk"
)

var fmtFlags = []usage.Flag{
	{Name: "-d", Help: "show what would change"},
	{Name: "-l", Help: "list the files that would change"},
	{Name: "-w", Help: "write the result back to the file"},
}

func fmtCommand() usage.Command {
	return usage.Command{
		Name: "fmt", Brief: "lay scripts out", Forms: []string{"[-l] [-d] [-w] [path ...]"},
		About: "Lays out D scripts in the one way of the DTrace guides: a line for the probes, one for each action, " +
			"tabs. Comments, blank lines and control lines (#pragma, #ifdef) stay. Without a path it formats standard " +
			"input; a folder stands for the *.d below it.",
		Flags: fmtFlags, Words: usage.Script, Run: fmtMain, Topics: []string{"scripts"},
	}
}

// A formatting is what one command line of dscope fmt asks for.
type formatting struct{ list, diff, write bool }

// fmtMain is dscope fmt.
func fmtMain(args []string) error {
	flags, paths, err := getopt(args, usage.Spec(fmtFlags))
	if err != nil {
		return usageError{err}
	}
	var f formatting
	for _, o := range flags {
		switch o.flag {
		case 'l':
			f.list = true
		case 'd':
			f.diff = true
		case 'w':
			f.write = true
		}
	}
	if len(paths) == 0 {
		if f.write {
			return usageError{errors.New("-w needs files to write to")}
		}
		text, err := readAll(os.Stdin)
		if err != nil {
			return fmt.Errorf("read standard input: %w", reason(err))
		}
		return f.source("standard input", string(text), nil)
	}
	return f.paths(paths)
}

// paths formats files and what lies in folders. One that fails does not keep the
// others from being formatted.
func (f formatting) paths(paths []string) error {
	var failed error
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir(), name != path && !isScript(name):
				return nil
			}
			if err := f.file(name); err != nil {
				failed = errReported
				if !errors.Is(err, errReported) {
					fmt.Fprintf(told, "dscope: %v\n", err)
				}
			}
			return nil
		})
		if err != nil {
			failed = errReported
			fmt.Fprintf(told, "dscope: format %s: %v\n", path, reason(err))
		}
	}
	return failed
}

// isScript reports whether what lies in a folder is a script: a plain file of such a
// name, and no pipe, which would never end.
func isScript(name string) bool {
	info, err := os.Stat(name)
	return filepath.Ext(name) == ".d" && (err != nil || info.Mode().IsRegular())
}

func (f formatting) file(name string) error {
	in, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("format %s: %w", name, reason(err))
	}
	text, err := readAll(in)
	in.Close()
	if err != nil {
		return fmt.Errorf("format %s: %w", name, reason(err))
	}
	return f.source(name, string(text), func(out string) error { return rewrite(name, out) })
}

// source formats one script and does with it what the flags say.
func (f formatting) source(name, text string, write func(string) error) error {
	out, err := formatted(name, text)
	if err != nil {
		return err
	}
	changed := out != text
	if changed && f.list {
		fmt.Fprintln(scripts(), name)
	}
	if changed && f.diff {
		io.WriteString(scripts(), unified(name+".orig", name, text, out))
	}
	if changed && f.write {
		return write(out)
	}
	if !f.list && !f.diff && !f.write {
		_, err := io.WriteString(scripts(), out)
		return err
	}
	return nil
}

// formatted returns a script as it should be. A script with mistakes is left
// alone: what is meant there nobody can tell.
func formatted(name, text string) (string, error) {
	file := cpp.NewFile(name, text)
	out, list := format.Script(file)
	if list.Failed() {
		diag.Print(told, file, list)
		return "", errReported
	}
	return out, nil
}

// rewrite replaces the text of a file and keeps its owner and permissions: the new text
// is there whole or not at all.
func rewrite(name, text string) error {
	path, err := filepath.Abs(name)
	if err == nil {
		_, err = disk.Write(path, text, disk.Stamp{})
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, reason(err))
	}
	return nil
}
