package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// With -x cpppath another program preprocesses the sources, as dtrace(1) has it: it
// gets the script on its standard input, the arguments of -D, -U, -I, -H and of -x
// cppargs, and a name that tells it that it serves D. What it writes is the script;
// its lines "# 7 "file.h"" tell where they come from.

// outside runs the program over one source and returns its output.
func (p *preprocessing) outside(name, text string) (string, error) {
	args := []string{"-D__SUNW_D=1", "-D__SUNW_D_VERSION=0x02000000"}
	if p.headers {
		args = append(args, "-H")
	}
	for _, d := range p.cfg.Defines {
		flag := "-D"
		if d.Undef {
			flag = "-U"
		}
		args = append(args, flag+d.Text)
	}
	for _, dir := range p.cfg.Include {
		args = append(args, "-I"+dir)
	}
	cmd := exec.Command(p.path, append(append(args, p.args...), "-")...)
	cmd.Args[0] = filepath.Base(p.path) // by which it speaks of itself
	cmd.Stdin, cmd.Stderr = strings.NewReader(text), told
	out, err := cmd.Output()
	var status *exec.ExitError
	switch {
	case errors.As(err, &status):
		return "", fmt.Errorf("failed to compile script %s: Preprocessor failed to process input program", name)
	case err != nil:
		return "", fmt.Errorf("failed to compile script %s: failed to run %s: %w", name, p.path, reason(err))
	}
	return string(out), nil
}

// settle applies the arguments of -x cppargs to our own preprocessor, unless
// another is to run.
func (p *preprocessing) settle() error {
	if p.path != "" {
		return nil
	}
	return p.words(p.args)
}
