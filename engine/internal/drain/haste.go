package drain

import "time"

// The kernel's tables of an aggregation hold some thousands of keys, and what is one too many
// between two takes is lost; so it is with stacks. Tables that fill are emptied sooner than the
// script asks for its aggregations: what it sees of them stays the same.

const (
	firstTake = 50 * time.Millisecond // of a run, of which nobody knows yet how fast it fills them
	leastTake = 20 * time.Millisecond // each is a grace period, for which the drain waits
	enough    = 0.5                   // of its room: a table that had more is emptied sooner
	aimed     = 0.33                  // of its room, then
	perhaps   = 0.9                   // of its room: there may have been more, nobody knows how many
)

// A haste knows how soon the tables must be emptied again.
type haste struct {
	every time.Duration
	last  time.Time // when they were emptied; zero if they never were
	full  float64   // the part of its room that the fullest took since
}

// fills notes which part of the room of a table was taken.
func (h *haste) fills(part float64) { h.full = max(h.full, part) }

// hurries reports whether the tables were emptied so lately that they can hardly be sooner.
func (h *haste) hurries(now time.Time) bool { return now.Sub(h.last) < 10*leastTake }

// taken notes that the tables were emptied. They are emptied once in most anyway.
//
// Where fewer keys come than there is room for, however long one waits, waiting twice as long
// finds it out; where each firing brings a new one, that is not too long yet.
func (h *haste) taken(now time.Time, most time.Duration) {
	took := now.Sub(h.last)
	switch {
	case h.last.IsZero():
		h.every = firstTake
	case h.full == 0:
		h.every *= 2
	case h.full > perhaps:
		h.every = took / 8
	case h.full > enough:
		h.every = scaled(took, aimed/h.full)
	default:
		h.every = min(2*h.every, scaled(took, max(2, enough/h.full)))
	}
	h.every = min(max(h.every, leastTake), most)
	h.last, h.full = now, 0
}

func scaled(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }

// due reports whether the tables must be emptied before they are for the script.
func (h *haste) due(now time.Time) bool { return !h.last.IsZero() && h.left(now) <= 0 }

// left returns how long it is until they must be.
func (h *haste) left(now time.Time) time.Duration { return h.every - now.Sub(h.last) }
