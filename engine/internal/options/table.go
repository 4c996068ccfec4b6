package options

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/option"
	"dscope.dev/engine/structured"
)

// limits bound what a single option may ask of the machine, in bytes or frames.
const (
	maxBuf     = 1 << 30
	maxStr     = 4096     // longest path; longer strings would not fit a verifiable loop
	maxScratch = 8192     // a CPU's working memory with what is read behind it must stay below 32 KiB
	maxPacket  = 16 << 10 // of a packet, so that others have room in the buffer
	maxFrames  = 127      // what the kernel records of a stack unless it is told otherwise
	maxCPU     = 1 << 16
)

// MaxDepth is the most frames of any stack: what one takes of a CPU's working memory must
// leave room for others.
const MaxDepth = 1 << 10

// A setter puts the value of an option where it belongs.
type setter func(o *Options, value string) error

// setters are those of the options that have a field of their own. The rest are read
// from Values by whom they concern.
var setters = map[string]setter{
	"aggsize":      size(1, maxBuf, func(o *Options) *int { return &o.AggSize }),
	"bufsize":      size(0, maxBuf, func(o *Options) *int { return &o.BufSize }),
	"dynvarsize":   size(1, maxBuf, func(o *Options) *int { return &o.DynVarSize }),
	"pcapsize":     size(1, maxPacket, func(o *Options) *int { return &o.PcapSize }),
	"printsize":    size(0, maxBuf, func(o *Options) *int { return &o.PrintSize }),
	"scratchsize":  size(0, maxScratch, func(o *Options) *int { return &o.ScratchSize }),
	"specsize":     size(0, math.MaxInt, func(o *Options) *int { return &o.SpecSize }), // it limits, and takes nothing beforehand
	"strsize":      setStrSize,
	"nspec":        size(0, lower.MaxSpecs, func(o *Options) *int { return &o.Specs }),
	"examples":     size(0, lower.MostExamples, func(o *Options) *int { return &o.Examples }),
	"cpu":          size(0, maxCPU, func(o *Options) *int { return &o.CPU }),
	"maxframes":    size(1, 1<<16, func(o *Options) *int { return &o.MaxFrames }),
	"stackframes":  size(1, MaxDepth, func(o *Options) *int { return &o.StackFrames }),
	"ustackframes": size(1, MaxDepth, func(o *Options) *int { return &o.UstackFrames }),
	"jstackframes": size(1, MaxDepth, func(o *Options) *int { return &o.JstackFrames }),
	"stackindent":  size(0, 1024, func(o *Options) *int { return &o.StackIndent }),
	"dropstatus":   size(0, 255, func(o *Options) *int { return &o.DropStatus }),

	"aggrate":    rate(func(o *Options) *time.Duration { return &o.AggRate }),
	"cleanrate":  rate(func(o *Options) *time.Duration { return &o.CleanRate }),
	"deadman":    rate(func(o *Options) *time.Duration { return &o.Deadman }),
	"statusrate": rate(func(o *Options) *time.Duration { return &o.StatusRate }),
	"switchrate": rate(func(o *Options) *time.Duration { return &o.SwitchRate }),

	"airbag":   share(func(o *Options) *float64 { return &o.AirBag }),
	"estimate": share(func(o *Options) *float64 { return &o.Estimate }),

	"agghist":     flag(func(o *Options) *bool { return &o.AggHist }),
	"aggpack":     flag(func(o *Options) *bool { return &o.AggPack }),
	"aggpercpu":   flag(func(o *Options) *bool { return &o.AggPerCPU }),
	"aggzoom":     flag(func(o *Options) *bool { return &o.AggZoom }),
	"defaultargs": flag(func(o *Options) *bool { return &o.DefaultArgs }),
	"destructive": flag(func(o *Options) *bool { return &o.Destructive }),
	"flowindent":  flag(func(o *Options) *bool { return &o.FlowIndent }),
	"followfork":  flag(func(o *Options) *bool { return &o.FollowFork }),
	"noinline":    flag(func(o *Options) *bool { return &o.NoInline }),
	"noresolve":   flag(func(o *Options) *bool { return &o.NoResolve }),
	"nounwind":    flag(func(o *Options) *bool { return &o.NoUnwind }),
	"quiet":       flag(func(o *Options) *bool { return &o.Quiet }),
	"quietresize": flag(func(o *Options) *bool { return &o.QuietResize }),
	"self":        flag(func(o *Options) *bool { return &o.Self }),
	"temporal":    flag(func(o *Options) *bool { return &o.Temporal }),
	"zdefs":       flag(func(o *Options) *bool { return &o.ZeroProbes }),

	"aggsortkey":    flag(func(o *Options) *bool { return &o.AggSort.Key }),
	"aggsortrev":    flag(func(o *Options) *bool { return &o.AggSort.Rev }),
	"aggsortpos":    size(0, 64, func(o *Options) *int { return &o.AggSort.Pos }),
	"aggsortkeypos": size(0, 64, func(o *Options) *int { return &o.AggSort.KeyPos }),

	"bufpolicy": func(o *Options, value string) error { o.Policy = policies[value]; return nil },
	"bufresize": func(o *Options, value string) error { o.ManualResize = value == "manual"; return nil },
	"grabanon":  refuseAnonymous,
	"libdir":    func(o *Options, value string) error { o.LibDirs = append(slices.Clip(o.LibDirs), value); return nil },
	"oformat":   func(_ *Options, value string) error { _, _, err := structured.Parse(value); return err },
}

