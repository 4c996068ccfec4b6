package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"strings"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine/helper"
)

// units are those of systemd.
//
//go:embed systemd
var units embed.FS

func helperCommand() usage.Command {
	return usage.Command{
		Name: "helper", Brief: "let people trace who are not root, as /etc/dscope.conf says", Forms: []string{"[--socket path] [--conf file]", "--unit dscope.socket|dscope.service", "--check [file]"},
		About: "Listens on a socket for the dscope of people who are not root, and starts for each a process that may do what " +
			"the rules give him. systemd starts it when somebody asks; dscope then uses it without a further word.",
		Flags: []usage.Flag{
			{Name: "--socket", Arg: "path", Takes: usage.File, Help: "listen there and not at " + helper.Socket + ", or where systemd says"},
			{Name: "--conf", Arg: "file", Takes: usage.File, Help: "read the rules there and not in " + helper.Path},
			{Name: "--unit", Arg: "name", Help: "print a unit for systemd: dscope.socket or dscope.service"},
			{Name: "--check", Help: "say whether the rules make sense, and what they are"},
		},
		After: "Every start is logged: who, with which rights, the hash of the script, its probes.",
		Run:   helperMain, Topics: []string{"users"},
	}
}

// A helping is what one command line of dscope helper asks for.
type helping struct {
	socket, conf, unit string
	check, pipe        bool
}

func helperMain(args []string) error {
	h, err := parseHelper(args)
	switch {
	case err != nil:
		return usageError{err}
	case h.unit != "":
		return printUnit(h.unit)
	case h.check:
		return checkRules(h.conf)
	}
	return h.run()
}

// parseHelper reads the command line.
func parseHelper(args []string) (*helping, error) {
	h := &helping{conf: helper.Path}
	for i := 0; i < len(args); i++ {
		name, value, has := strings.Cut(args[i], "=")
		to := map[string]*string{"--socket": &h.socket, "--conf": &h.conf, "--unit": &h.unit}[name]
		switch {
		case to != nil && !has:
			if i++; i == len(args) {
				return nil, fmt.Errorf("%s: its value is missing", name)
			}
			*to = args[i]
		case to != nil:
			*to = value
		case args[i] == "--check":
			h.check = true
		case args[i] == "--pipe": // sudo calls it so, for a workbench
			h.pipe = true
		case h.check && !strings.HasPrefix(args[i], "-"):
			h.conf = args[i]
		default:
			return nil, fmt.Errorf("%s makes no sense here", args[i])
		}
	}
	return h, nil
}

// unitProgram is where units say that dscope is; --unit says where it is.
const unitProgram = "/usr/bin/dscope"

func printUnit(name string) error {
	text, err := units.ReadFile("systemd/" + name)
	if err != nil {
		return usageError{errors.New("--unit prints dscope.socket or dscope.service")}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(said, strings.Replace(string(text), unitProgram, self, 1))
	return ignorePipe(err)
}

// checkRules says what the rules of a file are.
func checkRules(file string) error {
	rules, err := helper.Load(file)
	if err != nil {
		return err
	}
	if rules.Absent {
		_, err = fmt.Fprintf(said, "there is no %s, and without it only root may trace\n", file)
		return err
	}
	for _, r := range rules.List {
		fmt.Fprintf(said, "%s:%d: %s\n", rules.File, r.Line, r.String())
	}
	return nil
}
