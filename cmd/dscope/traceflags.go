package main

import (
	"slices"

	"dscope.dev/cmd/dscope/usage"
)

// traceFlags are those of dtrace(1).
var traceFlags = []usage.Flag{
	{Name: "-b", Arg: "bufsz", Help: "set the size of each CPU's record buffer"},
	{Name: "-c", Arg: "cmd", Takes: usage.Line, Help: "run a command, and trace until it ends; $target is its process id"},
	{Name: "-C", Help: "preprocess the sources as C is, without a compiler at hand"},
	{Name: "-D", Arg: "name[=value]", Help: "define a name for -C"},
	{Name: "-e", Help: "stop after compiling"},
	{Name: "-f", Arg: "[[provider:]module:]func", Takes: usage.Function, Help: "enable the probes of a function"},
	{Name: "-F", Help: "indent output by function entry and return"},
	{Name: "-G", Help: "write what a program is linked with that defines the probes of -s"},
	{Name: "-h", Help: "write the C header by which a program defines the probes of -s"},
	{Name: "-H", Help: "list the headers that -C includes; with user@host, and as the first words, trace on that machine: see dscope help machines"},
	{Name: "-i", Arg: "probe-id", Help: "enable the probe with this id"},
	{Name: "-I", Arg: "path", Takes: usage.Folder, Help: "look for headers in this folder too"},
	{Name: "-l", Help: "list the probes"},
	{Name: "-L", Arg: "path", Takes: usage.Folder, Help: "look for libraries in this folder too"},
	{Name: "-m", Arg: "[provider:]module", Takes: usage.Module, Help: "enable the probes of a module"},
	{Name: "-n", Arg: "[[[provider:]module:]func:]name", Takes: usage.Probe, Help: "enable the probes of this name"},
	{Name: "-o", Arg: "output", Takes: usage.File, Help: "append output to a file"},
	{Name: "-O", Help: "with -x oformat=json, xml or html, end with the aggregations"},
	{Name: "-p", Arg: "pid", Takes: usage.Process, Help: "trace until this process ends; $target is its id"},
	{Name: "-P", Arg: "provider", Takes: usage.Provider, Help: "enable the probes of a provider"},
	{Name: "-q", Help: "print only what the script prints"},
	{Name: "-s", Arg: "script", Takes: usage.Script, Help: "read a script from a file; - is standard input"},
	{Name: "-S", Help: "show the intermediate form and the eBPF"},
	{Name: "-U", Arg: "name", Help: "undefine a name for -C"},
	{Name: "-v", Help: "say how probes are attached; with -l, show arguments"},
	{Name: "-V", Help: "print the version"},
	{Name: "-w", Help: "allow destructive actions"},
	{Name: "-x", Arg: "opt[=val]", Takes: usage.Option, Help: "set an option; -x vmlinux=PATH names the file with the kernel's " +
		"debug information, which tells of functions that were inlined (kinst::FUNC:entry, stack()); it is looked for where " +
		"\"dscope doctor -v\" says"},
	{Name: "-X", Arg: "a|c|s|t", Help: "how much of ISO C -C keeps to"},
	{Name: "-Z", Help: "allow descriptions that match no probe, and wait for kernel modules that bring some"},
	{Name: "--metrics", Arg: "addr", Help: monitorHelp[0]},
	{Name: "--otlp", Arg: "url", Help: monitorHelp[1]},
	{Name: "--metrics-keys", Arg: "n", Help: monitorHelp[2]},

	{Name: "-3", Arg: "2", Hidden: true},
	{Name: "-6", Arg: "4", Hidden: true}, // the only data model
	{Name: "-A", Hidden: true},
	{Name: "-a", Hidden: true},
	{Name: "-B", Hidden: true},
}

func traceCommand() usage.Command {
	return usage.Command{
		Name: "trace", Brief: "trace as dtrace(1) does", Says: "dtrace",
		Forms: []string{"[-CeFGhHlOqSvVwZ] [-64] [-b bufsz] [-c cmd] [-o output]\n" +
			"    [-p pid] [-x opt[=val]] [-D name[=value]] [-U name] [-I path]\n" +
			"    [-L path] [-X a|c|s|t]\n" +
			"    [-P provider [[predicate] action]]\n" +
			"    [-m [provider:]module [[predicate] action]]\n" +
			"    [-f [[provider:]module:]func [[predicate] action]]\n" +
			"    [-n [[[provider:]module:]func:]name [[predicate] action]]\n" +
			"    [-i probe-id [[predicate] action]]\n" +
			"    [-s script] [--metrics addr] [--otlp url] [--metrics-keys n]\n" +
			"    [--fleet hosts] [--nats url] [--creds file] [--ca file]\n" +
			"    [--cert file] [--key file]\n" +
			"    [args ...]"},
		About: "Is dtrace(1): its flags, its output, its exit codes. A link to dscope that is called dtrace is the same.",
		After: "Exit status is that of exit(), 1 if something failed, 2 if the command line made no sense.",
		Flags: slices.Concat(traceFlags, fleetFlags), Words: usage.File, Run: traceMain,
		Topics: []string{"examples", "output", "options", "machines", "fleets"},
	}
}
