// Package doctor finds out what this kernel, its configuration and the privileges
// of this process allow, and says for each thing that they do not what would help.
//
// Everything is found by trial where it can be tried: a program is loaded, hooked
// and let go at once; an event is opened and closed. What the version of a kernel
// or its configuration promise is no answer, because lockdown, capabilities,
// sysctls and containers all have a say. The providers tell for themselves
// (probes.Provider.Available), so that this list cannot differ from what a script
// meets.
//
// A finding that is no does not mean that dscope is of no use: there is often a
// second way, which costs more, and the finding says so. Healthy tells whether
// scripts can be traced with every provider.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"dscope.dev/engine"
	"dscope.dev/probes/kernel"
)

// A Finding is one thing that is there or is not.
type Finding struct {
	Name   string
	OK     bool
	Use    string   // what it is for
	Why    string   // why it is not there
	Remedy string   // what would help
	More   []string // what else is known; shown if asked for
}

// A Section is findings of one kind.
type Section struct {
	Title    string
	Findings []Finding
}

// A Report is all that was found.
type Report struct {
	System   string // kernel and machine, in a line
	Sections []Section
}

// Titles of sections.
const (
	titlePrivileges = "Privileges"
	titleKernel     = "What the kernel tells"
	titleHooks      = "Hooks"
	titleProviders  = "Providers"
)

// Healthy reports whether programs can be loaded and every provider is there.
func (r *Report) Healthy() bool {
	for _, s := range r.Sections {
		for _, f := range s.Findings {
			if !f.OK && (s.Title == titleProviders || f.Name == programs) {
				return false
			}
		}
	}
	return true
}

// programs is the finding without which nothing can be traced.
const programs = "programs"

// notConfined are the findings that say nothing of a session of a helper: it traces in
// another way, or has the helper do so.
var notConfined = []string{"uprobe", "run-time statistics"}

// Examine tries everything. It leaves nothing behind in the kernel.
func Examine(ctx context.Context, e *engine.Engine) *Report {
	k := e.OpenKernel()
	defer k.Close()
	r := &Report{System: system(k)}
	r.Sections = append(r.Sections, Section{titlePrivileges, privileges(e)})
	r.Sections = append(r.Sections, Section{titleKernel, told(k)})
	tried := hooks(k, e)
	if e.Rights() != nil {
		tried = slices.DeleteFunc(tried, func(f Finding) bool { return slices.Contains(notConfined, f.Name) })
	}
	r.Sections = append(r.Sections, Section{titleHooks, tried})
	r.Sections = append(r.Sections, Section{titleProviders, providers(ctx, e)})
	return r
}

// system names the kernel and the machine.
func system(k *kernel.Kernel) string {
	f, err := k.Facts()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("Linux %s, %s, %d of %d CPUs at work", f.Release, f.Arch, len(f.Online), len(f.Possible))
}

// told is what the kernel says of itself.
func told(k *kernel.Kernel) []Finding {
	var list []Finding
	add := func(name, use string, err error, more func() []string) {
		f := Finding{Name: name, Use: use, OK: err == nil}
		if err != nil {
			f.Why, f.Remedy = reason(err)
		} else if more != nil {
			f.More = more()
		}
		list = append(list, f)
	}
	_, err := k.BTF()
	add("types", "typed arguments, kernel structures (BTF)", err, func() []string {
		return []string{fmt.Sprintf("and of %d modules", len(k.Modules()))}
	})
	events, err := k.Events()
	add("tracefs", "names of tracepoints and system calls", err, func() []string {
		return []string{fmt.Sprintf("%d events", len(events))}
	})
	_, err = k.Symbols()
	add("symbols", "names in stack(), func(), sym(); addresses of functions", err, nil)
	return append(list, files(k)...)
}

// providers asks each provider. With -v the number of its probes is told.
func providers(ctx context.Context, e *engine.Engine) []Finding {
	var list []Finding
	for _, p := range e.Families() {
		f := Finding{Name: p.Name, Use: p.Help, OK: p.Err == nil}
		if p.Err != nil {
			f.Why, f.Remedy = reason(p.Err)
		} else if found, err := e.Match(ctx, p.Name+":::"); err == nil && !p.Endless {
			f.More = append(f.More, fmt.Sprintf("%d probes", len(found)))
		}
		list = append(list, f)
	}
	return list
}

// asRoot is the remedy for what is forbidden.
const asRoot = "run as root, or with the capabilities above"

// reason splits an error into what is wrong and what would help. What has a remedy
// says it as a kernel.Missing does, or in brackets at its end.
func reason(err error) (why, remedy string) {
	var missing *kernel.Missing
	text := err.Error()
	switch {
	case errors.As(err, &missing) && missing.Remedy != "":
		return missing.Why, missing.Remedy
	case errors.Is(err, engine.ErrPrivileges) || errors.Is(err, fs.ErrPermission) && !strings.Contains(text, "even to root"):
		return text, asRoot
	}
	if at := strings.LastIndex(text, " ("); at > 0 && strings.HasSuffix(text, ")") {
		if inner := text[at+2 : len(text)-1]; len(inner) > 40 {
			return text[:at], inner
		}
	}
	return text, "use a kernel of Debian, Fedora or Ubuntu of 6.1 or later: they are built with it"
}

// Print writes the report. Unless all is asked for, it leaves out what is yes of
// what only experts ask for: what else is known.
func (r *Report) Print(w io.Writer, all bool) error {
	var b strings.Builder
	b.WriteString(r.System + "\n")
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "\n%s\n", s.Title)
		width := 0
		for _, f := range s.Findings {
			width = max(width, len(f.Name))
		}
		for _, f := range s.Findings {
			f.print(&b, width, all)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lineWidth is that of a terminal as people have it at least.
const lineWidth = 80

func (f *Finding) print(b *strings.Builder, width int, all bool) {
	verdict := "yes"
	if !f.OK {
		verdict = "no "
	}
	indent := strings.Repeat(" ", 2+3+2+width+2)
	fmt.Fprintf(b, "  %s  %-*s  %s\n", verdict, width, f.Name, wrap(f.Use, indent, len(indent)))
	if !f.OK {
		fmt.Fprintf(b, "%s%s\n", indent, wrap("why: "+f.Why, indent+"     ", len(indent)))
		fmt.Fprintf(b, "%s%s\n", indent, wrap("remedy: "+f.Remedy, indent+"        ", len(indent)))
	}
	if all {
		for _, m := range f.More {
			fmt.Fprintf(b, "%s%s\n", indent, wrap("- "+m, indent+"  ", len(indent)))
		}
	}
}

// wrap breaks a text into lines; the first begins at a column, the others after an
// indent.
func wrap(text, indent string, column int) string {
	var b strings.Builder
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > lineWidth:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
