package trace

import (
	"cmp"
	"strconv"
	"time"
)

// A Snapshot is all aggregations of a run at one moment: everything since the
// start, or since the last clear() or trunc().
type Snapshot struct {
	Seq     uint64 // counts up from 1
	Time    time.Time
	Elapsed time.Duration // since the run started
	Drops   uint64        // all drops so far, so that a chart can mark its interval
	Aggs    []Table       // in the order in which the script first names them

	// Examples are those kept in the interval that this snapshot ends, and no others.
	// None unless they were asked for (option examples).
	Examples []Example
}

// A Table is one aggregation.
type Table struct {
	Name     string // without the sigil; "" for @
	Func     AggFunc
	KeyTypes []string // the types of its keys as D writes them; empty if it has none
	Params   []int64  // the constants that shape the buckets of lquantize and llquantize
	Normal   uint64   // what normalize() divides by when printed; 1 if nothing
	Sorted   Sorted
	Origins  []Origin // where the script fills it, in order; nil if that is not known. One list for all snapshots of a run
	Rows     []Row    // as Sorted says
}

// An Origin is a place of the script that fills an aggregation: @a[keys] = fn(arg).
// Several clauses may fill one, each with keys and an argument of its own.
type Origin struct {
	Clause   uint32 // number of the enabled clause, from 1; 0 in a function of the script
	File     string // in which it stands, such as a header; "" if that is the script itself
	Line     int
	From, To int      // the assignment as bytes of that text
	Keys     []string // the expressions as they are written: execname, arg2 / 1024
	Arg      string   // that which is counted, likewise; "" of count()

	Dims []Dimension // what is known of its Examples; nil if none are kept
}

// KeyName returns how the script calls a key of t, counted from 0: as it is written
// in all places that fill t; "" if they differ or that is not known.
func (t *Table) KeyName(i int) string {
	name := ""
	for n := range t.Origins {
		keys := t.Origins[n].Keys
		if i >= len(keys) || n > 0 && keys[i] != name {
			return ""
		}
		name = keys[i]
	}
	return name
}

// Sorted is the order of the rows of a table, as the options aggsortkey,
// aggsortkeypos and aggsortrev ask for: by default by ascending value.
type Sorted struct {
	ByKey  bool
	KeyPos int // which key decides, from 0
	Rev    bool
}

// A Row is one key of an aggregation with its value.
type Row struct {
	ID      string // the encoded key: the same key has the same ID in every snapshot of a run
	Keys    []Value
	Value   int64    // count, sum, min, max, avg or stddev; for a histogram, the sum of its counts
	Count   uint64   // how many values went in; 0 if the function does not count them
	Buckets []Bucket // a histogram from one before its first bucket in use to one after its last
	PerCPU  []Share  // option aggpercpu: what each CPU has added, in order of their numbers; otherwise nil
	Sums    *Sums    // of avg and stddev: what Value was made of; nil of the others, and in old recordings
}

// Sums are what averages and deviations are made of, beside Row.Count: with them rows of
// several machines can be put together exactly.
type Sums struct {
	Sum                     int64
	SquaresLow, SquaresHigh uint64 // of stddev: the sum of the squares, 128 bits
}

// A Share is what one CPU has added to a row.
type Share struct {
	CPU     int
	Value   int64
	Buckets []Bucket
}

// A Bucket is one line of a histogram.
type Bucket struct {
	Label string // as DTrace prints it: "1024", "< 0", ">= 100"
	Low   int64  // the least value that falls into it
	High  int64  // the greatest value that falls into it
	Count int64  // may be negative if increments are
}

// Compare orders buckets by what falls into them, whatever their counts are.
func (b Bucket) Compare(c Bucket) int {
	return cmp.Or(cmp.Compare(b.Low, c.Low), cmp.Compare(b.High, c.High))
}

// An AggFunc is an aggregating function.
type AggFunc uint8

// The aggregating functions.
const (
	Count AggFunc = iota
	Sum
	Min
	Max
	Avg
	Stddev
	Quantize
	Lquantize
	Llquantize
)

// String returns the function's name in D.
func (f AggFunc) String() string {
	return [...]string{"count", "sum", "min", "max", "avg", "stddev", "quantize", "lquantize", "llquantize"}[f]
}

// IsHistogram reports whether f fills buckets.
func (f AggFunc) IsHistogram() bool { return f >= Quantize }

// A Value is a datum as the script sees it. It is one of the kinds below.
type Value struct {
	Kind   ValueKind
	Size   uint8   // size in bytes of an integer: 1, 2, 4 or 8; of a BytesValue 1 if it is an array of characters
	Int    int64   // the integer, read as uint64 if Kind is UintValue; of a user address or stack, the process
	Str    string  // the string or the bytes, exactly as traced: may hold control codes; of a SymValue, what is shown
	Frames []Frame // innermost first
}

// A ValueKind says which fields of a Value count.
type ValueKind uint8

// The kinds of values.
const (
	IntValue ValueKind = iota
	UintValue
	StringValue
	BytesValue
	StackValue  // kernel frames
	UstackValue // user frames
	SymValue    // an address shown by name: sym(), usym(), func(), mod(), …; Frames has one
	NoValue     // that which could not be had: a fact of an example
)

// A Frame is one level of a stack.
type Frame struct {
	Addr   uint64
	Module string // "vmlinux", "ext4", "libc.so.6"; "" if not known
	Symbol string // "" if not known
	Offset uint64 // from the start of the symbol; without one, in the file of the module, 0 if that is not known
	Raw    bool   // no symbol was looked for: Offset is from the start of what is mapped there

	Inlined bool // Symbol was put into the code of the frames after this one; it has no code of its own there
	Script  bool // Symbol is interpreted: Module is the file that it is written in, Offset the line, 0 if that is not known
}

// String returns module`symbol+0x12, or what of it is known; module:0x12 if it
// is raw, symbol (module:12) of a script.
func (f Frame) String() string { return string(f.Append(nil)) }

// Append appends what String returns to b.
func (f Frame) Append(b []byte) []byte {
	if f.Raw && f.Module != "" {
		return strconv.AppendUint(append(append(b, f.Module...), ":0x"...), f.Offset, 16)
	}
	if f.Script && f.Symbol != "" {
		b = append(append(append(b, f.Symbol...), " ("...), f.Module...)
		if f.Offset != 0 {
			b = strconv.AppendUint(append(b, ':'), f.Offset, 10)
		}
		return append(b, ')')
	}
	if f.Module != "" {
		b = append(append(b, f.Module...), '`')
	}
	if f.Symbol == "" {
		return strconv.AppendUint(append(b, "0x"...), f.Addr, 16)
	}
	b = append(b, f.Symbol...)
	if f.Inlined {
		return append(b, " [inlined]"...)
	}
	if f.Offset != 0 {
		b = strconv.AppendUint(append(b, "+0x"...), f.Offset, 16)
	}
	return b
}
