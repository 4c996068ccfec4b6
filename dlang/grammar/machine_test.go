package grammar

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// A machine colours by a grammar as editors do: line by line, the pattern that matches
// first counts, of several at one place the first in the list.
type machine struct {
	t     *testing.T
	g     grammar
	cache map[string]*pattern
}

// A pattern is a regular expression whose alternatives may end in a look ahead.
type pattern struct {
	whole *regexp.Regexp // with what is looked at
	keep  int            // the group before that; 0 if there is none
}

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, cache: map[string]*pattern{}}
	if err := json.Unmarshal(TextMate(), &m.g); err != nil {
		t.Fatal(err)
	}
	return m
}

// find returns where a pattern matches in line at or behind from.
func (m *machine) find(expr, line string, from int) (at, to int, ok bool) {
	best := -1
	for _, alt := range alternatives(expr) {
		p := m.cache[alt]
		if p == nil {
			p = &pattern{}
			text := alt
			if before, look, ok := strings.Cut(alt, "(?="); ok {
				text, p.keep = "("+before+")(?:"+look, 1
			}
			p.whole = regexp.MustCompile("(?m)" + text)
			m.cache[alt] = p
		}
		// What lies before counts for \b and ^, so the line is searched as a whole.
		for _, hit := range p.whole.FindAllStringSubmatchIndex(line, -1) {
			a, z := hit[0], hit[1]
			if p.keep > 0 {
				a, z = hit[2], hit[3]
			}
			if a >= from && (best < 0 || a < best) {
				best, to = a, z
				break
			}
		}
		// A hit may hide one that begins inside of it, when from lies there.
		if hit := p.whole.FindStringSubmatchIndex(line[from:]); hit != nil && !strings.HasPrefix(alt, "^") {
			a, z := hit[0], hit[1]
			if p.keep > 0 {
				a, z = hit[2], hit[3]
			}
			inWord := strings.HasPrefix(strings.TrimPrefix(alt, "(?="), `\b`) && a == 0 && from > 0 && isWordByte(line[from-1])
			if a += from; !inWord && (best < 0 || a < best) {
				best, to = a, z+from
			}
		}
	}
	return best, to, best >= 0
}

func isWordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// alternatives splits an expression at the bars outside of all brackets.
func alternatives(expr string) []string {
	var list []string
	depth, class, from := 0, false, 0
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			list = append(list, expr[from:i])
			from = i + 1
		}
	}
	return append(list, expr[from:])
}

// flat resolves includes.
func (m *machine) flat(rules []rule) []rule {
	var list []rule
	for _, r := range rules {
		if r.Include != "" {
			r = m.g.Repository[strings.TrimPrefix(r.Include, "#")]
		}
		if r.Match == "" && r.Begin == "" {
			list = append(list, m.flat(r.Patterns)...)
			continue
		}
		list = append(list, r)
	}
	return list
}

// colour returns the name of what each byte of a text is.
func (m *machine) colour(text string) []string {
	out := make([]string, len(text))
	var stack []rule
	base := 0
	for _, line := range strings.SplitAfter(text, "\n") {
		body := strings.TrimSuffix(line, "\n")
		at := 0
		for at <= len(body) {
			rules := m.g.Patterns
			if n := len(stack); n > 0 {
				rules = stack[n-1].Patterns
			}
			from, to, which, ends := len(body)+1, 0, rule{}, false
			if n := len(stack); n > 0 {
				if a, z, ok := m.find(stack[n-1].End, body, at); ok {
					from, to, ends = a, z, true
				}
			}
			for _, r := range m.flat(rules) {
				expr := r.Match
				if expr == "" {
					expr = r.Begin
				}
				if a, z, ok := m.find(expr, body, at); ok && a < from && (z > a || r.Begin != "") {
					from, to, which, ends = a, z, r, false
				}
			}
			around := ""
			if n := len(stack); n > 0 {
				around = stack[n-1].Name
			}
			fill(out, base+at, base+min(from, len(body)), around)
			switch {
			case from > len(body):
				at = len(body) + 1
				continue
			case ends:
				fill(out, base+from, base+to, around)
				stack = stack[:len(stack)-1]
			case which.Begin != "":
				fill(out, base+from, base+to, which.Name)
				stack = append(stack, which)
			default:
				fill(out, base+from, base+to, which.Name)
			}
			at = to
			if from == to && from == len(body) {
				at = to + 1
			}
		}
		base += len(line)
	}
	return out
}

func fill(out []string, from, to int, name string) {
	for i := from; i < to; i++ {
		out[i] = name
	}
}
