// Package manual writes the manual pages of dscope, in roff: one in section 1 for the program and
// one for each command, from the table that --help is made of, and one in section 7 for each topic
// of dscope help.
//
// The writer is our own, for the little that the pages need. What turns Markdown into roff gives
// the stars and underscores of D a meaning, and leaves quotes and dashes to be drawn as print has
// them, so that a shell refuses the examples that somebody copies.
package manual

import (
	"slices"
	"strings"

	"dscope.dev/cmd/dscope/topic"
	"dscope.dev/cmd/dscope/usage"
)

// A Book is what the pages are made of.
type Book struct {
	Version  string // of the program: 0.1.0
	Date     string // of that version: 2026-11-24
	Program  usage.Command
	Commands []usage.Command
	Topics   []topic.Topic
}

// A Page is one of them.
type Page struct {
	Name    string // dscope-trace
	Section string // 1 or 7
	Roff    string
}

// Pages returns all pages.
func (b *Book) Pages() []Page {
	list := []Page{b.program()}
	for _, c := range b.Commands {
		list = append(list, b.command(c))
	}
	for _, t := range b.Topics {
		list = append(list, b.topic(t))
	}
	return list
}

// Page returns the page of a command or a topic; "" is that of the program.
func (b *Book) Page(name string) (Page, bool) {
	full := strings.TrimSuffix("dscope-"+name, "-")
	list := b.Pages()
	i := slices.IndexFunc(list, func(p Page) bool { return p.Name == full })
	if i < 0 {
		return Page{}, false
	}
	return list[i], true
}

// begin begins a page.
func (b *Book) begin(name, section, brief string) *page {
	p := &page{}
	p.line(".nr HY 0") // words are typed as they stand here, and not hyphenated
	p.line(".TH %s %s %s %s dscope", quote(strings.ToUpper(name)), section, b.Date, quote("dscope "+b.Version))
	p.line(".ad l")
	p.heading("SH", "NAME")
	p.line(`%s \- %s`, escape(name), escape(brief))
	return p
}

// program is dscope(1).
func (b *Book) program() Page {
	const brief = "a workbench for dynamic tracing in the terminal"
	p := b.begin("dscope", "1", brief)
	p.synopsis(append(b.Program.Calls(), "dscope COMMAND ..."))
	p.heading("SH", "DESCRIPTION")
	p.paragraphs(b.Program.About)
	p.flags(b.Program)
	p.heading("SH", "COMMANDS")
	p.line("Each has a page of its own, dscope\\-COMMAND(1).")
	for _, c := range b.Commands {
		p.term(c.Name, c.Brief)
	}
	p.heading("SH", "TOPICS")
	p.line("Each has a page of its own, dscope\\-TOPIC(7); dscope help TOPIC prints the same.")
	for _, t := range b.Topics {
		p.term(t.Name, t.Brief)
	}
	p.heading("SH", "NOTES")
	p.paragraphs(b.Program.After)
	p.also("dscope-trace(1)", "dscope-ask(1)", "dscope-workbench(7)")
	return Page{"dscope", "1", p.b.String()}
}

// command is the page of a command.
func (b *Book) command(c usage.Command) Page {
	name := "dscope-" + c.Name
	p := b.begin(name, "1", c.Brief)
	p.synopsis(c.Calls())
	p.heading("SH", "DESCRIPTION")
	if c.About != "" {
		p.paragraphs(c.About)
	} else {
		p.line("%s", escape(strings.ToUpper(c.Brief[:1])+c.Brief[1:]+"."))
	}
	p.flags(c)
	if c.After != "" {
		heading := "NOTES"
		if strings.HasPrefix(c.After, "Exit status") {
			heading = "EXIT STATUS"
		}
		p.heading("SH", heading)
		p.paragraphs(c.After)
	}
	also := []string{"dscope(1)"}
	for _, t := range c.Topics {
		also = append(also, "dscope-"+t+"(7)")
	}
	p.also(also...)
	return Page{name, "1", p.b.String()}
}

// topic is the page of a topic.
func (b *Book) topic(t topic.Topic) Page {
	name := "dscope-" + t.Name
	p := b.begin(name, "7", t.Brief)
	if !strings.HasPrefix(t.Body, "## ") {
		p.heading("SH", "DESCRIPTION")
	}
	p.body(t.Body)
	p.also("dscope(1)")
	return Page{name, "7", p.b.String()}
}

// synopsis writes how a command is called.
func (p *page) synopsis(calls []string) {
	p.heading("SH", "SYNOPSIS")
	p.line(".nf")
	for _, call := range calls {
		for l := range strings.SplitSeq(call, "\n") {
			p.line("%s", guard(escape(l)))
		}
	}
	p.line(".fi")
}

// flags writes what each flag does.
func (p *page) flags(c usage.Command) {
	if len(c.Shown()) == 0 {
		return
	}
	p.heading("SH", "OPTIONS")
	for _, f := range c.Shown() {
		if f.Above != "" {
			p.heading("SS", strings.ToUpper(f.Above[:1])+strings.TrimSuffix(f.Above[1:], ":"))
		}
		p.line(".TP")
		name := `\fB` + escape(f.Name) + `\fR`
		if f.Arg != "" {
			name += ` \fI` + escape(f.Arg) + `\fR`
		}
		p.line("%s", name)
		p.line("%s", guard(escape(f.Help)))
	}
}

// term writes an entry of a list.
func (p *page) term(name, text string) {
	p.line(".TP")
	p.line(`\fB%s\fR`, escape(name))
	p.line("%s", guard(escape(text)))
}

// also names other pages.
func (p *page) also(pages ...string) {
	p.heading("SH", "SEE ALSO")
	for i, name := range pages {
		before, section, _ := strings.Cut(name, "(")
		comma := ","
		if i == len(pages)-1 {
			comma = ""
		}
		p.line(".BR %s (%s%s", escape(before), section, comma)
	}
}
