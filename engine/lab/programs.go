package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// A Program is one that a check wants to have compiled: a line of its script
//
//	cc NAME SOURCE FLAGS…
//
// The compiler follows from the ending of the source: .c, .cc, .rs or .go. A
// program is static if its compiler can do that, because machines have no
// libraries; the flag -shared-libs (of ours) makes it one that is not.
type Program struct {
	Name, Source string
	Flags        []string
}

// compilers are what turns sources into programs, by their ending. The source
// and the flags are appended, then what names the result.
var compilers = map[string]struct {
	pkg     string
	command []string
}{
	".c":  {"gcc libc6-dev", []string{"gcc", "-static", "-O1", "-g"}},
	".cc": {"g++", []string{"g++", "-static", "-O1", "-g"}},
	".rs": {"rustc", []string{"rustc", "-C", "target-feature=+crt-static", "-g"}},
	".go": {"golang", []string{"go", "build"}},
}

// ParseProgram reads what follows cc in a line.
func ParseProgram(words []string) (Program, error) {
	if len(words) < 2 {
		return Program{}, errors.New("usage: cc name source [flags]")
	}
	p := Program{words[0], words[1], words[2:]}
	if _, ok := compilers[filepath.Ext(p.Source)]; !ok {
		return p, fmt.Errorf("no compiler is known for %s", p.Source)
	}
	return p, nil
}

// Programs returns what the script of a check wants to have compiled.
func Programs(check *txtar.Archive) ([]Program, error) {
	var list []Program
	for line := range strings.Lines(string(check.Comment)) {
		words := strings.Fields(line)
		for len(words) > 0 && strings.HasPrefix(words[0], "[") { // a condition
			words = words[1:]
		}
		if len(words) == 0 || words[0] != "cc" {
			continue
		}
		p, err := ParseProgram(words[1:])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
		list = append(list, p)
	}
	return list, nil
}

// Compile makes the program in dir, where its source is.
func (p Program) Compile(dir string) error {
	c := compilers[filepath.Ext(p.Source)]
	if _, err := tool(c.command[0], c.pkg); err != nil {
		return err
	}
	var args []string
	dynamic := false
	for _, f := range p.Flags {
		if f == "-shared-libs" {
			dynamic = true
			continue
		}
		args = append(args, f)
	}
	command := c.command[1:]
	if dynamic && command[0] == "-static" {
		command = command[1:]
	}
	// Libraries come after what needs them.
	args = append(append(append([]string{}, command...), "-o", p.Name, p.Source), args...)
	if filepath.Ext(p.Source) == ".go" {
		args = append(append(append([]string{}, command...), p.Flags...), "-o", p.Name, p.Source)
	}
	cmd := exec.Command(c.command[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	_, err := output(cmd)
	return err
}

// Build compiles the programs of a check into dir.
func Build(check *txtar.Archive, dir string) error {
	programs, err := Programs(check)
	if err != nil || len(programs) == 0 {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range check.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			return err
		}
	}
	for _, p := range programs {
		if err := p.Compile(dir); err != nil {
			return fmt.Errorf("compile %s: %w", p.Source, err)
		}
	}
	return nil
}

// Excused returns the kernels on which a check says that it cannot be made, with
// the reasons: its lines of the form
//
//	# not on 6.1: the kernel has no uprobe_multi
//	# not on kernels without debug information: that is what tells
func Excused(check *txtar.Archive) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(string(check.Comment)) {
		if rest, ok := strings.CutPrefix(line, "# not on "); ok {
			version, reason, _ := strings.Cut(strings.TrimSpace(rest), ": ")
			found[version] = reason
		}
	}
	return found
}

// Modules returns the modules of the kernel that a check wants to be loaded in
// machines: its lines of the form
//
//	# module: NAME
func Modules(check *txtar.Archive) []string {
	var found []string
	for line := range strings.Lines(string(check.Comment)) {
		if rest, ok := strings.CutPrefix(line, "# module: "); ok {
			found = append(found, strings.TrimSpace(rest))
		}
	}
	return found
}
