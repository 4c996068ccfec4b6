package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/option"
	"dscope.dev/engine"
	"dscope.dev/ui/config"
	"dscope.dev/ui/home"
)

func configCommand() usage.Command {
	return usage.Command{
		Name: "config", Brief: "print the user's settings and keys, and what of them is wrong", Forms: []string{"[path | check]"},
		About: "Prints the configuration whole, with a comment for each key; with path, where it is read from; with check, " +
			"what of it cannot be taken.",
		Parts: []string{"path", "check"}, Run: configMain,
	}
}

// configMain shows the configuration.
func configMain(args []string) error {
	if len(args) > 1 || len(args) == 1 && args[0] != "path" && args[0] != "check" {
		return usageError{fmt.Errorf("config %s: no such thing", strings.Join(args, " "))}
	}
	path, err := configPath()
	if err != nil {
		return err
	}
	if len(args) == 1 && args[0] == "path" {
		fmt.Fprintln(said, path)
		return nil
	}
	text, err := configText(path)
	if err != nil {
		return err
	}
	_, wrong := config.Parse(path, text, knownOptions())
	for _, w := range wrong {
		fmt.Fprintf(told, "dscope: %v\n", w)
	}
	if len(args) == 0 {
		fmt.Fprint(said, config.Print(text, knownOptions()))
		return nil
	}
	if wrong != nil {
		return errReported
	}
	return nil
}

func configPath() (string, error) {
	dir, err := home.Config()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, config.Name), nil
}

// configText returns what the file says: nothing if there is none.
func configText(path string) (string, error) {
	data, err := home.Read(path, config.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the configuration: %w", err)
	}
	return string(data), nil
}

// configured reads the configuration. What is wrong with it never keeps the workbench from
// starting: it is told on the screen.
func configured() (c config.Config, wrong []string) {
	c = config.Default()
	path, err := configPath()
	if err != nil {
		return c, nil // without a home there is none, which is told of what would be kept there
	}
	text, err := configText(path)
	if err != nil {
		return c, []string{err.Error()}
	}
	c, errs := config.Parse(path, text, knownOptions())
	for _, e := range errs {
		wrong = append(wrong, e.Error())
	}
	if len(wrong) > 1 {
		wrong[0] += fmt.Sprintf(" (and %d more: dscope config check)", len(wrong)-1)
	}
	return c, wrong
}

// sample is a value that an option can have, for the comment beside it.
var sample = map[string]string{
	"airbag": "20%", "estimate": "10%", "amin": "Evolving/Evolving/Common", "version": "2.0", "iregs": "8",
	"oformat": "text", "nspec": "4", "aggsize": "8m", "strsize": "1k", "scratchsize": "4k", "pcapsize": "1514", "printsize": "1m",
	"libdir": "/usr/local/lib/dscope", "vmlinux": "/usr/lib/debug/boot/vmlinux", "cpu": "0", "dropstatus": "3",
}

// knownOptions returns the options that runs of the workbench can begin with: all but those
// that only a command line has a use for.
func knownOptions() config.Known {
	k := config.Known{Try: func(name, value string) error {
		o := engine.DefaultOptions()
		return o.Set(name, value)
	}}
	for _, name := range option.Names() {
		spec := option.Find(name)
		if spec.Time == option.CommandLine && name != "vmlinux" || name == "oformat" || name == "grabanon" {
			continue
		}
		o := config.Option{Name: name, Help: spec.Help, Flag: spec.Kind == option.OnOff, Usual: sample[name]}
		switch {
		case o.Usual != "" || o.Flag:
		case spec.Kind == option.Bytes:
			o.Usual = "4m"
		case spec.Kind == option.Every:
			o.Usual = "1s"
		case spec.Kind == option.Number:
			o.Usual = "8"
		case spec.Kind == option.OneOf:
			o.Usual = spec.Words[0]
		default:
			continue // of the inside of a compiler that is not this one
		}
		k.Options = append(k.Options, o)
	}
	slices.SortFunc(k.Options, func(a, b config.Option) int { return strings.Compare(a.Name, b.Name) })
	return k
}
