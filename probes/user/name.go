package user

import (
	"fmt"
	"strconv"
	"strings"

	"dscope.dev/probes"
)

// A providerName is what a provider's name in a description means.
type providerName struct {
	pid  int    // the process; 0 if the name is a glob
	glob string // otherwise what the names of processes are compared with
	all  bool   // whether that is pid*, every process
}

// parseName reads the provider part of a description.
func parseName(text string) (n providerName, ok bool) {
	name, isGlob := glob(text)
	switch digits, ours := strings.CutPrefix(name, Name); {
	case text == every || name == every && !isGlob:
		return providerName{all: true}, true
	case !isGlob && ours:
		n.pid, ok = parsePID(digits)
		return n, ok
	case isGlob && strings.HasPrefix(text, Name):
		return providerName{glob: text}, true
	case isGlob:
		// p*d1234 is one process, whatever it may be called.
		i := len(text)
		for i > 0 && text[i-1] >= '0' && text[i-1] <= '9' {
			i--
		}
		pid, ok := parsePID(text[i:])
		return providerName{pid: pid}, ok && probes.Glob(text, Name+text[i:])
	}
	return n, false
}

func parsePID(digits string) (int, bool) {
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	return int(n), err == nil
}

// A kind says which probes of a function a name covers.
type kind struct {
	entry, back bool
	offset      uint64
	one         bool   // whether offset is asked for
	glob        string // of the offsets that are asked for; "*" for all
}

// parseProbeName reads the name part of a description.
func parseProbeName(text string) (k kind, err error) {
	name, isGlob := glob(text)
	switch {
	case name == "":
		return kind{entry: true, back: true, glob: "*"}, nil
	case isGlob:
		return kind{entry: probes.Glob(text, "entry"), back: probes.Glob(text, "return"), glob: text}, nil
	case name == "entry":
		return kind{entry: true}, nil
	case name == "return":
		return kind{back: true}, nil
	}
	k.offset, err = strconv.ParseUint(name, 16, 64)
	if err != nil {
		return k, refuse("D_PROC_NAME", fmt.Sprintf("the pid provider has no probe called %s", name),
			"there are entry, return, and offsets in hexadecimal digits")
	}
	k.one = true
	return k, nil
}

// A Refusal is a probe of a process that cannot be had, with the tag by which
// dtrace(1) tells why, and what to write instead.
type Refusal struct {
	tag, msg, hint string
}

func refuse(tag, msg, hint string) *Refusal { return &Refusal{tag, msg, hint} }

// Error says why.
func (r *Refusal) Error() string { return r.msg }

// Tag returns D_PROC_…
func (r *Refusal) Tag() string { return r.tag }

// Hint says what to write instead; it may be empty.
func (r *Refusal) Hint() string { return r.hint }
