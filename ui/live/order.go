package live

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
)

// A rank is a key with what orders it, side by side so that most comparisons touch no more:
// tables of twenty thousand keys are put in order with each snapshot.
type rank struct {
	by    int64
	place int
	s     *series
}

// order puts all keys in the order of a column. Equal ones are in the order of their keys.
func (v *section) order(c column) {
	v.settlePlaces()
	quantile := quantileOf(c) != nil
	v.ranks = v.ranks[:0]
	for _, s := range v.all {
		v.ranks = append(v.ranks, rank{s.number(c), s.place, s})
	}
	slices.SortFunc(v.ranks, func(x, y rank) int {
		if x.by != y.by {
			return v.turned(cmp.Compare(x.by, y.by))
		}
		n := 0
		switch {
		case quantile:
			n = cmp.Compare(x.s.value, y.s.value)
		case c == keyColumn && v.sorted > 0 || c == keyColumn && v.desc:
			n = datum.Compare(at(x.s.keys, v.sorted), at(y.s.keys, v.sorted))
		}
		if n != 0 {
			return v.turned(n)
		}
		return cmp.Compare(x.place, y.place)
	})
	for i, r := range v.ranks {
		v.all[i] = r.s
	}
}

// settlePlaces gives every key its place in the order of the keys. Text is compared only for
// those that are new.
func (v *section) settlePlaces() {
	var fresh []*series
	for _, s := range v.all {
		if s.place == 0 {
			fresh = append(fresh, s)
		}
	}
	if len(fresh) == 0 {
		return
	}
	slices.SortFunc(fresh, byKeys)
	slices.SortFunc(v.all, func(x, y *series) int { return cmp.Compare(x.place, y.place) })
	known := slices.Clone(v.all[len(fresh):]) // behind those that have no place
	for i := range v.all {
		if len(known) == 0 || len(fresh) > 0 && byKeys(fresh[0], known[0]) < 0 {
			v.all[i], fresh = fresh[0], fresh[1:]
		} else {
			v.all[i], known = known[0], known[1:]
		}
	}
	for i, s := range v.all {
		s.place = i + 1
	}
}

// turned is the order of two keys as it is asked for.
func (v *section) turned(c int) int {
	if v.desc {
		return -c
	}
	return c
}

// byKeys orders two keys whose values are equal.
func byKeys(x, y *series) int {
	if c := slices.CompareFunc(x.keys, y.keys, datum.Compare); c != 0 {
		return c
	}
	return strings.Compare(x.id, y.id)
}

// number returns what orders a key by a column that holds numbers.
func (s *series) number(c column) int64 {
	switch c {
	case countColumn:
		return int64(min(s.count, math.MaxInt64))
	case keyColumn:
		return 0
	case rateColumn:
		return ordered(float64(s.rate))
	case p50Column, p90Column, p99Column, maxColumn:
		return s.rank(quantileOf(c))
	}
	return s.value
}

// ordered returns integers that are in the order of the numbers.
func ordered(f float64) int64 {
	n := int64(math.Float64bits(f + 0)) // there is one zero alone
	if n < 0 {
		n ^= math.MaxInt64
	}
	return n
}

func at(keys []trace.Value, i int) trace.Value {
	if i < len(keys) {
		return keys[i]
	}
	return trace.Value{}
}
