package engine

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/option"
	"dscope.dev/engine/structured"
	"dscope.dev/engine/trace/spell"
)

// Options are the settings of a run, as #pragma D option, -x and setopt() give
// them. The zero value is not useful: start from DefaultOptions.
type Options struct {
	BufSize      int // bytes of a CPU's record buffer
	Policy       Policy
	AggSize      int // bytes of a CPU's part of one aggregation
	DynVarSize   int // bytes of all associative arrays
	StrSize      int // bytes of a string, terminator included: one more than the option says
	CopyStr      int // bytes that copyinstr() reads at most, terminator included
	ScratchSize  int // bytes that alloca() and copyin() give out in a clause
	Specs        int // speculations that can be open at once: nspec
	SpecSize     int // bytes that one speculation may record
	StackFrames  int
	UstackFrames int
	DropStatus   int // exit status of a run that has lost something; 0 if that does not matter
	StackIndent  int // columns by which printed stacks are indented
	JstackFrames int
	NoResolve    bool          // addresses of processes are not named
	NoUnwind     bool          // stacks of processes are walked by frame pointer only
	NoInline     bool          // stacks are shown without inlined functions
	PcapSize     int           // most bytes that pcap() keeps of a packet
	PrintSize    int           // most bytes that print() shows; 0 for all
	SwitchRate   time.Duration // longest time between two readings of the record buffers
	AggRate      time.Duration // time between two snapshots of the aggregations
	CleanRate    time.Duration // time between two cleanings of speculations
	Deadman      time.Duration // how long the machine may be unresponsive before tracing is aborted
	StatusRate   time.Duration // longest time until exit() is noticed; 0 is at once
	MaxFrames    int           // most frames of any stack
	CPU          int           // the one CPU to trace; -1 is all
	ManualResize bool          // a buffer for which there is no memory is an error
	QuietResize  bool          // that one was made smaller is not told
	Quiet        bool
	FlowIndent   bool
	Destructive  bool
	Temporal     bool     // records keep the time of their firing, and are put in order by it
	FollowFork   bool     // whether probes of a process fire in what descends from it
	Self         bool     // whether dscope's own firings count: option self
	ZeroProbes   bool     // -Z: a description that matches nothing is no error
	DefaultArgs  bool     // a macro argument that was not given is 0 or ""
	LibDirs      []string // folders with libraries of the user: -L, libdir
	AggSort      AggSort
	AirBag       float64           // share of all CPUs above which the run is detached; 0 is never
	Estimate     float64           // share of all CPUs: a run that is expected to take more is not started; 0 is never
	Handover     bool              // whether another run can take the place of this one
	Timed        bool              // whether what the programs cost is to be told
	Examples     int               // how many firings are kept of each bucket, CPU and interval
	AggPerCPU    bool              // keep what each CPU aggregated apart
	AggHist      bool              // counts and sums are printed with a bar
	AggPack      bool              // histograms are printed in a line
	AggZoom      bool              // the longest bar is nearly a full one
	Values       map[string]string // every option as it was set, for those that read the rest
}

// An OptionError says why an option cannot be set so.
type OptionError = check.OptionError

// AggSort is the order in which aggregations are printed.
type AggSort struct {
	Key    bool // by key rather than by value: aggsortkey
	Rev    bool // descending: aggsortrev
	Pos    int  // which aggregation of several decides: aggsortpos
	KeyPos int  // which element of the key decides: aggsortkeypos
}

// DefaultOptions returns DTrace's defaults.
func DefaultOptions() Options {
	return Options{
		BufSize: 4 << 20, AggSize: 4 << 20, DynVarSize: 1 << 20, StrSize: 257, CopyStr: 256, ScratchSize: 4096,
		Specs: 1, SpecSize: 1 << 20,
		StackFrames: 20, UstackFrames: 100, StackIndent: 14, JstackFrames: 50, PcapSize: 1514,
		SwitchRate: time.Second, AggRate: time.Second, CleanRate: time.Second / 101,
		Deadman: 30 * time.Second, MaxFrames: maxFrames, CPU: -1,
		Values: map[string]string{},
	}
}

