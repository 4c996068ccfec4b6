package check

import (
	"slices"
	"strings"
)

// Attributes say how far one can rely on an interface, in DTrace's words: on its
// names, on what its data mean, and on which machines it is the same.
type Attributes struct {
	Name, Data Stability
	Class      Class
}

// A Stability is a promise, the weakest first.
type Stability uint8

// The promises.
const (
	Internal Stability = iota // of DTrace itself
	Private                   // of Linux itself: changes with any release
	Obsolete                  // going away
	External                  // in other hands
	Unstable                  // new: may change with a minor release
	Evolving                  // may change with a minor release, with care
	Stable                    // changes with a major release, if ever
	Standard                  // a standard
)

// A Class says on which machines an interface is the same, the fewest first.
type Class uint8

// The classes.
const (
	ClassUnknown Class = iota
	ClassCPU           // one model of processor
	ClassPlatform
	ClassGroup
	ClassISA    // one set of instructions
	ClassCommon // all
)

var (
	stabilityNames = []string{"Internal", "Private", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard"}
	classNames     = []string{"Unknown", "CPU", "Platform", "Group", "ISA", "Common"}
)

// String returns the name of s: Evolving.
func (s Stability) String() string { return stabilityNames[s] }

// String returns the name of c: ISA.
func (c Class) String() string { return classNames[c] }

// String spells a as a pragma does: Stable/Evolving/Common.
func (a Attributes) String() string {
	return a.Name.String() + "/" + a.Data.String() + "/" + a.Class.String()
}

// Min returns the weaker promise of a and b, each part by itself.
func (a Attributes) Min(b Attributes) Attributes {
	return Attributes{min(a.Name, b.Name), min(a.Data, b.Data), min(a.Class, b.Class)}
}

// Below reports whether some part of a promises less than that of b.
func (a Attributes) Below(b Attributes) bool {
	return a.Name < b.Name || a.Data < b.Data || a.Class < b.Class
}

// ParseAttributes reads what String spells, in any case.
func ParseAttributes(s string) (Attributes, bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return Attributes{}, false
	}
	at := func(names []string, word string) int {
		return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, word) })
	}
	name, data, class := at(stabilityNames, parts[0]), at(stabilityNames, parts[1]), at(classNames, parts[2])
	if name < 0 || data < 0 || class < 0 {
		return Attributes{}, false
	}
	return Attributes{Stability(name), Stability(data), Class(class)}, true
}

// What most things promise.
var (
	mostStable    = Attributes{Standard, Standard, ClassCommon}
	stableCommon  = Attributes{Stable, Stable, ClassCommon}
	evolving      = Attributes{Evolving, Evolving, ClassCommon}
	evolvingISA   = Attributes{Evolving, Evolving, ClassISA}
	unstable      = Attributes{Unstable, Unstable, ClassCommon}
	ofTheKernel   = Attributes{Private, Private, ClassUnknown}
	privateISA    = Attributes{Private, Private, ClassISA}
	unstableNoted = Attributes{Unstable, Unstable, ClassUnknown}
)

// nameAttributes holds what promises less than Stable/Stable/Common among the
// built-in variables and functions.
var nameAttributes = func() map[string]Attributes {
	m := map[string]Attributes{"curthread": {Stable, Private, ClassCommon}}
	for _, name := range strings.Fields("d_path getmajor getminor htonl htonll htons ntohl ntohll ntohs mutex_owned mutex_owner " +
		"mutex_type_adaptive mutex_type_spin rw_iswriter rw_read_held rw_write_held") {
		m[name] = evolving
	}
	return m
}()

// Provided is what a provider promises of the parts of its probes' names and of
// their arguments.
type Provided struct{ Provider, Module, Function, Name, Args Attributes }

// part returns the attributes of a part by its name in a pragma, or nil.
func (p *Provided) part(name string) *Attributes {
	switch name {
	case "provider":
		return &p.Provider
	case "module":
		return &p.Module
	case "function":
		return &p.Function
	case "name":
		return &p.Name
	case "args":
		return &p.Args
	}
	return nil
}

// providerAttributes holds what the providers of DTrace promise, by name; those
// of processes are without their number.
var providerAttributes = map[string]Provided{
	"dtrace":   {stableCommon, ofTheKernel, ofTheKernel, stableCommon, stableCommon},
	"profile":  {evolving, unstableNoted, ofTheKernel, evolving, evolving},
	"cpc":      {evolving, unstableNoted, ofTheKernel, evolving, evolving},
	"syscall":  {evolving, ofTheKernel, privateISA, evolving, privateISA},
	"fbt":      {evolving, ofTheKernel, privateISA, evolving, privateISA},
	"rawfbt":   {evolving, ofTheKernel, privateISA, evolving, privateISA},
	"sdt":      {evolvingISA, ofTheKernel, ofTheKernel, privateISA, privateISA},
	"rawtp":    {evolvingISA, ofTheKernel, ofTheKernel, privateISA, privateISA},
	"io":       {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, evolvingISA},
	"proc":     {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, evolvingISA},
	"sched":    {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, evolvingISA},
	"lockstat": {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, evolvingISA},
	"vminfo":   {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, evolvingISA},
	"sysinfo":  {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, evolvingISA},
	"mib":      {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, evolvingISA},
	"ip":       {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, evolvingISA},
	"tcp":      {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, evolvingISA},
	"udp":      {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, evolvingISA},
	"pid":      {evolvingISA, ofTheKernel, ofTheKernel, evolvingISA, ofTheKernel},
}

// DefaultAttributes is what a script promises that names nothing.
func DefaultAttributes() Attributes { return stableCommon }
