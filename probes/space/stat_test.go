package space

import (
	"errors"
	"os"
	"runtime"
	"testing"
)

func TestParseStat(t *testing.T) {
	const rest = " S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 1000 2\n"
	for _, tt := range []struct {
		text string
		want Stat
		err  error
	}{
		{"12 (sh)" + rest, Stat{"sh", 'S', 1, 4194560, 9876}, nil},
		{"12 (a) S (b)" + rest, Stat{"a) S (b", 'S', 1, 4194560, 9876}, nil},
		{"2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 42 0 0", Stat{"kthreadd", 'S', 0, 2129984, 42}, nil},
		{"12 (sh) Z 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 0 0", Stat{"sh", 'Z', 1, 4194560, 9876}, nil},
		{"12 (sh) S x 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 0 0", Stat{}, errStat},
		{"12 (sh) S 1", Stat{}, errStat},
		{"12 sh", Stat{}, errStat},
		{"", Stat{}, errStat},
		{") (", Stat{}, errStat},
	} {
		if got, err := parseStat(tt.text); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%q: got %+v, %v", tt.text, got, err)
		}
	}
}

// This process knows its parent itself.
func TestStat(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc here")
	}
	s, err := Process{"/proc", os.Getpid()}.Stat()
	if err != nil || s.Parent != os.Getppid() || s.Born == 0 {
		t.Errorf("this process is told of as %+v, %v", s, err)
	}
	if _, err := (Process{t.TempDir(), 1}).Stat(); !Gone(err) {
		t.Errorf("a process that is not there: %v", err)
	}
}
