package codegen

import "testing"

// TestQuirks tells what is written for which kernel. Exactly one of the two ways of following
// loops is every kernel's.
func TestQuirks(t *testing.T) {
	const always = TellsCopies | TakesFar | Forks | Opaque
	for _, tt := range []struct {
		major, minor int
		want         Quirks
	}{
		{5, 17, always | SpillsForget | RoundByRound},
		{6, 1, always | SpillsForget | RoundByRound},
		{6, 8, always | RoundByRound},
		{6, 9, always | AlikeRounds | IdleRegs | MissesReads},
		{6, 12, always | AlikeRounds | IdleRegs | MissesReads},
		{6, 18, always | AlikeRounds},
		{7, 2, always | AlikeRounds | RangesWrap},
	} {
		if got := QuirksOf(kernel(tt.major, tt.minor)); got != tt.want {
			t.Errorf("Linux %d.%d: quirks %b, want %b", tt.major, tt.minor, got, tt.want)
		}
	}
	var all Quirks
	for _, q := range quirks {
		if all.Has(q.quirk) {
			t.Errorf("quirk %b is told twice", q.quirk)
		}
		all |= q.quirk
	}
	if want := 2*Opaque - 1; all != want {
		t.Errorf("the table tells of %b, want %b", all, want)
	}
}
