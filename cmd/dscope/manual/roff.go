package manual

import (
	"fmt"
	"strings"
)

// A page is roff that is being written, in the macros of man(7), which man-db, mandoc and groff
// know.
type page struct{ b strings.Builder }

// line writes a line of roff as it stands.
func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

// heading begins a section, or a part of one.
func (p *page) heading(macro, text string) { p.line(".%s %s", macro, quote(text)) }

// text writes a paragraph: what stands between backquotes is bold.
func (p *page) text(text string) {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return
	}
	var b strings.Builder
	for i, part := range spans(text) {
		switch {
		case i%2 == 1:
			b.WriteString(`\fB` + escape(part) + `\fR`)
		default:
			b.WriteString(escape(part))
		}
	}
	p.line("%s", guard(b.String()))
}

// spans divides a paragraph: the elements of odd number are what is marked as typed.
func spans(text string) []string {
	var list []string
	for text != "" {
		open := strings.IndexByte(text, '`')
		if open < 0 {
			break
		}
		mark := "`"
		if strings.HasPrefix(text[open:], "`` ") {
			mark = " ``"
			list = append(list, text[:open])
			text = text[open+3:]
		} else {
			list = append(list, text[:open])
			text = text[open+1:]
		}
		inside, rest, _ := strings.Cut(text, mark)
		list, text = append(list, inside), rest
	}
	return append(list, text)
}

// example writes lines that stay as they are.
func (p *page) example(lines []string) {
	p.line(".RS 4")
	p.line(".EX")
	for _, l := range lines {
		p.line("%s", guard(escape(strings.ReplaceAll(l, "\t", "        "))))
	}
	p.line(".EE")
	p.line(".RE")
}

// paragraphs writes plain text: paragraphs, and examples where lines begin with a blank.
func (p *page) paragraphs(text string) {
	for i, part := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if strings.HasPrefix(part, " ") {
			p.line(".PP")
			p.example(strings.Split(strings.TrimLeft(part, " "), "\n"))
			continue
		}
		if i > 0 {
			p.line(".PP")
		}
		p.line("%s", guard(escape(strings.Join(strings.Fields(part), " "))))
	}
}

// body writes what stands in a topic (package topic says how it is written).
func (p *page) body(text string) {
	parts := strings.Split(strings.Trim(text, "\n"), "\n\n")
	plain := true // whether the last was a heading, below which no space is left
	for i := 0; i < len(parts); i++ {
		part := parts[i]
		heading, isHeading := strings.CutPrefix(part, "## ")
		switch {
		case isHeading:
			p.heading("SH", strings.ToUpper(heading))
			plain = true
			continue
		case strings.HasPrefix(part, "    "):
			var lines []string
			for ; i < len(parts) && strings.HasPrefix(parts[i], "    "); i++ {
				if lines != nil {
					lines = append(lines, "")
				}
				for l := range strings.SplitSeq(parts[i], "\n") {
					lines = append(lines, strings.TrimPrefix(l, "    "))
				}
			}
			i--
			if !plain {
				p.line(".PP")
			}
			p.example(lines)
		case strings.HasPrefix(part, "- "):
			for item := range strings.SplitSeq("\n"+part, "\n- ") {
				if item != "" {
					p.line(`.IP \(bu 2`)
					p.text(item)
				}
			}
		default:
			if term, told, ok := strings.Cut(part, "\n:   "); ok {
				p.line(".TP")
				p.text(term)
				p.text(told)
				break
			}
			if !plain {
				p.line(".PP")
			}
			p.text(part)
		}
		plain = false
	}
}

// escapes are letters that roff takes for something else, or that it draws in a way that a shell
// does not understand when it is copied.
var escapes = map[rune]string{'\\': `\e`, '-': `\-`, '\'': `\(aq`, '`': `\(ga`, '^': `\(ha`, '~': `\(ti`}

// escape makes text stand for itself.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch e, special := escapes[r]; {
		case special:
			b.WriteString(e)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// guard keeps a line from being taken for a request.
func guard(line string) string {
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}

// quote makes text one argument of a request.
func quote(text string) string {
	return `"` + strings.ReplaceAll(escape(text), `"`, `\(dq`) + `"`
}
