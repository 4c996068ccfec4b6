package ui

import (
	"testing"

	"dscope.dev/engine/trace"
)

func TestCostWords(t *testing.T) {
	for share, want := range map[float64]string{0: "0%", 0.0004: "<0.1%", 0.0234: "2.3%", 0.3: "30%", 1.5: "150%"} {
		if got := trace.Percent(share); got != want {
			t.Errorf("%g: %s, want %s", share, got, want)
		}
	}
	for ns, want := range map[float64]string{93.4: "93 ns", 9999: "9999 ns", 12345: "12 us"} {
		if got := nanos(ns); got != want {
			t.Errorf("%g: %s, want %s", ns, got, want)
		}
	}
}
