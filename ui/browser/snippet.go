package browser

import (
	"fmt"
	"slices"
	"strings"

	"dscope.dev/engine/trace"
)

// latency returns clauses that measure how long what p enters or leaves takes, by program;
// description writes a probe as the script names it.
//
// Of a function that calls itself only one call can be kept in a variable. Of a process it is
// the outer one, which has the others in it: while it is under way the stack is below where it
// was when that call began. (To count the depth instead would never measure again once a
// return is missed, as those that an exception passes by.) The stack of the kernel nobody
// tells, so there it is the inner one.
func latency(p trace.Probe, description func(trace.Probe) string) string {
	entry, end := p, p
	entry.Name, end.Name = "entry", "return"
	form := plainLatency
	switch {
	case strings.HasPrefix(p.Provider, "pid"):
		form = outerLatency
	case p.Provider != "syscall":
		form = innerLatency
	}
	return strings.NewReplacer("ENTRY", description(entry), "RETURN", description(end), "NAME", subject(p)).Replace(form)
}

// The forms of what latency returns.
const (
	plainLatency = `ENTRY
{
	self->NAME_ts = timestamp;
}

` + plainEnd

	plainEnd = `RETURN
/self->NAME_ts != 0/
{
	@NAME[execname] = quantize(timestamp - self->NAME_ts);
	self->NAME_ts = 0;
}`

	innerLatency = `ENTRY
{
	/* of a function that calls itself, the innermost call alone is measured */
	self->NAME_ts = timestamp;
}

` + plainEnd

	outerLatency = `ENTRY
/self->NAME_ts == 0 || uregs[R_SP] >= self->NAME_sp/
{
	/* of a function that calls itself, the outermost call is measured: its stack begins highest */
	self->NAME_ts = timestamp;
	self->NAME_sp = uregs[R_SP];
}

RETURN
/self->NAME_ts != 0 && uregs[R_SP] >= self->NAME_sp/
{
	@NAME[execname] = quantize(timestamp - self->NAME_ts);
	self->NAME_ts = 0;
}`
)

// subject names in a script what p is about. It tells a function from a system call of
// that name and from those of other files: a thread is in read(2) within libc's read(),
// and one variable for both would hold when the inner one began.
func subject(p trace.Probe) string {
	switch {
	case p.Function == "":
		return identifier(p.Name)
	case p.Provider == "syscall":
		return identifier(p.Function)
	}
	return identifier(p.Module + "_" + p.Function)
}

// identifier makes a name of D of the name of a function, or of an argument.
func identifier(name string) string {
	out := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if out == "" || out[0] >= '0' && out[0] <= '9' {
		out = "_" + out
	}
	return out
}

// argument returns a clause that shows what argument n of a probe is like: the distribution
// of a number, how often each string is met. why says why there is none of another type.
func argument(pattern string, p trace.Probe, n int, a trace.Arg) (clause, why string) {
	name := a.Name
	if name == "" {
		name = fmt.Sprintf("arg%d", n)
	}
	name = identifier(subject(p) + "_" + name) // read's count is not write's
	words := strings.Fields(strings.ReplaceAll(a.Type, "*", " * "))
	kind := strings.Join(words, " ")
	fill := ""
	switch {
	case kind == "string":
		fill = fmt.Sprintf("@%s[args[%d]] = count();", name, n)
	case kind == "char *", kind == "const char *":
		of := fmt.Sprintf("stringof(args[%d])", n)
		if p.Provider == "syscall" || strings.HasPrefix(p.Provider, "pid") {
			of = fmt.Sprintf("copyinstr(arg%d)", n)
		}
		fill = fmt.Sprintf("@%s[%s] = count();", name, of)
	case strings.HasSuffix(kind, "*"):
		to := strings.TrimSuffix(kind, " *")
		if words := strings.Fields(to); !slices.Contains(words, "struct") && !slices.Contains(words, "union") || strings.HasSuffix(to, "*") {
			return "", fmt.Sprintf("args[%d] is a %s, an address: its number says little", n, kind)
		}
		return "", fmt.Sprintf("args[%d] points to a %s: what it is like is in its members, args[%[1]d]->…", n, to)
	case strings.HasPrefix(kind, "struct "), strings.HasPrefix(kind, "union "):
		return "", fmt.Sprintf("args[%d] is a %s: what it is like is in its members, args[%[1]d].…", n, kind)
	case kind == "float", kind == "double", kind == "long double":
		return "", fmt.Sprintf("args[%d] is a %s, and D has no such numbers", n, kind)
	case strings.HasSuffix(kind, "]"), strings.Contains(kind, "("):
		return "", fmt.Sprintf("args[%d] is a %s, no number", n, kind)
	default:
		fill = fmt.Sprintf("@%s[execname] = quantize(args[%d]);", name, n)
	}
	return pattern + "\n{\n\t" + fill + "\n}", ""
}
