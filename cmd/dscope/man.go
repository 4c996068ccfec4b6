package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"dscope.dev/cmd/dscope/manual"
	"dscope.dev/cmd/dscope/topic"
	"dscope.dev/cmd/dscope/usage"
)

var manFlags = []usage.Flag{
	{Name: "-d", Arg: "folder", Takes: usage.Folder, Help: "write all pages below this folder, in man1 and man7"},
}

func manCommand() usage.Command {
	return usage.Command{
		Name: "man", Brief: "print a manual page", Forms: []string{"[COMMAND | TOPIC]", "-d folder"},
		About: "Prints the manual page of dscope, of a command, or of a topic, in roff:\n\n" +
			"    dscope man trace | man -l -\n\n" +
			"To have man find them, as in man dscope-trace:\n\n" +
			"    dscope man -d ~/.local/share/man",
		Flags: manFlags, Words: usage.Page, Run: manMain,
	}
}

// book is what the manual pages are made of.
func book() *manual.Book {
	return &manual.Book{Version: version, Date: versionDate, Program: workbenchCommand(), Commands: commandTable(), Topics: topic.All()}
}

// manMain is dscope man.
func manMain(args []string) error {
	flags, words, err := getopt(args, usage.Spec(manFlags))
	if err == nil && (len(words) > 1 || len(words)+len(flags) > 1) {
		err = errors.New("one page, or all of them with -d")
	}
	if err != nil {
		return usageError{err}
	}
	if len(flags) > 0 {
		return writePages(flags[0].arg)
	}
	name := ""
	if len(words) > 0 {
		name = words[0]
	}
	page, ok := book().Page(name)
	if !ok {
		return noPage(name)
	}
	_, err = fmt.Fprint(said, page.Roff)
	return ignorePipe(err)
}

// writePages writes all pages where man looks for them below a folder.
func writePages(folder string) error {
	for _, p := range book().Pages() {
		dir := filepath.Join(folder, "man"+p.Section)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return reason(err)
		}
		name := filepath.Join(dir, p.Name+"."+p.Section)
		if err := os.WriteFile(name, []byte(p.Roff), 0o666); err != nil {
			return fmt.Errorf("write %s: %w", name, reason(err))
		}
	}
	return nil
}
