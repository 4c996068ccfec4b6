package options

import (
	"fmt"
	"strconv"
	"time"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/trace"
)

// A remedy is an option that leaves more room for what was lost.
type remedy struct {
	option string
	now    func(*Options) int
	most   int // beyond which it is no longer offered: memory is taken on each CPU
}

// remedies are those of each kind that has one.
var remedies = map[trace.DropKind]remedy{
	trace.DropPrincipal:   {"bufsize", func(o *Options) int { return o.BufSize }, 128 << 20},
	trace.DropAggregation: {"aggsize", func(o *Options) int { return o.AggSize }, 128 << 20},
	trace.DropDynamic:     {"dynvarsize", func(o *Options) int { return o.DynVarSize }, 256 << 20},
	trace.DropSpecBuffer:  {"specsize", func(o *Options) int { return o.SpecSize }, 256 << 20},
	trace.DropSpecNone:    {"nspec", func(o *Options) int { return o.Specs }, lower.MaxSpecs},
	trace.DropString:      {"strsize", func(o *Options) int { return o.StrSize - 1 }, maxStr},
}

// Cure returns the option, as -x has it, that makes a kind of drops rarer: twice what is
// set, and no less than what is usual; "" if there is none, or no more of it.
func (o *Options) Cure(kind trace.DropKind) string {
	if kind == trace.DropStack { // what stacks were kept for is read, and forgotten, at this pace
		if sooner := (o.AggRate / 2).Truncate(time.Millisecond); sooner >= 25*time.Millisecond {
			return fmt.Sprintf("aggrate=%dms", sooner.Milliseconds())
		}
		return ""
	}
	r, ok := remedies[kind]
	if !ok {
		return ""
	}
	usual := Default()
	now := r.now(o)
	n := min(max(2*now, r.now(&usual)), r.most)
	if n <= now {
		return ""
	}
	return r.option + "=" + spelled(n)
}

// spelled writes a number as the values of options are written.
func spelled(n int) string {
	unit := ""
	for _, u := range []string{"k", "m", "g"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, u
	}
	return strconv.Itoa(n) + unit
}
