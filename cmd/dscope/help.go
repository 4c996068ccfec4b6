package main

const version = "0.1.0"

const versionLine = "dscope " + version + " (eBPF), D 2.0"

const help = `usage: dscope [-p PID] [--metrics ADDR] [--otlp URL] [script.d]
                             open the workbench, on an empty script or on script.d;
                             with -p on a process, which is $target; what runs is
                             told to Prometheus or OTLP as "dscope trace" does it
       dscope trace FLAGS    trace as dtrace(1) does; "dscope trace" alone lists
                             the flags
       dscope record [-t time] FILE SCRIPT...
                             run scripts and record them; Ctrl-C goes on
       dscope replay [-speed n] FILE
                             open the workbench on a recording; -speed inf
                             shows all of it at once
       dscope export [-f format] [-o file] RECORDING
                             write a recording as text, CSV, JSON, Markdown, folded
                             stacks, pprof, Chrome trace, SVG or HTML; "dscope export
                             --help" lists the formats
       dscope lockstat [-ACEHI] [-s depth] command
                             what the kernel's locks cost while a command runs
       dscope probes [pattern | PID | ./FILE ...]
                             list probes, with their arguments
       dscope plockstat [-ACH] [-n count] [-s depth] [-e secs] command | -p pid
                             show how a process uses its locks
       dscope check [-json] [--portable] [--linux] [path ...]
                             show all mistakes of scripts
       dscope fmt [-l] [-d] [-w] [path ...]
                             lay scripts out
       dscope doctor [-v]    what this kernel and these privileges allow, with a
                             remedy for each no
       dscope config [path | check]
                             print the user's settings and keys, where they are
                             read from, or what of them is wrong
       dscope version
       dscope help

In the workbench, press ? (or F1 while typing) for the keys.
Tracing needs root, or CAP_BPF and CAP_PERFMON.
`

const traceUsage = `usage: dscope trace [-CeFGhHlOqSvVwZ] [-64] [-b bufsz] [-c cmd] [-o output] [-p pid] [-x opt[=val]]
    [-D name[=value]] [-U name] [-I path] [-L path] [-X a|c|s|t]
    [-P provider [[predicate] action]]
    [-m [provider:]module [[predicate] action]]
    [-f [[provider:]module:]func [[predicate] action]]
    [-n [[[provider:]module:]func:]name [[predicate] action]]
    [-i probe-id [[predicate] action]]
    [-s script] [--metrics addr] [--otlp url] [--metrics-keys n] [args ...]

    -b  set the size of each CPU's record buffer
    -c  run a command, and trace until it ends; $target is its process id
    -C  preprocess the sources as C is, without a compiler at hand
    -D  define a name for -C
    -e  stop after compiling
    -f  enable the probes of a function
    -F  indent output by function entry and return
    -G  write what a program is linked with that defines the probes of -s
    -h  write the C header by which a program defines the probes of -s
    -H  list the headers that -C includes
    -i  enable the probe with this id
    -I  look for headers in this folder too
    -l  list the probes
    -L  look for libraries in this folder too
    -m  enable the probes of a module
    -n  enable the probes of this name
    -o  append output to a file
    -O  with -x oformat=json, xml or html, end with the aggregations
    -p  trace until this process ends; $target is its id
    -P  enable the probes of a provider
    -q  print only what the script prints
    -s  read a script from a file; - is standard input
    -S  show the intermediate form and the eBPF
    -U  undefine a name for -C
    -v  say how probes are attached; with -l, show arguments
    -V  print the version
    -w  allow destructive actions
    -x  set an option; -x vmlinux=PATH names the file with the kernel's debug
        information, which tells of functions that were inlined (kinst::FUNC:entry,
        stack()); it is looked for where "dscope doctor -v" says
    -X  how much of ISO C -C keeps to
    -Z  allow descriptions that match no probe, and wait for kernel modules that bring some

    --metrics       answer Prometheus at this address (localhost:9464) under /metrics while
                    the script runs: each aggregation is a metric, its keys are labels
    --otlp          push the same as OTLP over HTTP to this collector (http://localhost:4318);
                    OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME
                    and OTEL_METRIC_EXPORT_INTERVAL are heeded
    --metrics-keys  most keys of an aggregation that they are told of; 1000 without it
`

// wantsHelp reports whether the first word asks for help.
func wantsHelp(args []string) bool {
	return len(args) > 0 && (args[0] == "--help" || args[0] == "-help" || args[0] == "-h")
}

// A commandUsage is a mistake on the command line of a command that has a usage
// of its own.
type commandUsage struct {
	error
	usage string
}

func usageOf(err error, usage string) error { return commandUsage{err, usage} }
