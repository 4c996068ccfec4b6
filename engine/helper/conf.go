package helper

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/dlang/near"
	"dscope.dev/dlang/option"
	"dscope.dev/engine/rights"
)

// The rules are lines, as those of dtrace.conf and sudoers are: one rule is one line, so a
// complaint and dscope doctor can name it by its number. A table format would need many
// lines for a rule, and its library does not tell where a value stands.
//
//	# who             may what            within what
//	group dscope      own                 cost=10% runs=4 memory=64m
//	user ada,grace    user                providers=syscall,profile,pid*
//	group wheel       kernel destructive
//	user mallory      nothing
//	all               own                 runs=1
//
// The first rule that names the asker counts, and no other. Who is in none may do nothing,
// and where there is no file nobody may. Root needs no rule.

// Path is where the rules are.
const Path = "/etc/dscope.conf"

// A Rule says what some may do.
type Rule struct {
	Line          int
	Users, Groups []string
	All           bool
	Rights        rights.Rights // without those who have them
}

// Rules are those of a file, in its order.
type Rules struct {
	File   string
	Absent bool // there is no such file, and so no rule
	List   []Rule
}

// A SyntaxError is that a line of the rules makes no sense.
type SyntaxError struct {
	File string
	Line int
	Msg  string
	Near string // what was meant, perhaps
}

func (e *SyntaxError) Error() string {
	text := fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	if e.Near != "" {
		text += "; did you mean " + e.Near + "?"
	}
	return text
}

// Load reads the rules of a file, which need not be there. A file that others than root
// could have written is refused: it would give whoever writes it all rights.
func Load(path string) (*Rules, error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return &Rules{File: path, Absent: true}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := trusted(path, info); err != nil {
		return nil, err
	}
	return Parse(path, f)
}

// mostRules is the size of a file of rules in bytes, at most: a rule that is read in part
// could be another one.
const mostRules = 1 << 20

// Parse reads rules. What makes no sense is a *SyntaxError.
func Parse(name string, from io.Reader) (*Rules, error) {
	b, err := io.ReadAll(io.LimitReader(from, mostRules+1))
	if err != nil {
		return nil, err
	}
	if len(b) > mostRules {
		return nil, fmt.Errorf("%s: it has more than %d bytes", name, mostRules)
	}
	r := &Rules{File: name}
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		text, _, _ := strings.Cut(line, "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		p := ruleParser{rule: Rule{Line: n}}
		if err := p.parse(words); err != nil {
			err.File, err.Line = name, n
			return nil, err
		}
		r.List = append(r.List, p.rule)
	}
	return r, nil
}

// A ruleParser reads one rule.
type ruleParser struct {
	rule  Rule
	given []string // rights, and names of limits
}

var whos = []string{"user", "group", "all"}

var limits = []string{"providers", "cost", "runs", "memory"}

func wrong(format string, args ...any) *SyntaxError {
	return &SyntaxError{Msg: fmt.Sprintf(format, args...)}
}

func (p *ruleParser) parse(words []string) *SyntaxError {
	rest := words[1:]
	switch who := words[0]; who {
	case "all":
		p.rule.All = true
	case "user", "group":
		if len(rest) == 0 {
			return wrong("%s of whom? a name follows, or several with commas", who)
		}
		names := strings.Split(rest[0], ",")
		if slices.Contains(names, "") {
			return wrong("%s %s: a name is missing; names are joined by commas alone", who, rest[0])
		}
		if rest = rest[1:]; who == "user" {
			p.rule.Users = names
		} else {
			p.rule.Groups = names
		}
	default:
		err := wrong("a rule begins with user, group or all, and not with %q", who)
		err.Near = near.Name(who, whos)
		return err
	}
	if len(rest) == 0 {
		return wrong("a right is missing: %s, or nothing", strings.Join(rights.Names, ", "))
	}
	for _, word := range rest {
		if err := p.word(word); err != nil {
			return err
		}
	}
	return p.settle()
}

