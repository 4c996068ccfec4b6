package difference

import (
	"math"
	"slices"

	"dscope.dev/ui/chance"
)

// A Share is an estimated part of the firings of one side.
type Share struct {
	Part      float64 // 0 to 1
	Low, High float64 // the interval of 95 %
	Examples  int     // in which the value was seen
	effective float64 // size of the sample that Part rests on
}

// level is the part of answers that may claim something wrong.
const level = 0.05

// single is how many standard deviations an interval of 95 % has to each side.
var single = deviations(level)

// deviations returns how many standard deviations leave so much outside, both sides together.
func deviations(alpha float64) float64 { return math.Sqrt2 * math.Erfinv(1-alpha) }

// A mass is what some examples weigh.
type mass struct {
	n     int
	w, w2 float64 // sums of the weights and of their squares
}

func (m *mass) add(w float64) { m.n, m.w, m.w2 = m.n+1, m.w+w, m.w2+w*w }

func (m *mass) join(o mass) { m.n, m.w, m.w2 = m.n+o.n, m.w+o.w, m.w2+o.w2 }

// effective is Kish's size of the sample: (Σw)² / Σw².
func (m mass) effective() float64 {
	if m.w2 == 0 {
		return 0
	}
	return min(m.w*m.w/m.w2, float64(m.n))
}

// share estimates the part of all that some examples are.
//
// Kish's size holds if weights have nothing to do with what is estimated. Where they do,
// as when one example of a great weight is half of the share, the spread around the
// estimate itself says what the sample carries: Σw²(y-p)² / (Σw)². The smaller counts.
func share(of, all mass) Share {
	if all.w == 0 {
		return Share{High: 1}
	}
	p := min(of.w/all.w, 1)
	n := all.effective()
	if of.n > 0 && of.n < all.n {
		spread := (of.w2*(1-p)*(1-p) + (all.w2-of.w2)*p*p) / (all.w * all.w)
		n = min(n, p*(1-p)/spread)
	}
	s := Share{Part: p, Examples: of.n, effective: n}
	s.Low, s.High = wilson(p, n, single)
	return s
}

// wilson returns Wilson's interval for a share that was seen in a sample of n.
func wilson(p, n, z float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	z2 := z * z / n
	mid := (p + z2/2) / (1 + z2)
	half := z * math.Sqrt(p*(1-p)/n+z2/(4*n)) / (1 + z2)
	return max(min(mid-half, p), 0), min(max(mid+half, p), 1)
}

// apart returns by how much two shares differ at least and at most: Newcombe's interval
// of their difference, from those of Wilson; least is 0 where they may be equal.
func apart(a, b Share, z float64) (least, most float64) {
	if a.Part < b.Part {
		a, b = b, a
	}
	al, ah := wilson(a.Part, a.effective, z)
	bl, bh := wilson(b.Part, b.effective, z)
	d := a.Part - b.Part
	low := d - math.Hypot(a.Part-al, bh-b.Part)
	high := d + math.Hypot(ah-a.Part, b.Part-bl)
	return max(low, 0), min(max(high, -low), 1)
}

// byChance returns how probable it is that shares which are equal differ as these do or
// more: Fisher's exact test, of as many firings as the samples carry, both sides.
// Rounding takes from the difference, so that it is never made greater.
func byChance(a, b Share) float64 {
	if a.Part < b.Part {
		a, b = b, a
	}
	na, nb := math.Floor(a.effective+1e-9), math.Floor(b.effective+1e-9)
	ka, kb := math.Floor(a.Part*na+1e-9), math.Ceil(b.Part*nb-1e-9)
	if na == 0 || nb == 0 || ka*nb <= kb*na {
		return 1
	}
	return chance.OfShares(ka, na, kb, nb)
}

// judge claims those of all tallies whose shares differ, so that one of twenty answers
// holds a wrong claim at most: the tests by Holm's procedure, the bounds by Bonferroni's.
func judge(all []*tally) {
	if len(all) == 0 {
		return
	}
	z := deviations(level / float64(len(all)))
	var open []*tally
	for _, t := range all {
		if t.least, t.most = apart(t.inside, t.outside, z); t.least > 0 {
			t.chance = byChance(t.inside, t.outside)
			open = append(open, t)
		}
	}
	slices.SortFunc(open, func(a, b *tally) int {
		switch {
		case a.chance < b.chance:
			return -1
		case a.chance > b.chance:
			return 1
		}
		return 0
	})
	for i, t := range open {
		if t.chance > level/float64(len(all)-i) {
			break
		}
		t.claimed = true
	}
}
