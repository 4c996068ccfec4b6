package drain

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"dscope.dev/dlang/lower"
	"dscope.dev/engine/record"
)

// Records of a speculation are kept here, as they were read, until it ends. A
// commit lets them into the stream at its own place, in the order in which they
// fired; a discard throws them away. The place is that of the record that the
// commit left in the buffer of its CPU. Records of the speculation may still lie in
// the buffers of other CPUs then: the commit says how many there are, and until
// they have come nothing more is read from its CPU. Not all of them need come,
// because a firing that had begun its record can have failed; so once the others
// have been read empty, the wait is over. What comes even later is let through.

// lateness is how long a firing may take, beyond all reason, to finish a record
// that it has begun.
const lateness = 10 * time.Millisecond

// A speculation is what is kept of one.
type speculation struct {
	records []held
	got     uint64 // records that have come
	role    lower.SpecRole
	last    time.Time // when the last of its records was read
}

// A held record waits for the end of its speculation.
type held struct {
	from  *ring
	fired uint64
	raw   []byte
}

// A commit is one that waits for records of other CPUs.
type commit struct {
	what  record.Speculation
	since time.Time
}

// speculations are all that records have come of, by token.
type speculations struct {
	all    map[uint64]*speculation
	newest map[uint64]uint64 // the greatest token by number
	swept  time.Time
}

// newSpeculations returns nil for a script that does not speculate.
func newSpeculations(res *lower.Result) *speculations {
	if !slices.ContainsFunc(res.Layouts, func(l lower.Layout) bool { return l.Spec != lower.SpecNone }) {
		return nil
	}
	return &speculations{all: map[uint64]*speculation{}, newest: map[uint64]uint64{}}
}

func (s *speculations) find(token uint64) *speculation {
	sp := s.all[token]
	if sp == nil {
		sp = &speculation{}
		s.all[token] = sp
		id := numberOf(token)
		s.newest[id] = max(s.newest[id], token)
	}
	return sp
}

// speculative deals with a record that has to do with a speculation, and reports
// whether it was one that is not to be delivered now.
func (d *Drain) speculative(from *ring, raw []byte) bool {
	what := d.dec.Speculation(raw)
	if what.Role == lower.SpecNone {
		return false
	}
	sp := d.specs.find(what.Token)
	sp.last = d.now
	if what.Role == lower.SpecMember {
		sp.got++
		switch sp.role {
		case lower.SpecCommit:
			return false // late, but not lost
		case lower.SpecDiscard:
			return true
		}
		sp.records = append(sp.records, held{from, what.Fired, bytes.Clone(raw)})
		return true
	}
	if what.Role == lower.SpecCommit {
		from.commit = &commit{what, d.now}
		return true
	}
	d.specs.end(what, sp)
	return true
}

// end forgets what a speculation kept, and itself unless more may come.
func (s *speculations) end(what record.Speculation, sp *speculation) {
	sp.role, sp.records = what.Role, nil
	if sp.got >= what.Begun {
		delete(s.all, what.Token)
	}
}

// waits reports whether a ring must not be read because of a commit. One that has
// all that it waited for is carried out.
func (d *Drain) waits(r *ring) (bool, error) {
	if r.commit == nil {
		return false, nil
	}
	what := r.commit.what
	sp := d.specs.find(what.Token)
	if sp.got < what.Begun && !d.inVain(r) {
		return true, nil
	}
	return false, d.carryOut(r)
}

// carryOut does the commit of a ring, if there is one.
func (d *Drain) carryOut(r *ring) error {
	if r.commit == nil {
		return nil
	}
	what := r.commit.what
	sp := d.specs.find(what.Token)
	r.commit = nil
	slices.SortStableFunc(sp.records, func(a, b held) int { return cmp.Compare(a.fired, b.fired) })
	for _, h := range sp.records {
		if err := d.deliverRecord(h.from, h.raw); err != nil {
			return err
		}
	}
	d.specs.end(what, sp)
	return nil
}

// inVain reports whether what the commit of r waits for will not come: there was
// time enough, and the other rings have been read empty since.
func (d *Drain) inVain(r *ring) bool {
	until := r.commit.since.Add(lateness)
	if d.now.Before(until) {
		return false
	}
	for i := range d.rings {
		other := &d.rings[i]
		if other != r && other.commit == nil && other.emptied.Before(until) {
			return false
		}
	}
	return true
}

// waiting reports whether a commit waits still, after a while in which what it
// waits for may have come.
func (d *Drain) waiting() bool {
	if d.specs == nil {
		return false
	}
	for i := range d.rings {
		if d.rings[i].commit != nil {
			time.Sleep(time.Millisecond)
			return true
		}
	}
	return false
}

// clean forgets speculations that ended long ago, and those of whose end nothing
// was heard because its record found no room, at the pace of cleanrate.
func (d *Drain) clean() {
	if d.specs == nil || d.now.Sub(d.specs.swept) < d.opt.CleanRate {
		return
	}
	d.specs.swept = d.now
	for token, sp := range d.specs.all {
		over := sp.role != lower.SpecNone || d.specs.newest[numberOf(token)] != token
		if over && d.now.Sub(sp.last) > time.Second {
			delete(d.specs.all, token)
		}
	}
}

// numberOf returns the number of a speculation, which the script knows.
func numberOf(token uint64) uint64 { return token & (1<<lower.TokenShift - 1) }
