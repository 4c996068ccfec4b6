package vim

import (
	"fmt"
	"regexp"
	"strings"

	"dscope.dev/ui/document/text"
)

// substitute is :s/this/that/flags over lines, one step of undo.
func (m *Machine) substitute(r lineRange, argument string) {
	if argument == "" {
		m.host.Say("s wants what to replace, and with what: :s/this/that/g")
		return
	}
	what, rest := delimited(argument[1:], argument[0])
	with, flags := delimited(rest, argument[0])
	if i := strings.IndexFunc(flags, func(f rune) bool { return !strings.ContainsRune("gi ", f) }); i >= 0 {
		m.host.Say(fmt.Sprintf("s has no flag %c here: g and i it has", flags[i]))
		return
	}
	if strings.Contains(flags, "i") && what != "" {
		what += `\c`
	}
	if !m.lookFor(what, false) {
		return
	}
	re, was, count, below := m.pattern.re, m.at, 0, 0
	with = template(with)
	if n := m.line(m.at); n < r.first || n > r.last {
		m.at = m.firstWord(r.first) // where undo goes
	}
	m.change(func() {
		for n := r.last; n >= r.first; n-- {
			line, times := replaced(re, m.buf.Line(n), with, strings.Contains(flags, "g"))
			if times == 0 {
				continue
			}
			if count == 0 {
				below = m.buf.Lines() - n
			}
			count += times
			m.replace(m.buf.Start(n), m.buf.End(n), line)
		}
	})
	m.host.Found(text.RegexpQuery(re))
	if count == 0 {
		m.at, m.failed = was, true
		m.host.Say("not found: " + m.pattern.typed)
		return
	}
	m.at, m.goalSet = m.firstWord(m.buf.Lines()-below), false // the last that was replaced
	if count > 1 {
		m.host.Say(fmt.Sprintf("%d replaced", count))
	}
}

// delimited reads up to a delimiter that no \ is before.
func delimited(s string, by byte) (what, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == by:
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			if i++; s[i] != by {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// replaced returns a line with what is found replaced by a template, and how often.
func replaced(re *regexp.Regexp, line, with string, all bool) (string, int) {
	places := re.FindAllStringSubmatchIndex(line, -1)
	if !all && len(places) > 1 {
		places = places[:1]
	}
	var out []byte
	at := 0
	for _, p := range places {
		out = append(out, line[at:p[0]]...)
		out = re.ExpandString(out, with, line, p)
		at = p[1]
	}
	return string(append(out, line[at:]...)), len(places)
}

// template returns a replacement as Go's regular expressions have it: & is what was found, \1 its
// first group, \r a line break.
func template(with string) string {
	var b strings.Builder
	for i := 0; i < len(with); i++ {
		c, escaped := with[i], with[i] == '\\' && i+1 < len(with)
		if escaped {
			i++
			c = with[i]
		}
		switch {
		case !escaped && c == '&':
			b.WriteString("${0}")
		case escaped && c >= '0' && c <= '9':
			b.WriteString("${" + with[i:i+1] + "}")
		case escaped && (c == 'r' || c == 'n'):
			b.WriteByte('\n')
		case escaped && c == 't':
			b.WriteByte('\t')
		case c == '$':
			b.WriteString("$$")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