// limits bound what a single option may ask of the machine, in bytes or frames.
const (
	maxBuf     = 1 << 30
	maxStr     = 4096     // longest path; longer strings would not fit a verifiable loop
	maxScratch = 8192     // a CPU's scratch memory with what is read behind it must stay below 32 KiB
	maxPacket  = 16 << 10 // of a packet, so that others have room in the buffer
	maxFrames  = 127      // what the kernel records of a stack unless it is told otherwise
	maxDepth   = 1 << 10  // what a stack takes of a CPU's scratch memory must leave room for others
	maxCPU     = 1 << 16
)

// Set applies one option. Value is "" where #pragma D option gave none.
func (o *Options) Set(name, value string) error {
	name = strings.ToLower(name)
	spec, ok := check.LookupOption(name)
	if !ok {
		return &check.OptionError{Reason: "Invalid option name"}
	}
	err := spec.Valid(value)
	if err != nil {
		return err
	}
	switch name {
	case "bufsize":
		err = setSize(&o.BufSize, value, 0, maxBuf)
	case "bufpolicy":
		o.Policy = policies[value]
	case "bufresize":
		o.ManualResize = value == "manual"
	case "grabanon":
		var on bool
		if err = setBool(&on, value); on {
			return &check.OptionError{Reason: "No anonymous tracing state", Detail: "Linux has no anonymous tracing at boot"}
		}
	case "cpu":
		err = setSize(&o.CPU, value, 0, maxCPU)
	case "maxframes":
		err = setSize(&o.MaxFrames, value, 1, 1<<16)
	case "deadman":
		err = setRate(&o.Deadman, value)
	case "statusrate":
		err = setRate(&o.StatusRate, value)
	case "quietresize":
		err = setBool(&o.QuietResize, value)
	case "aggsize":
		err = setSize(&o.AggSize, value, 1, maxBuf)
	case "dynvarsize":
		err = setSize(&o.DynVarSize, value, 1, maxBuf)
	case "strsize":
		err = setSize(&o.StrSize, value, 2, maxStr)
		if err == nil {
			o.CopyStr = o.StrSize
			o.StrSize = min(o.StrSize+1, maxStr) // DTrace counts characters, and not the zero byte
		}
	case "nspec":
		err = setSize(&o.Specs, value, 0, lower.MaxSpecs)
	case "specsize":
		err = setSize(&o.SpecSize, value, 0, math.MaxInt) // it limits, and takes nothing beforehand
	case "scratchsize":
		err = setSize(&o.ScratchSize, value, 0, maxScratch)
	case "stackframes":
		err = setSize(&o.StackFrames, value, 1, maxDepth)
	case "ustackframes":
		err = setSize(&o.UstackFrames, value, 1, maxDepth)
	case "jstackframes":
		err = setSize(&o.JstackFrames, value, 1, maxDepth)
	case "noresolve":
		err = setBool(&o.NoResolve, value)
	case "nounwind":
		err = setBool(&o.NoUnwind, value)
	case "noinline":
		err = setBool(&o.NoInline, value)
	case "dropstatus":
		err = setSize(&o.DropStatus, value, 0, 255)
	case "stackindent":
		err = setSize(&o.StackIndent, value, 0, 1024)
	case "pcapsize":
		err = setSize(&o.PcapSize, value, 1, maxPacket)
	case "printsize":
		err = setSize(&o.PrintSize, value, 0, maxBuf)
	case "switchrate":
		err = setRate(&o.SwitchRate, value)
	case "cleanrate":
		err = setRate(&o.CleanRate, value)
	case "aggrate":
		err = setRate(&o.AggRate, value)
	case "quiet":
		err = setBool(&o.Quiet, value)
	case "flowindent":
		err = setBool(&o.FlowIndent, value)
	case "destructive":
		err = setBool(&o.Destructive, value)
	case "temporal":
		err = setBool(&o.Temporal, value)
	case "self":
		err = setBool(&o.Self, value)
	case "followfork":
		err = setBool(&o.FollowFork, value)
	case "zdefs":
		err = setBool(&o.ZeroProbes, value)
	case "defaultargs":
		err = setBool(&o.DefaultArgs, value)
	case "agghist":
		err = setBool(&o.AggHist, value)
	case "aggpack":
		err = setBool(&o.AggPack, value)
	case "aggzoom":
		err = setBool(&o.AggZoom, value)
	case "aggpercpu":
		err = setBool(&o.AggPerCPU, value)
	case "airbag":
		err = setShare(&o.AirBag, value)
	case "estimate":
		err = setShare(&o.Estimate, value)
	case "examples":
		err = setSize(&o.Examples, value, 0, lower.MostExamples)
	case "aggsortkey":
		err = setBool(&o.AggSort.Key, value)
	case "aggsortrev":
		err = setBool(&o.AggSort.Rev, value)
	case "aggsortpos":
		err = setSize(&o.AggSort.Pos, value, 0, 64)
	case "aggsortkeypos":
		err = setSize(&o.AggSort.KeyPos, value, 0, 64)
	case "oformat":
		_, _, err = structured.Parse(value)
	case "libdir":
		o.LibDirs = append(slices.Clip(o.LibDirs), value)
	}
	if err != nil {
		return &check.OptionError{Reason: "Invalid value for specified option", Detail: err.Error()}
	}
	o.Values[name] = value
	return nil
}

