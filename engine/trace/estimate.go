package trace

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// An Estimate is what a run would take of the machine, as was found by counting before it
// began.
type Estimate struct {
	Cost  Cost    // Window is 0 if nothing was counted
	CPUs  int     // of which Cost.Share is a part
	Least bool    // whether clauses were not tried, so that they take more than this
	Limit float64 // as Cost.Share: above it a run does not start unasked; 0 is none
}

// Known reports whether anything was counted.
func (e Estimate) Known() bool { return e.Cost.Window > 0 }

// Above reports whether the run would take more than it may unasked.
func (e Estimate) Above() bool { return e.Limit > 0 && e.Cost.Share > e.Limit }

// String returns about 412,000 hits/s, 38% of a CPU (19% of this machine). What is no more
// than an estimate has three digits.
func (e Estimate) String() string {
	about := "about"
	if e.Least {
		about = "at least"
	}
	return about + " " + e.Cost.Of(e.CPUs)
}

// Of returns 412,000 hits/s, 38% of a CPU (19% of this machine), which has that many CPUs; 0
// is that nobody knows.
func (c Cost) Of(cpus int) string {
	if cpus == 0 {
		return fmt.Sprintf("%s hits/s, %s of this machine", grouped(c.Hits), Percent(c.Share))
	}
	return fmt.Sprintf("%s hits/s, %s of a CPU (%s of this machine)", grouped(c.Hits), Percent(c.Share*float64(cpus)), Percent(c.Share))
}

// grouped writes the first three digits of a number, and zeros.
func grouped(x float64) string {
	unit := math.Pow(10, max(math.Floor(math.Log10(max(x, 1)))-2, 0))
	s := strconv.FormatFloat(math.Round(x/unit)*unit, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Percent writes a part of a whole.
func Percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0%"
	case p < 0.1:
		return "<0.1%"
	case p < 9.95:
		return fmt.Sprintf("%.1f%%", p)
	default:
		return fmt.Sprintf("%.0f%%", p)
	}
}

// ErrWide is why a run was not started that would take more than it may unasked.
var ErrWide = errors.New("not started")

// A WideError is an ErrWide with what the run would take.
type WideError struct{ Estimate Estimate }

func (e *WideError) Error() string {
	return fmt.Sprintf("%v: %s, more than estimate=%s; enable fewer probes, or set -x estimate=%.0f%% or off",
		ErrWide, e.Estimate, Percent(e.Estimate.Limit), min(math.Ceil(100*e.Estimate.Cost.Share*1.5), 100))
}

// Unwrap makes it an ErrWide.
func (e *WideError) Unwrap() error { return ErrWide }