func (p *ruleParser) word(word string) *SyntaxError {
	name, value, limit := strings.Cut(word, "=")
	if slices.Contains(p.given, name) {
		return wrong("%s stands twice", name)
	}
	p.given = append(p.given, name)
	if limit {
		return p.limit(name, value)
	}
	r := &p.rule.Rights
	switch rights.Right(word) {
	case rights.Own:
		r.Own = true
	case rights.User:
		r.Own, r.User = true, true
	case rights.Kernel:
		r.Own, r.User, r.Kernel = true, true, true
	case rights.Destructive:
		r.Destructive = true
	case "nothing":
	default:
		err := wrong("there is no right %q: there are %s, and nothing", word, strings.Join(rights.Names, ", "))
		if err.Near = near.Name(word, append(rights.Names[:len(rights.Names):len(rights.Names)], "nothing")); err.Near == "" && slices.Contains(limits, word) {
			err.Near = word + "="
		}
		return err
	}
	return nil
}

func (p *ruleParser) limit(name, value string) *SyntaxError {
	r := &p.rule.Rights
	var err error
	switch name {
	case "providers":
		r.Providers = strings.Split(value, ",")
		if slices.Contains(r.Providers, "") {
			return wrong("providers=%s: a name is missing; names and patterns are joined by commas alone", value)
		}
	case "cost":
		if r.Cost, err = option.Share(value); err != nil || r.Cost == 0 && value != "off" {
			return wrong("cost=%s: it takes a share of all CPUs, such as 10%%, or off", value)
		}
	case "runs":
		if r.Runs, err = strconv.Atoi(value); err != nil || r.Runs < 1 {
			return wrong("runs=%s: it takes a number, of runs at once", value)
		}
	case "memory":
		var n uint64
		if n, err = sizeOf(value); err != nil || n < 1<<20 {
			return wrong("memory=%s: it takes a size of 1m or more, such as 64m or 1g", value)
		}
		r.Memory = int64(n)
	default:
		e := wrong("there is no limit %q: there are %s", name, strings.Join(limits, ", "))
		e.Near = near.Name(name, limits)
		return e
	}
	return nil
}

// sizeOf reads a size: 64m.
func sizeOf(text string) (uint64, error) {
	shift := 0
	if n := len(text); n > 0 {
		if i := strings.IndexByte("kmg", text[n-1]|0x20); i >= 0 {
			shift, text = 10*(i+1), text[:n-1]
		}
	}
	n, err := strconv.ParseUint(text, 10, 32)
	return n << shift, err
}

// settle refuses rights that mean nothing together.
func (p *ruleParser) settle() *SyntaxError {
	r := &p.rule.Rights
	nothing := slices.Contains(p.given, "nothing")
	switch {
	case nothing && (r.Own || r.Destructive):
		return wrong("nothing stands alone")
	case !nothing && r.None() && r.Destructive:
		return wrong("destructive goes with own, user or kernel: it says that these may change something")
	case !nothing && r.None():
		return wrong("a right is missing: %s, or nothing", strings.Join(rights.Names, ", "))
	}
	return nil
}

// Of returns what somebody may do.
func (r *Rules) Of(a *Asker) *rights.Rights {
	out := &rights.Rights{UID: a.UID, GID: a.GID, Name: a.Name()}
	if a.UID == 0 {
		out.Own, out.User, out.Kernel, out.Destructive = true, true, true, true
		out.Source = "root needs no rule"
		return out
	}
	for i := range r.List {
		rule := &r.List[i]
		why := rule.names(a)
		if why == "" {
			continue
		}
		given := rule.Rights
		given.UID, given.GID, given.Name = out.UID, out.GID, out.Name
		given.Source = fmt.Sprintf("%s:%d: %s", r.File, rule.Line, why)
		return &given
	}
	out.Source = r.File + ": no rule names " + a.Name()
	if r.Absent {
		out.Source = "there is no " + r.File + ", and without it only root may trace"
	}
	return out
}

// String spells a rule.
func (r *Rule) String() string {
	var words []string
	switch {
	case r.All:
		words = append(words, "all")
	case r.Users != nil:
		words = append(words, "user", strings.Join(r.Users, ","))
	default:
		words = append(words, "group", strings.Join(r.Groups, ","))
	}
	words = append(words, r.Rights.Words())
	for _, l := range r.Rights.Limits() {
		words = append(words, l.Name+"="+l.Value)
	}
	return strings.Join(words, " ")
}

// names says why a rule is about somebody; "" if it is not.
func (r *Rule) names(a *Asker) string {
	for _, name := range r.Users {
		if name == a.User && name != "" || name == strconv.Itoa(a.UID) {
			return "user " + name
		}
	}
	for _, name := range r.Groups {
		if slices.Contains(a.Groups, name) {
			return "group " + name
		}
	}
	if r.All {
		return "all"
	}
	return ""
}