// Scale is what the bars of histograms stand for.
func (o *Options) Scale() spell.Scale {
	if o.AggZoom {
		return spell.OfLargest
	}
	return spell.OfSum
}

// Structured reports whether the output is for programs to read: option oformat.
func (o *Options) Structured() bool {
	form, _, _ := structured.Parse(o.Values["oformat"])
	return form != structured.Text
}

// clone returns a copy that shares nothing with o.
func (o Options) clone() Options {
	o.Values = maps.Clone(o.Values)
	if o.Values == nil {
		o.Values = map[string]string{}
	}
	return o
}

// set returns every option that was set, in order of name.
func (o *Options) set() []check.Option {
	var list []check.Option
	for _, name := range slices.Sorted(maps.Keys(o.Values)) {
		list = append(list, check.Option{Name: name, Value: o.Values[name]})
	}
	return list
}

// limitFrames bounds the depth of stacks by what the kernel records of them, and
// takes all of that unless option maxframes says less.
func (o *Options) limitFrames(recorded int) {
	recorded = min(recorded, maxDepth)
	if o.Values["maxframes"] == "" {
		o.MaxFrames = recorded
	}
	o.MaxFrames = min(o.MaxFrames, recorded)
}

// ir returns the part of o on which the layout of a program depends.
func (o *Options) ir() ir.Options {
	return ir.Options{StrSize: o.StrSize, CopyStr: o.CopyStr, ScratchSize: o.ScratchSize,
		StackFrames: min(o.StackFrames, o.MaxFrames), UstackFrames: min(o.UstackFrames, o.MaxFrames),
		JstackFrames: o.JstackFrames, MaxFrames: o.MaxFrames, PcapSize: o.PcapSize, Temporal: o.Temporal, Destructive: o.Destructive, Specs: o.speculations(), SpecSize: o.SpecSize, Examples: o.Examples}
}

// speculations returns the number of speculations as the compiler counts them.
func (o *Options) speculations() int {
	if o.Specs == 0 {
		return -1 // none, which the script has asked for
	}
	return o.Specs
}

func setSize(to *int, value string, least, most int) error {
	n, err := option.Size(value)
	if err != nil {
		return err
	}
	if n < int64(least) || n > int64(most) {
		return fmt.Errorf("%s is not between %d and %d", value, least, most)
	}
	*to = int(n)
	return nil
}

// setRate reads a rate such as 10hz, or a time such as 100ms; a bare number
// counts firings a second.
func setRate(to *time.Duration, value string) error {
	ns, err := option.Rate(value)
	if err == nil && (ns <= 0 || time.Duration(ns) > 24*time.Hour) {
		err = fmt.Errorf("%q is not between 1ns and a day", value)
	}
	if err != nil {
		return err
	}
	*to = max(time.Duration(ns), time.Millisecond)
	return nil
}

// setShare reads a part of all CPUs, as in 20% or 20; off is 0.
func setShare(to *float64, value string) (err error) {
	*to, err = option.Share(value)
	return err
}

func setBool(to *bool, value string) (err error) {
	*to, err = option.Flag(value)
	return err
}
