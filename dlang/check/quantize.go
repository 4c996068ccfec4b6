package check

import (
	"math"
	"math/bits"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/types"
)

// The parameters of lquantize() and llquantize() shape the buckets, so they are
// constants, have limits, and agree in all assignments to one aggregation.

// lquantize checks base, limit and step.
func (c *checker) lquantize(s *ast.AggAssign, a *Agg) bool {
	base, ok := c.param(s, 1, "the base", diag.LquantBase)
	if !ok || !c.fits(s.Args[1], base, math.MinInt32, math.MaxInt32, "the base", diag.LquantBaseVal) {
		return false
	}
	limit, ok := c.param(s, 2, "the limit", diag.LquantLimType)
	if !ok || !c.fits(s.Args[2], limit, math.MinInt32, math.MaxInt32, "the limit", diag.LquantLimVal) {
		return false
	}
	if limit <= base {
		c.errorf(s.Args[2], diag.LquantLimit, "the limit %d of lquantize() is not above the base %d", limit, base)
		return false
	}
	step := int64(1)
	if len(s.Args) > 3 {
		if step, ok = c.param(s, 3, "the step", diag.LquantStep); !ok {
			return false
		}
		if step <= 0 {
			c.errorf(s.Args[3], diag.LquantStep, "the step of lquantize() must be positive, not %d", step)
			return false
		}
		if !c.fits(s.Args[3], step, 1, math.MaxUint16, "the step", diag.LquantStepVal) {
			return false
		}
	}
	switch levels := (limit - base) / step; {
	case levels == 0:
		c.errorf(s.Args[3], diag.LquantLarge, "a step of %d leaves no bucket between %d and %d", step, base, limit)
		return false
	case levels > math.MaxUint16:
		say := c.errorf(s, diag.LquantShort, "%d buckets are too many: at most %d", levels, math.MaxUint16)
		if wide := min((limit-base)/100, math.MaxUint16); (limit-base)/wide <= math.MaxUint16 {
			say.Suggest("take a larger step: lquantize(%s, %d, %d, %d)", c.text(s.Args[0]), base, limit, wide)
		} else {
			say.Suggest("bring the base and the limit closer together, or use quantize(%s)", c.text(s.Args[0]))
		}
		return false
	}
	return c.sameParams(s, a, []int64{base, limit, step},
		[]string{"base", "limit", "step"}, []diag.Code{diag.LquantMatch, diag.LquantMatchL, diag.LquantMatchS})
}

// llquantize checks factor, low, high and steps.
func (c *checker) llquantize(s *ast.AggAssign, a *Agg) bool {
	words := []string{"the factor", "the low magnitude", "the high magnitude", "the number of steps"}
	typeCodes := []diag.Code{diag.LLQuantType, diag.LLQuantLowT, diag.LLQuantHighT, diag.LLQuantStepT}
	valCodes := []diag.Code{diag.LLQuantVal, diag.LLQuantLowV, diag.LLQuantHighV, diag.LLQuantStepV}
	least := []int64{2, 0, 0, 1}
	var v [4]int64
	for i := range v {
		n, ok := c.param(s, i+1, words[i], typeCodes[i])
		if ok && i == 3 && n <= 0 {
			c.errorf(s.Args[4], diag.LLQuantStepT, "%s must be positive, not %d", words[i], n)
			return false
		}
		if !ok || !c.fits(s.Args[i+1], n, least[i], math.MaxUint16, words[i], valCodes[i]) {
			return false
		}
		v[i] = n
	}
	factor, low, high, steps := v[0], v[1], v[2], v[3]
	switch top, over := power(factor, high+1); {
	case high < low:
		c.errorf(s.Args[3], diag.LLQuantHighV, "the high magnitude %d of llquantize() is below the low one %d", high, low)
		return false
	case over:
		c.errorf(s.Args[3], diag.LLQuantHighV, "%d to the power of %d does not fit 64 bits", factor, high+1)
		return false
	case steps < factor && factor%steps != 0:
		c.errorf(s.Args[4], diag.LLQuantStepV, "%d steps do not divide the factor %d evenly", steps, factor)
		return false
	case steps > factor && steps%factor != 0:
		c.errorf(s.Args[4], diag.LLQuantStepV, "%d steps are no multiple of the factor %d", steps, factor)
		return false
	case steps > factor && top > 0:
		at := max(low+1, 2)
		if whole, _ := power(factor, at); whole%uint64(steps) != 0 {
			c.errorf(s.Args[4], diag.LLQuantStepV, "%d steps do not divide %d to the power of %d evenly", steps, factor, at)
			return false
		}
	}
	return c.sameParams(s, a, v[:], []string{"factor", "low magnitude", "high magnitude", "number of steps"},
		[]diag.Code{diag.LLQuantSameF, diag.LLQuantSameL, diag.LLQuantSameH, diag.LLQuantSameS})
}

// param returns the constant that argument i is.
func (c *checker) param(s *ast.AggAssign, i int, what string, code diag.Code) (int64, bool) {
	arg := s.Args[i]
	v, ok := c.prog.Consts[arg]
	if !ok || !types.IsInteger(c.prog.Types[arg]) {
		c.errorf(arg, code, "%s of %s() must be an integer constant", what, s.Fn.Text).Suggest("%s", function.FindAgg(s.Fn.Text).Proto)
		return 0, false
	}
	return v, true
}

func (c *checker) fits(at ast.Node, v, least, most int64, what string, code diag.Code) bool {
	if v >= least && v <= most {
		return true
	}
	c.errorf(at, code, "%s is %d, and must lie between %d and %d", what, v, least, most)
	return false
}

// sameParams compares with the assignment that settled the buckets.
func (c *checker) sameParams(s *ast.AggAssign, a *Agg, v []int64, words []string, codes []diag.Code) bool {
	if a.Params == nil {
		a.Params = v
		return true
	}
	for i := range v {
		if v[i] != a.Params[i] {
			var at ast.Node = s
			if i+1 < len(s.Args) {
				at = s.Args[i+1]
			}
			c.errorf(at, codes[i], "the %s of @%s is %d, not %d", words[i], a.Name, a.Params[i], v[i]).
				Note(a.First, "it was settled here")
			return false
		}
	}
	return true
}

// power returns b to the power of n, and whether it overflows 64 bits.
func power(b, n int64) (uint64, bool) {
	p := uint64(1)
	for range n {
		hi, lo := bits.Mul64(p, uint64(b))
		if hi != 0 {
			return 0, true
		}
		p = lo
	}
	return p, false
}
