package lower

import (
	"math"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
)

// The kernel sets limits that a script does not know: a program may use 64
// tables, of which an aggregation with keys takes two, one for each generation, and two
// more if short keys have their own; and a cell may have 32 KiB. A script that goes beyond
// gives up the tables of short keys first. If that is not enough, the keys of its
// aggregations get a tail of 8 bytes: the number of the aggregation, and which
// part of its cell this is. Aggregations of about one size then share a pool, and
// a cell that is too large lies in several parts, each made when something falls
// into it. Scripts within the limits pay nothing for this.

const (
	mostTables  = 40                   // of aggregations; the rest is for variables, buffers and stacks
	mostWords   = linux.PerCPUMost / 8 // of a cell in one piece
	partWords   = 512                  // of a part of a cell
	partShift   = 9                    // its logarithm
	tailSize    = 8
	tailAggBits = 32 // how far the number of the aggregation is shifted
)

// A poolKind tells the pools apart by the sizes, in classes, of what they hold.
type poolKind struct{ key, words int }

// poolClass rounds up the size of a key and of a cell.
func poolClass(a *ir.Agg) poolKind {
	class := func(n int, limits ...int) int {
		for _, l := range limits {
			if n <= l {
				return l
			}
		}
		return math.MaxInt
	}
	return poolKind{class(a.Key, 32, 128), class(a.Words, 4, 128)}
}

// pool splits the cells that are too large and pools the aggregations if they are
// too many.
func (l *lowerer) pool() {
	for i := range l.out.Aggs {
		if a := &l.out.Aggs[i]; a.Words > mostWords {
			a.Words, a.Touch, a.Parts = partWords, false, true
			a.AddTail()
		}
	}
	if l.tables(false) <= mostTables {
		return
	}
	l.separate()
	for i := range l.out.Aggs {
		l.out.Aggs[i].Short = 0
	}
	if l.tables(false) <= mostTables {
		return
	}
	keyless := l.tables(true) > mostTables
	pools := map[poolKind][]*ir.Agg{}
	for i := range l.out.Aggs {
		a := &l.out.Aggs[i]
		if a.Key == 0 && !keyless {
			continue
		}
		if a.Touch {
			a.Words, a.Touch = a.Words-1, false // that there is a cell says as much
		}
		if !a.Tail {
			a.AddTail()
		}
		k := poolClass(a)
		pools[k] = append(pools[k], a)
		if a.Pool = len(pools); len(pools[k]) > 1 {
			a.Pool = pools[k][0].Pool
		}
	}
	for _, members := range pools {
		key, words := 0, 0
		for _, a := range members {
			key, words = max(key, a.Key), max(words, a.Words)
		}
		for _, a := range members {
			a.Key, a.Words = key, words
		}
	}
}

// tables counts the kernel's tables that the aggregations take by themselves; if
// pooled is set, those that remain when all with keys are in pools.
func (l *lowerer) tables(pooled bool) int {
	n := 0
	for i := range l.out.Aggs {
		switch {
		case l.out.Aggs[i].In > 0:
		case l.out.Aggs[i].Key == 0:
			n++
		case !pooled && l.out.Aggs[i].Short > 0:
			n += 4
		case !pooled:
			n += 2
		}
	}
	return n
}

// tail writes what the key at buf ends with: the number of a, and a part of its
// cell or nil.
func (f *fn) tail(a *check.Agg, buf, part *ir.Value) {
	out := &f.out.Aggs[a.Index]
	if from := f.tuples[a].size; from < out.Key-tailSize {
		f.Emit(ir.Value{Op: ir.OpZero, Imm: int64(from), Size: out.Key - tailSize - from}, buf)
	}
	word := f.Const(int64(a.Index) << tailAggBits)
	if part != nil {
		word = f.Op(ir.OpOr, part, word)
	}
	f.Store(buf, int64(out.Key-tailSize), 8, word)
}

// ReadTail takes the tail of a key apart: the number of the aggregation, and the
// number of the first word of its cell that the entry holds.
func ReadTail(tail uint64) (agg, first int) {
	return int(tail >> tailAggBits), int(uint32(tail)) << partShift
}
