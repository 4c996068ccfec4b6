package usdt

import (
	"bytes"
	"io"
	"testing"
	"time"
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

// A silent reader answers when it is told to.
type silent chan struct{}

func (s silent) ReadAt([]byte, int64) (int, error) {
	<-s
	return 0, io.EOF
}

// TestNobodyAnswers has files that are never read to an end: each is waited for no longer than
// the deadline, and of too many none. Once they answer, files are looked at again.
func TestNobodyAnswers(t *testing.T) {
	s := make(silent)
	for range mostLeft {
		if may, err := glance(s, 100, time.Millisecond); may || err == nil {
			t.Fatalf("a file that is not read to an end: %v, %v", may, err)
		}
	}
	from := time.Now()
	if _, err := glance(s, 100, time.Hour); err == nil || time.Since(from) > time.Minute {
		t.Errorf("one more: %v", err)
	}
	close(s)
	for left.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	if may, err := glance(s, 100, time.Minute); !may || err != nil {
		t.Errorf("then: %v, %v", may, err)
	}
}