// Set applies one option. Value is "" where #pragma D option gave none.
func (o *Options) Set(name, value string) error {
	name = strings.ToLower(name)
	spec := option.Find(name)
	if spec == nil {
		return &option.Error{Reason: "Invalid option name"}
	}
	if err := check.ValidOption(spec, value); err != nil {
		return err
	}
	if set := setters[name]; set != nil {
		var whole *option.Error
		switch err := set(o, value); {
		case errors.As(err, &whole):
			return err
		case err != nil:
			return &option.Error{Reason: "Invalid value for specified option", Detail: err.Error()}
		}
	}
	o.Values[name] = value
	return nil
}

func size(least, most int, field func(*Options) *int) setter {
	return func(o *Options, value string) error {
		n, err := option.Size(value)
		if err != nil {
			return err
		}
		if n < int64(least) || n > int64(most) {
			return fmt.Errorf("%s is not between %d and %d", value, least, most)
		}
		*field(o) = int(n)
		return nil
	}
}

// rate reads a rate such as 10hz, or a time such as 100ms; a bare number
// counts firings a second.
func rate(field func(*Options) *time.Duration) setter {
	return func(o *Options, value string) error {
		ns, err := option.Rate(value)
		if err == nil && (ns <= 0 || time.Duration(ns) > 24*time.Hour) {
			err = fmt.Errorf("%q is not between 1ns and a day", value)
		}
		if err != nil {
			return err
		}
		*field(o) = max(time.Duration(ns), time.Millisecond)
		return nil
	}
}

// share reads a part of all CPUs, as in 20% or 20; off is 0.
func share(field func(*Options) *float64) setter {
	return func(o *Options, value string) (err error) {
		*field(o), err = option.Share(value)
		return err
	}
}

func flag(field func(*Options) *bool) setter {
	return func(o *Options, value string) (err error) {
		*field(o), err = option.Flag(value)
		return err
	}
}

// setStrSize counts as DTrace does: characters, and not the zero byte.
func setStrSize(o *Options, value string) error {
	if err := size(2, maxStr, func(o *Options) *int { return &o.StrSize })(o, value); err != nil {
		return err
	}
	o.CopyStr = o.StrSize
	o.StrSize = min(o.StrSize+1, maxStr)
	return nil
}

func refuseAnonymous(_ *Options, value string) error {
	if on, err := option.Flag(value); err != nil || !on {
		return err
	}
	return &option.Error{Reason: "No anonymous tracing state", Detail: "Linux has no anonymous tracing at boot"}
}
