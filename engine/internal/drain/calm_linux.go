package drain

import (
	"slices"
	"time"
)

// While nothing comes into the aggregations there is nothing to take out of them, and so no
// grace period to wait for and nothing new to show. Then it is enough to look whether they
// are empty still, as often as they would be taken: what comes first is shown as soon as ever,
// unless the run rests.

// calmRate is how often a run is told of in which nothing happens, if not more seldom.
const calmRate = time.Second

// calmTakes is how many takes in a row must have found nothing: both generations are empty,
// and examples of both have been handed on.
const calmTakes = 2

// A run in which nothing has happened for restAfter rests: the time between two looks at it is
// restTimes what it was asked to be, and restMost at most. What prints is not made to wait.
const (
	restAfter = 5 * time.Second
	restTimes = 5
	restMost  = 500 * time.Millisecond
)

// rest returns the time between two looks at a run that rests; 0 if it does not.
func (d *Drain) rest(now time.Time, asked time.Duration) time.Duration {
	if !d.mayRest || now.Sub(d.idle.stirred) < restAfter {
		return 0
	}
	return min(restTimes*asked, restMost)
}

// A calm knows whether anything comes into the aggregations.
type calm struct {
	filling uint32    // the generation that the programs fill
	empty   int       // takes in a row that found nothing
	looked  time.Time // when the aggregations were seen empty last
	told    time.Time // when a snapshot was published last
	stirred time.Time // when anything happened last
}

// calm reports whether nothing had come into the aggregations for some takes, and no record
// changed them since.
func (d *Drain) calm() bool {
	lost := d.drops.total()
	return len(d.tables) == 0 || d.idle.empty >= calmTakes && d.samples.settled() && d.swept == [2]uint64{lost, lost}
}

// untouched reports whether the aggregations hold nothing that could be taken.
func (d *Drain) untouched() (bool, error) {
	if used, err := d.fronted(d.idle.filling); used || err != nil {
		return false, err
	}
	for i := range d.tables {
		t := &d.tables[i]
		used, err := t.holds(d.idle.filling, &d.memory)
		if used || err != nil {
			return false, err
		}
	}
	return true, nil
}

// holds reports whether anything has come into a generation of a table.
func (t *aggTable) holds(gen uint32, m *tableMemory) (bool, error) {
	if t.spec.Key > 0 {
		return slices.ContainsFunc(t.keyed, func(table keyedTable) bool {
			return table.Holds(int(gen), m.keyWords, m.cellWords[gen])
		}), nil
	}
	cells, err := t.one.At(gen)
	return slices.ContainsFunc(cells, func(w uint64) bool { return w != 0 }), err
}

// settled reports whether no example waits to be handed on.
func (s *sampler) settled() bool {
	return s == nil || len(s.open) == 0 && len(s.taken) == 0 && len(s.ready) == 0
}
