package derived

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"dscope.dev/probes"
)

// A provider is a text that was read.
type provider struct {
	name, help string
	probes     []*probe
	states     []*hook // the clauses that assign variables

	mu   sync.Mutex
	made map[*hook]*probes.State // one for all probes that need it
}

// A probe is one declaration.
type probe struct {
	name, help string // the name with module and function, if it has them
	in         []param
	out        []param
	hooks      [][]*hook // alternatives, each of hooks that are joined
}

// A param is an argument of a probe.
type param struct {
	typ, name string
	user      bool // whether it is an address of the process
	from      int  // of what scripts see: which raw argument it is made of
}

// A hook is a probe of another provider and what is made of its firing.
type hook struct {
	probe  probes.Probe
	when   string
	values []string
	then   []string
	uses   int // how many arguments the text names: one more than the highest args[]
}

// find returns what declares a probe; nil if nothing does.
func (p *provider) find(q probes.Probe) *probe {
	i := slices.IndexFunc(p.probes, func(d *probe) bool { return probeOf(q.Provider, d.name) == q })
	if i < 0 {
		return nil
	}
	return p.probes[i]
}

// shared returns the state that s notes, the same for all who need it.
func (p *provider) shared(s *hook, on *probes.Site) *probes.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		p.made = map[*hook]*probes.State{}
	}
	if p.made[s] == nil {
		p.made[s] = &probes.State{On: on, When: s.when, Do: s.then}
	}
	return p.made[s]
}

var (
	variable = regexp.MustCompile(`self->(\w+)`)
	assigned = regexp.MustCompile(`self->(\w+)(?:\[[^\]]*\])?\s*=[^=]`)
)

// reads reports whether h reads a variable that s assigns.
func (h *hook) reads(s *hook) bool {
	for _, m := range assigned.FindAllStringSubmatch(strings.Join(s.then, ";"), -1) {
		for _, n := range variable.FindAllStringSubmatch(h.when+" "+strings.Join(h.values, " "), -1) {
			if m[1] == n[1] {
				return true
			}
		}
	}
	return false
}

// parse reads the text of a provider.
func parse(file, text string) (*provider, error) {
	r := &reader{file: file, text: text}
	p := r.provider()
	if r.err != nil {
		return nil, r.err
	}
	return p, nil
}

// A reader reads a text from left to right. After the first mistake it reads
// nothing more.
type reader struct {
	file, text string
	at         int
	comment    string // the last one, if nothing stands between
	err        error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		line := 1 + strings.Count(r.text[:min(r.at, len(r.text))], "\n")
		r.err = fmt.Errorf("%s:%d: %s", r.file, line, fmt.Sprintf(format, args...))
		r.at = len(r.text)
	}
}

// skip passes over blanks and comments.
func (r *reader) skip() {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			r.at++
		case strings.HasPrefix(rest, "/*"):
			text, _, closed := strings.Cut(rest[2:], "*/")
			if !closed {
				r.fail("a comment has no end")
				return
			}
			r.comment = blurb(text)
			r.at += len("/*") + len(text) + len("*/")
		default:
			return
		}
	}
}

// blurb makes one line of a comment, without the stars before its lines.
func blurb(comment string) string {
	lines := strings.Split(comment, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimSpace(l), "*")
	}
	return strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
}

// got passes over s if it is next.
func (r *reader) got(s string) bool {
	r.skip()
	if !strings.HasPrefix(r.text[r.at:], s) {
		return false
	}
	r.at += len(s)
	return true
}

func (r *reader) want(s string) {
	if !r.got(s) {
		r.fail("%q is missing", s)
	}
}

// word reads up to a blank or one of ends.
func (r *reader) word(ends string) string {
	r.skip()
	n := strings.IndexAny(r.text[r.at:], " \t\n"+ends)
	if n <= 0 {
		r.fail("a name is missing")
		return ""
	}
	w := r.text[r.at : r.at+n]
	r.at += n
	return w
}

// until reads what stands before end outside of brackets, and passes over end.
func (r *reader) until(end byte) string {
	depth := 0
	for i := r.at; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == end && depth == 0:
			s := r.text[r.at:i]
			r.at = i + 1
			return strings.Join(strings.Fields(s), " ")
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
	}
	r.fail("%q is missing", string(end))
	return ""
}

