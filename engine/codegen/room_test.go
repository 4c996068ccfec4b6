package codegen

import "testing"

// TestKeysOf sees that more bytes never hold fewer keys, and few keys what their
// bytes allow.
func TestKeysOf(t *testing.T) {
	for _, tt := range []struct{ size, n, want int }{
		{1, 24, 1}, {24, 24, 1}, {3 << 10, 24, 128}, {64 << 10, 24, 2730}, {1 << 20, 24, fullKeys},
		{4 << 20, 24, fullKeys}, {8 << 20, 24, 2 * fullKeys}, {1 << 20, 1024, 1024}, {64 << 10, 1040, 63},
	} {
		if got := keysOf(tt.size, tt.n); got != tt.want {
			t.Errorf("%d bytes hold %d keys of %d, want %d", tt.size, got, tt.n, tt.want)
		}
	}
	for n := 8; n < 4096; n *= 3 {
		before := 0
		for size := 1; size < 64<<20; size += size/3 + 1 {
			got := keysOf(size, n)
			if got < before {
				t.Fatalf("%d bytes hold %d keys of %d, and fewer bytes %d", size, got, n, before)
			}
			before = got
		}
	}
}
