// Package options holds the settings of a run: what #pragma D option, -x and setopt()
// change. What options there are, when they may be set and what values they take is told
// by dlang/check; here stands what each does (table.go).
package options

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/option"
	"dscope.dev/engine/structured"
	"dscope.dev/engine/trace/spell"
)

// Options are the settings of a run, as #pragma D option, -x and setopt() give
// them. The zero value is not useful: start from Default.
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
	Prints       bool              // whether events may be of kind trace.PrintsEvent
	LastOnly     bool              // whether of the snapshots none but the last is wanted
	Examples     int               // how many firings are kept of each bucket, CPU and interval
	AggPerCPU    bool              // keep what each CPU aggregated apart
	AggHist      bool              // counts and sums are printed with a bar
	AggPack      bool              // histograms are printed in a line
	AggZoom      bool              // the longest bar is nearly a full one
	Values       map[string]string // every option as it was set, for those that read the rest
}

// An OptionError says why an option cannot be set so.
type OptionError = option.Error

// AggSort is the order in which aggregations are printed.
type AggSort struct {
	Key    bool // by key rather than by value: aggsortkey
	Rev    bool // descending: aggsortrev
	Pos    int  // which aggregation of several decides: aggsortpos
	KeyPos int  // which element of the key decides: aggsortkeypos
}

// Default returns DTrace's defaults.
func Default() Options {
	return Options{
		BufSize: 4 << 20, AggSize: 4 << 20, DynVarSize: 1 << 20, StrSize: 257, CopyStr: 256, ScratchSize: 4096,
		Specs: 1, SpecSize: 1 << 20,
		StackFrames: 20, UstackFrames: 100, StackIndent: 14, JstackFrames: 50, PcapSize: 1514,
		SwitchRate: time.Second, AggRate: time.Second, CleanRate: time.Second / 101,
		Deadman: 30 * time.Second, MaxFrames: maxFrames, CPU: -1,
		Values: map[string]string{},
	}
}

// OrDefault returns a copy of o that is safe to change, or the defaults if o is the zero value.
func (o Options) OrDefault() Options {
	if reflect.ValueOf(o).IsZero() {
		return Default()
	}
	return o.Clone()
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

// On reports whether a flag was set, and not set to be off.
func (o *Options) On(name string) bool {
	value, set := o.Values[name]
	on, err := option.Flag(value)
	return set && on && err == nil
}

// Clone returns a copy that shares nothing with o.
func (o Options) Clone() Options {
	o.Values = maps.Clone(o.Values)
	if o.Values == nil {
		o.Values = map[string]string{}
	}
	return o
}

// Given returns every option that was set, in order of name.
func (o *Options) Given() []check.Option {
	var list []check.Option
	for _, name := range slices.Sorted(maps.Keys(o.Values)) {
		list = append(list, check.Option{Name: name, Value: o.Values[name]})
	}
	return list
}

// LimitFrames bounds the depth of stacks by what the kernel records of them, and
// takes all of that unless option maxframes says less.
func (o *Options) LimitFrames(recorded int) {
	recorded = min(recorded, MaxDepth)
	if o.Values["maxframes"] == "" {
		o.MaxFrames = recorded
	}
	o.MaxFrames = min(o.MaxFrames, recorded)
}

// IR returns the part of o on which the layout of a program depends.
func (o *Options) IR() ir.Options {
	return ir.Options{StrSize: o.StrSize, CopyStr: o.CopyStr, ScratchSize: o.ScratchSize,
		StackFrames: min(o.StackFrames, o.MaxFrames), UstackFrames: min(o.UstackFrames, o.MaxFrames),
		JstackFrames: o.JstackFrames, MaxFrames: o.MaxFrames, PcapSize: o.PcapSize, Temporal: o.Temporal, Specs: o.speculations(), SpecSize: o.SpecSize, Examples: o.Examples}
}

// speculations returns the number of speculations as the compiler counts them.
func (o *Options) speculations() int {
	if o.Specs == 0 {
		return -1 // none, which the script has asked for
	}
	return o.Specs
}
