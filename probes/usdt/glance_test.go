package usdt

import (
	"bytes"
	"testing"
)

// TestGlance holds that only files without notes are passed over, and that what is
// damaged is not.
func TestGlance(t *testing.T) {
	with := sample().bytes()
	without := bytes.ReplaceAll(with, []byte(noteSection), []byte(".note.somethi"))
	if bytes.Equal(with, without) || len(with) != len(without) {
		t.Fatal("the sample has no notes")
	}
	for _, tt := range []struct {
		name string
		data []byte
		want bool
	}{
		{"with notes", with, true},
		{"without", without, false},
		{"empty", nil, true},
		{"cut off", without[:len(without)/2], true},
		{"no ELF", bytes.Repeat([]byte{1}, 4096), true},
	} {
		if got := mayCarry(bytes.NewReader(tt.data), int64(len(tt.data))); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	for i := range 64 { // of the header
		bad := bytes.Clone(with)
		bad[i] ^= 0x80
		points, _ := read(bad, "amd64")
		if !mayCarry(bytes.NewReader(bad), int64(len(bad))) && len(points) > 0 {
			t.Errorf("byte %d: %d points are passed over", i, len(points))
		}
	}
}
