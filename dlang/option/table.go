package option

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Time says when an option may be set.
type Time uint8

// The times, after the DTrace guides.
const (
	CommandLine Time = iota // with -x alone
	Compile                 // for the compiler: on the command line or in a pragma
	Runtime                 // before tracing starts
	Dynamic                 // while tracing too, with setopt()
)

// A Kind says what values an option takes.
type Kind uint8

// The kinds of values.
const (
	OnOff  Kind = iota // none, or on and off
	Bytes              // bytes, with k, m, g or t
	Every              // a time or frequency: 100ms, 10hz
	Number             // an integer
	Text               // a string
	OneOf              // one of a few words
)

// A Spec is what is known of one option.
type Spec struct {
	Name  string
	Time  Time
	Kind  Kind
	Words []string // of OneOf
	Help  string
}

// table holds every option of the DTrace guides by name.
var table = func() map[string]*Spec {
	list := []Spec{
		{"aggpercpu", Compile, OnOff, nil, "print what each CPU aggregated as well"},
		{"airbag", Compile, Text, nil, "detach a run whose programs take more than this of all CPUs for some seconds: 20%, or off"},
		{"amin", Compile, Text, nil, "least stability of what a script uses"},
		{"argref", Compile, OnOff, nil, "let arguments stay unread"},
		{"container", CommandLine, Text, nil, "let only what happens in this container fire, and have $target be its first process: its name, pod/name, namespace/pod, or the beginning of its ID; not of DTrace"},
		{"core", Compile, OnOff, nil, "end with a core dump of dscope itself"},
		{"cpp", Compile, OnOff, nil, "run the preprocessor first"},
		{"cppargs", CommandLine, Text, nil, "arguments for the preprocessor"},
		{"cpphdrs", CommandLine, OnOff, nil, "list the headers that are included"},
		{"cpppath", CommandLine, Text, nil, "the preprocessor to run"},
		{"ctfpath", CommandLine, Text, nil, "where the kernel's types are"},
		{"ctypes", Compile, Text, nil, "write the C types to a file"},
		{"debug", Compile, OnOff, nil, "tell what the compiler does"},
		{"debugassert", Compile, Text, nil, "check the compiler itself"},
		{"defaultargs", Compile, OnOff, nil, "let missing arguments be 0 or empty"},
		{"define", CommandLine, Text, nil, "define a name for the preprocessor"},
		{"disasm", Compile, Text, nil, "what -S lists"},
		{"dofstashpath", Compile, Text, nil, "where probes of processes are kept"},
		{"dropstatus", Compile, Number, nil, "the exit status of a run that has lost something and would end with 0: 1 to 255"},
		{"droptags", Compile, OnOff, nil, "show the kind of drops"},
		{"dtypes", Compile, Text, nil, "write the D types to a file"},
		{"empty", Compile, OnOff, nil, "allow a script without a clause"},
		{"encoding", CommandLine, OneOf, []string{"ascii", "utf8"}, "what packed histograms are drawn with: utf8 unless the terminal is known to lack it"},
		{"errtags", Compile, OnOff, nil, "show the tags of errors"},
		{"examples", Compile, Number, nil, "keep so many firings of each bucket, CPU and interval, with all that is known of them"},
		{"estimate", Compile, Text, nil, "count before tracing begins what a run would take, and start none that takes more than this of all CPUs unasked: 10%, as the workbench has it for wide scripts, or off"},
		{"evaltime", Compile, OneOf, []string{"exec", "main", "preinit", "postinit"}, "where -c holds the command until tracing begins: main unless said otherwise"},
		{"incdir", CommandLine, Text, nil, "a folder with headers"},
		{"iregs", Compile, Number, nil, "integer registers of the compiler"},
		{"kdefs", Compile, OnOff, nil, "kernel symbols must have definitions"},
		{"knodefs", Compile, OnOff, nil, "kernel symbols may lack definitions"},
		{"late", Compile, OneOf, []string{"dynamic", "static"}, "when translators are bound"},
		{"lazyload", Compile, OnOff, nil, "load late"},
		{"ldpath", CommandLine, Text, nil, "the linker to run"},
		{"libdir", Compile, Text, nil, "a folder with libraries"},
		{"linkmode", Compile, OneOf, []string{"kernel", "primary", "dynamic", "static"}, "how kernel symbols are bound"},
		{"linknommap", Compile, OnOff, nil, "link without a mapping"},
		{"linktype", Compile, OneOf, []string{"elf", "dof"}, "what the linker writes"},
		{"modpath", CommandLine, Text, nil, "where kernel modules are"},
		{"nolibs", Compile, OnOff, nil, "leave the libraries out"},
		{"pgmax", Compile, Number, nil, "processes held at once"},
		{"preallocate", Compile, Bytes, nil, "memory to take first"},
		{"procfspath", CommandLine, Text, nil, "where /proc is"},
		{"pspec", Compile, OnOff, nil, "allow provider:module:function:name in -P and the like"},
		{"setenv", CommandLine, Text, nil, "NAME=VALUE for the environment of the command of -c"},
		{"stdc", CommandLine, OneOf, []string{"a", "c", "s", "t"}, "the C that the preprocessor takes"},
		{"strip", Compile, OnOff, nil, "leave loadable parts only"},
		{"syslibdir", Compile, Text, nil, "the folder with the system's libraries"},
		{"sysslice", Compile, Text, nil, "the slice of the system"},
		{"tree", Compile, Number, nil, "print the tree"},
		{"tregs", Compile, Number, nil, "tuple registers of the compiler"},
		{"udefs", Compile, OnOff, nil, "symbols of processes must have definitions"},
		{"undef", CommandLine, Text, nil, "undefine a name for the preprocessor"},
		{"unodefs", Compile, OnOff, nil, "symbols of processes may lack definitions"},
		{"unsetenv", CommandLine, Text, nil, "a name that the environment of the command of -c lacks"},
		{"useruid", Compile, Number, nil, "the first user who is no system account"},
		{"verbose", Compile, OnOff, nil, "list the code"},
		{"version", Compile, Text, nil, "the version of D"},
		{"vmlinux", CommandLine, Text, nil, "the file of the kernel's debug information; not of DTrace"},
		{"zdefs", Compile, OnOff, nil, "allow descriptions that match nothing"},

		{"aggsize", Runtime, Bytes, nil, "memory for each aggregation on each CPU: a key takes of it what it holds; by default no more than 131072 keys of all aggregations, but 8192 of each, are made room for"},
		{"bpflog", Runtime, OnOff, nil, "show what the verifier says"},
		{"bpflogsize", Runtime, Bytes, nil, "memory for what the verifier says"},
		{"bufpolicy", Runtime, OneOf, []string{"switch", "fill", "ring"}, "what happens when a buffer is full"},
		{"bufresize", Runtime, OneOf, []string{"auto", "manual"}, "what happens when memory is short"},
		{"bufsize", Runtime, Bytes, nil, "the principal buffer of each CPU; 4m, and up to 16m where memory is plenty"},
		{"cleanrate", Runtime, Every, nil, "how often speculations are cleaned"},
		{"cpu", Runtime, Number, nil, "the one CPU to trace"},
		{"deadman", Runtime, Every, nil, "how long the machine may be unresponsive before tracing is aborted: 30s unless said otherwise, for ever with destructive; not of DTrace"},
		{"destructive", Runtime, OnOff, nil, "allow destructive actions"},
		{"dynvarsize", Runtime, Bytes, nil, "memory for dynamic variables"},
		{"followfork", Runtime, OnOff, nil, "let the probes of a process fire in those that it forks, too; not of DTrace"},
		{"grabanon", Runtime, OnOff, nil, "take over anonymous tracing"},
		{"jstackframes", Runtime, Number, nil, "frames of jstack()"},
		{"jstackstrsize", Runtime, Bytes, nil, "memory for the names of jstack()"},
		{"lockmem", CommandLine, Text, nil, "limit of locked memory"},
		{"maxframes", Runtime, Number, nil, "most frames of a stack"},
		{"noinline", Runtime, OnOff, nil, "leave inlined functions out of stacks; not of DTrace"},
		{"noresolve", Runtime, OnOff, nil, "do not name addresses of processes"},
		{"nounwind", Runtime, OnOff, nil, "walk stacks of processes by frame pointer only; not of DTrace"},
		{"nspec", Runtime, Number, nil, "speculations at once"},
		{"pcapsize", Runtime, Bytes, nil, "bytes of a packet that pcap() keeps"},
		{"scratchsize", Runtime, Bytes, nil, "memory of alloca() in a clause"},
		{"self", Runtime, OnOff, nil, "let in the firings of dscope itself; not of DTrace"},
		{"specsize", Runtime, Bytes, nil, "the buffer of a speculation"},
		{"stackframes", Runtime, Number, nil, "frames of stack()"},
		{"statusrate", Runtime, Every, nil, "how often drops are looked for"},
		{"strsize", Runtime, Bytes, nil, "the longest string"},
		{"temporal", Runtime, OnOff, nil, "print in the order of time across CPUs; off unless asked for, as each record then reads the clock"},
		{"ustackframes", Runtime, Number, nil, "frames of ustack()"},

		{"agghist", Dynamic, OnOff, nil, "show a bar for each key"},
		{"aggpack", Dynamic, OnOff, nil, "pack histograms into one line"},
		{"aggrate", Dynamic, Every, nil, "how often aggregations are read"},
		{"aggsortkey", Dynamic, OnOff, nil, "sort aggregations by key"},
		{"aggsortkeypos", Dynamic, Number, nil, "the key to sort by"},
		{"aggsortpos", Dynamic, Number, nil, "the aggregation to sort by"},
		{"aggsortrev", Dynamic, OnOff, nil, "sort aggregations from the end"},
		{"aggzoom", Dynamic, OnOff, nil, "scale bars to the largest"},
		{"flowindent", Dynamic, OnOff, nil, "indent by function calls"},
		{"oformat", Runtime, Text, nil, "the form of the output: text, json, xml, html or ndjson"},
		{"printsize", Dynamic, Bytes, nil, "most bytes that print() shows"},
		{"quiet", Dynamic, OnOff, nil, "print only what the script prints"},
		{"quietresize", Dynamic, OnOff, nil, "do not tell of smaller buffers"},
		{"rawbytes", Dynamic, OnOff, nil, "print arrays as bytes"},
		{"stackindent", Dynamic, Number, nil, "columns to indent stacks by"},
		{"switchrate", Dynamic, Every, nil, "how often buffers are read"},
	}
	m := make(map[string]*Spec, len(list))
	for i := range list {
		m[list[i].Name] = &list[i]
	}
	return m
}()

