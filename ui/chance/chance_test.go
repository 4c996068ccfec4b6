package chance

import (
	"math"
	"math/big"
	"testing"
)

// TestOfRates holds small counts against the binomial distribution in whole numbers.
func TestOfRates(t *testing.T) {
	for _, by := range [][2]int64{{1, 1}, {1, 3}, {3, 1}, {2, 50}} {
		all := by[0] + by[1]
		for a := int64(0); a <= 12; a++ {
			for b := int64(0); a+b <= 24; b++ {
				n := a + b
				// Ways in which so few, or so many, of n come on the first side.
				few, many := new(big.Int), new(big.Int)
				for x := int64(0); x <= n; x++ {
					ways := new(big.Int).Binomial(n, x)
					ways.Mul(ways, power(by[0], x)).Mul(ways, power(by[1], n-x))
					if x <= a {
						few.Add(few, ways)
					}
					if x >= a {
						many.Add(many, ways)
					}
				}
				tail := few
				if a*all > n*by[0] {
					tail = many
				}
				want := min(2*ratio(tail, power(all, n)), 1)
				if got := OfRates(float64(a), float64(b), float64(by[0]), float64(by[1])); math.Abs(got-want) > 1e-9 {
					t.Errorf("%d in %d and %d in %d: %g, want %g", a, by[0], b, by[1], got, want)
				}
			}
		}
	}
}

// TestOfRatesJoins holds the two ways of counting against each other where one takes over.
func TestOfRatesJoins(t *testing.T) {
	for _, more := range []float64{1, 10, 30} {
		exact := OfRates(99-more, 99+more, 1, 1)
		normal := OfRates(101-more, 101+more, 1, 1)
		if math.Abs(math.Log(exact/normal)) > 0.15 {
			t.Errorf("%v more: %g and %g", more, exact, normal)
		}
	}
}

// TestOfShares holds small counts against the hypergeometric distribution in whole numbers.
func TestOfShares(t *testing.T) {
	for na := int64(1); na <= 9; na++ {
		for nb := int64(1); nb <= 9; nb++ {
			for ka := int64(0); ka <= na; ka++ {
				for kb := int64(0); kb <= nb && kb*na <= ka*nb; kb++ {
					ways := new(big.Int)
					for x := ka; x <= min(na, ka+kb); x++ {
						of := new(big.Int).Binomial(na, x)
						ways.Add(ways, of.Mul(of, new(big.Int).Binomial(nb, ka+kb-x)))
					}
					want := min(2*ratio(ways, new(big.Int).Binomial(na+nb, ka+kb)), 1)
					if got := OfShares(float64(ka), float64(na), float64(kb), float64(nb)); math.Abs(got-want) > 1e-9 {
						t.Errorf("%d of %d and %d of %d: %g, want %g", ka, na, kb, nb, got, want)
					}
				}
			}
		}
	}
}

func power(x, n int64) *big.Int { return new(big.Int).Exp(big.NewInt(x), big.NewInt(n), nil) }

func ratio(x, y *big.Int) float64 {
	f, _ := new(big.Rat).SetFrac(x, y).Float64()
	return f
}
