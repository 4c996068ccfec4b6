package widget

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 keys", 1: "1 key", 2: "2 keys", 1200: "1,200 keys", -2: "-2 keys"} {
		if got := Count(n, "key"); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}