// Names lists all options in order of name.
func Names() []string { return slices.Sorted(maps.Keys(table)) }

// Find returns the option of a name; nil if there is none.
func Find(name string) *Spec { return table[name] }

// Takes returns an error unless value is of the kind that the option takes.
func (o *Spec) Takes(value string) error {
	var err error
	switch o.Kind {
	case OnOff:
		_, err = Flag(value)
	case Bytes:
		_, err = Size(value)
	case Every:
		_, err = Rate(value)
	case Number:
		if value != "" {
			var n int64
			if n, err = strconv.ParseInt(value, 0, 64); n < 0 {
				err = strconv.ErrRange
			}
		}
		if value == "" && o.Time != Dynamic || err != nil {
			return fmt.Errorf("it takes a number, not %q", value)
		}
	case Text:
		if value == "" {
			return fmt.Errorf("it takes a value")
		}
		switch o.Name {
		case "setenv":
			if name, _, ok := strings.Cut(value, "="); !ok || name == "" {
				return fmt.Errorf("it takes NAME=VALUE, not %q", value)
			}
		case "unsetenv":
			if strings.Contains(value, "=") {
				return fmt.Errorf("it takes a name alone, not %q", value)
			}
		}
	case OneOf:
		if !slices.Contains(o.Words, value) {
			return fmt.Errorf("it takes one of %s, not %q", strings.Join(o.Words, ", "), value)
		}
	}
	return err
}

// An Error says why an option cannot be set so.
type Error struct {
	Reason string // as dtrace(1) says it
	Detail string // what would do; may be empty
}

// Error returns the reason and the detail.
func (e *Error) Error() string {
	if e.Detail == "" {
		return e.Reason
	}
	return e.Reason + ": " + e.Detail
}
