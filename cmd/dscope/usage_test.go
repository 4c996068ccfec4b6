package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dscope.dev/cmd/dscope/complete"
	"dscope.dev/cmd/dscope/topic"
	"dscope.dev/cmd/dscope/usage"
)

// toldOf returns all commands, and dscope without one.
func toldOf() []usage.Command { return append(commandTable(), workbenchCommand()) }

// TestTable holds the rows of the table of commands to what is made of them.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range toldOf() {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		seen[c.Name] = true
		if c.Run == nil || len(c.Forms) == 0 || c.Brief == "" && c.Name != "" {
			t.Errorf("%q lacks something: %+v", c.Name, c)
		}
		if _, ok := topic.Named(c.Name); ok {
			t.Errorf("%s is a command and a topic: dscope help would not know which", c.Name)
		}
		for _, name := range c.Topics {
			if _, ok := topic.Named(name); !ok {
				t.Errorf("%s names the topic %s, which is none", c.Name, name)
			}
		}
		for line := range strings.Lines(c.Text()) {
			if len([]rune(strings.TrimSuffix(line, "\n"))) > usage.Width {
				t.Errorf("%s: too long: %s", c.Name, line)
			}
		}
	}
}

// grouped finds flags that are written together: [-qv].
var grouped = regexp.MustCompile(`\[-([A-Za-z]+)\]`)

// TestFlagsAreTold holds that each flag has its words, stands in the form of its command, and has
// an entry in --help, in the manual page and in the completion of shells.
func TestFlagsAreTold(t *testing.T) {
	for _, c := range toldOf() {
		page, ok := book().Page(c.Name)
		if !ok {
			t.Errorf("%s has no manual page", c.Name)
			continue
		}
		roff := strings.NewReplacer(`\-`, "-", `\fB`, "", `\fR`, "", `\fI`, "").Replace(page.Roff)
		help, forms := c.Text(), strings.Join(c.Forms, " ")
		var letters strings.Builder
		for _, g := range grouped.FindAllStringSubmatch(forms, -1) {
			letters.WriteString(g[1])
		}
		offered := complete.Line(workbenchCommand(), commandTable(), slices.DeleteFunc([]string{c.Name, "-"}, func(w string) bool { return w == "" }), nil)
		for _, f := range c.Shown() {
			if f.Help == "" || strings.HasSuffix(f.Help, ".") {
				t.Errorf("%s %s: its words are %q", c.Name, f.Name, f.Help)
			}
			inForm := regexp.MustCompile(`(^|[ \[|])` + regexp.QuoteMeta(f.Name) + `($|[ \]|])`).MatchString(forms)
			if !inForm && !(len(f.Name) == 2 && strings.Contains(letters.String(), f.Name[1:])) {
				t.Errorf("%s %s is in none of its forms", c.Name, f.Name)
			}
			if !strings.Contains(help, "\n    "+f.Name+" ") {
				t.Errorf("%s --help does not tell of %s", c.Name, f.Name)
			}
			if entry := strings.TrimSpace(f.Name + " " + f.Arg); !strings.Contains(roff, "\n.TP\n"+entry+"\n") {
				t.Errorf("the page of %s has no entry %q", c.Name, entry)
			}
			if !slices.ContainsFunc(offered.Words, func(w complete.Word) bool { return w.Text == f.Name }) {
				t.Errorf("shells do not offer %s for %s", f.Name, c.Name)
			}
		}
	}
}

// TestFlagsAreRead holds that each flag that is told of is one that the command knows. A flag
// that nobody has stands behind it, so that nothing is done.
func TestFlagsAreRead(t *testing.T) {
	for _, c := range toldOf() {
		for _, f := range c.Shown() {
			args := []string{c.Name, f.Name, "1", "-\x7f"}
			if f.Arg == "" {
				args = []string{c.Name, f.Name, "-\x7f"}
			}
			args = slices.DeleteFunc(args, func(w string) bool { return w == "" })
			out, err := exec.Command("dscope", args...).CombinedOutput()
			refused := regexp.MustCompile("illegal option -- (" + regexp.QuoteMeta(f.Name[1:2]) + ")|not defined: " + f.Name + "\n|" + f.Name + " is no flag")
			if found := refused.Find(out); err == nil || found != nil {
				t.Errorf("dscope %q: %v: %s", args, err, found)
			}
		}
	}
}

// TestPagesAreClean has mandoc look the manual pages over.
func TestPagesAreClean(t *testing.T) {
	mustHave(t, "mandoc")
	for _, p := range book().Pages() {
		lint := exec.Command("mandoc", "-T", "lint", "-W", "warning")
		lint.Stdin = strings.NewReader(p.Roff)
		if out, err := lint.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s(%s): %v\n%s", p.Name, p.Section, err, out)
		}
		draw := exec.Command("mandoc", "-T", "utf8", "-O", "width=78")
		draw.Stdin = strings.NewReader(p.Roff)
		out, err := draw.Output()
		if err != nil {
			t.Fatal(err)
		}
		bold := regexp.MustCompile(".\b")
		for line := range strings.Lines(bold.ReplaceAllString(string(out), "")) {
			if len([]rune(strings.TrimSuffix(line, "\n"))) > usage.Width {
				t.Errorf("%s(%s): too long: %s", p.Name, p.Section, line)
			}
		}
	}
}

// mustHave skips a test for which a program is missing, with the reason. CI must have it.
func mustHave(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("CI must have it: %v", err)
		}
		t.Skip(err)
	}
}
