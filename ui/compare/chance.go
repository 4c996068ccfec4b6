package compare

import "dscope.dev/ui/chance"

// rare is how improbable a difference is that chance alone no longer explains: of the keys
// in which nothing has changed, three in a thousand seem to have.
const rare = 0.0027

// byChance returns how probable it is that two rates which are equal differ as these do or
// more.
func byChance(a, b Value, byA, byB float64) float64 {
	if a.Rate == b.Rate || byA <= 0 || byB <= 0 {
		return 1
	}
	if a.N < 0 || b.N < 0 { // taken away by the script: that is no chance
		return 0
	}
	return chance.OfRates(float64(a.N), float64(b.N), byA, byB)
}
