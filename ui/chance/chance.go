// Package chance tells how probable it is that counts which differ do so by chance alone.
package chance

import "math"

// large is how many are expected on each side so that counts lie around what is expected
// as the normal distribution says.
const large = 100

// OfRates returns how probable it is that two rates which are equal differ as these do or
// more, if what is counted comes independently: a and b counts, not below 0, in lengths byA
// and byB of one unit. Of all that came on both sides, each side has the part that its
// length is, as in a toss. The lengths may be very unlike, and where one is short nothing
// at all may well have come in it.
func OfRates(a, b, byA, byB float64) float64 {
	k, n, p := a, a+b, byA/(byA+byB)
	if least := n * min(p, 1-p); least >= large {
		return math.Erfc(math.Abs(k-n*p) / math.Sqrt(2*n*p*(1-p)))
	}
	if k > n*p { // count from the side that has less than its part
		k, p = n-k, 1-p
	}
	sum, term := 0.0, math.Exp(choose(n, k)+k*math.Log(p)+(n-k)*math.Log1p(-p))
	for ; k >= 0 && term > sum*1e-12; k-- {
		sum += term
		term *= k * (1 - p) / ((n - k + 1) * p)
	}
	return min(2*sum, 1)
}

// OfShares returns how probable it is that two shares which are equal differ as ka of na
// and kb of nb do, or more: Fisher's exact test, both sides. The first is the greater.
func OfShares(ka, na, kb, nb float64) float64 {
	// Of na+nb firings k have the value: ka or more of them are among the na.
	k, all := ka+kb, na+nb
	sum, term := 0.0, math.Exp(choose(na, ka)+choose(nb, kb)-choose(all, k))
	for x := ka; x <= min(k, na) && (term > sum*1e-12 || x == ka); x++ {
		sum += term
		term *= (na - x) * (k - x) / ((x + 1) * (nb - k + x + 1))
	}
	return min(2*sum, 1)
}

// choose returns the logarithm of the binomial coefficient.
func choose(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}