// list splits at the commas outside of brackets.
func list(s string, sep byte) []string {
	var parts []string
	depth, from := 0, 0
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c == sep && depth == 0:
			add(s[from:i])
			from = i + 1
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
	}
	add(s[from:])
	return parts
}

func (r *reader) provider() *provider {
	r.want("provider")
	p := &provider{help: r.comment, name: r.word("{")}
	r.want("{")
	for r.comment = ""; r.err == nil && !r.got("}"); r.comment = "" {
		if r.got("probe ") {
			p.probes = append(p.probes, r.probe())
		} else {
			p.states = append(p.states, r.hook(true))
		}
	}
	r.want(";")
	slices.SortStableFunc(p.probes, func(a, b *probe) int { return strings.Compare(a.name, b.name) })
	return p
}

func (r *reader) probe() *probe {
	p := &probe{help: r.comment, name: r.word("(")}
	if part := strings.Split(p.name, ":"); len(part) != 1 && (len(part) != 3 || slices.Contains(part, "")) {
		r.fail("%s: a probe has a name, or module, function and name", p.name)
	}
	r.want("(")
	p.in = r.params(p.name)
	if p.out = slices.Clone(p.in); r.got(":") {
		r.want("(")
		p.out = r.params(p.name)
	}
	for i := range p.out {
		p.out[i].from = slices.IndexFunc(p.in, func(a param) bool { return a.name == p.out[i].name })
		if p.out[i].from < 0 {
			r.fail("%s is made of nothing: no raw argument has this name", p.out[i].name)
			return p
		}
	}
	for next := r.got("="); next && r.err == nil; next = r.got("|") {
		joined := []*hook{r.hook(false)}
		for r.got("+") {
			joined = append(joined, r.hook(false))
		}
		for _, h := range joined {
			if r.err == nil && len(h.values) != len(p.in) {
				r.fail("%s gives %d arguments of %d", h.probe, len(h.values), len(p.in))
			}
		}
		p.hooks = append(p.hooks, joined)
	}
	r.want(";")
	if p.hooks == nil {
		r.fail("%s is made of nothing", p.name)
	}
	return p
}

// params reads a list of parameters behind its bracket.
func (r *reader) params(probe string) []param {
	var params []param
	for _, text := range list(r.until(')'), ',') {
		user := strings.HasPrefix(text, "user ")
		text = strings.TrimPrefix(text, "user ")
		end := strings.LastIndexAny(text, " *") + 1
		if end == 0 || end == len(text) {
			r.fail("%s: an argument needs a type and a name: %s", probe, text)
			return nil
		}
		params = append(params, param{typ: strings.TrimSpace(text[:end]), name: text[end:], user: user})
	}
	return params
}

// hook reads a hook. One that only notes something is a clause of D and takes no
// semicolon.
func (r *reader) hook(state bool) *hook {
	part := strings.Split(r.word("/({;+|"), ":")
	if len(part) != 4 {
		r.fail("a hook has four parts: provider:module:function:name")
		return &hook{}
	}
	h := &hook{probe: probes.Probe{Provider: part[0], Module: part[1], Function: part[2], Name: part[3]}}
	if r.skip(); r.got("/") {
		h.when = r.until('/')
	}
	if !state && r.got("(") {
		h.values = list(r.until(')'), ',')
	}
	if r.got("{") {
		h.then = list(r.until('}'), ';')
	} else if state {
		r.fail("%s notes nothing", h.probe)
	}
	for _, text := range append([]string{h.when}, append(h.values, h.then...)...) {
		h.uses = max(h.uses, named(text))
	}
	return h
}

// named is one more than the highest number of args[] in text. All texts are read at
// every start, so this is no regular expression.
func named(text string) int {
	most := 0
	for {
		before, rest, found := strings.Cut(text, "args[")
		if !found {
			return most
		}
		number, _, closed := strings.Cut(rest, "]")
		n, err := strconv.Atoi(number)
		if closed && err == nil && strings.TrimRightFunc(before, isWord) == before {
			most = max(most, n+1)
		}
		text = rest
	}
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
