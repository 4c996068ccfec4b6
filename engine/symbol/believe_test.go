package symbol

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestBelieve holds that stacks end where they leave the code of a process, and that
// only of processes of which that is known.
func TestBelieve(t *testing.T) {
	proc := t.TempDir()
	maps := filepath.Join(proc, "7", "maps")
	if err := os.MkdirAll(filepath.Dir(maps), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(maps, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("00400000-00401000 r-xp 00000000 08:01 11 /bin/a\n00401000-00402000 rw-p 00001000 08:01 11 /bin/a\n00500000-00501000 rwxp 00000000 00:00 0\n")
	table := NewAt(proc, nil)
	for _, tt := range []struct {
		pid      uint32
		in, want []uint64
		about    string
	}{
		{7, []uint64{0x400010, 0x400020, 0x500030}, []uint64{0x400010, 0x400020, 0x500030}, "code of a file, and of none"},
		{7, []uint64{0x400010, 0x401000}, []uint64{0x400010, 0x401000}, "a call at the end of the code"},
		{7, []uint64{0x400010, 0x401001, 0x400020}, []uint64{0x400010}, "data"},
		{7, []uint64{0x400010, 0x400020, 0x72656d6f, 0x400020}, []uint64{0x400010, 0x400020}, "nothing at all"},
		{7, []uint64{0x12, 0x400020}, []uint64{0x12, 0x400020}, "where it was, whatever that is"},
		{7, []uint64{0x12, 0x13}, []uint64{0x12}, "a jump to nowhere"},
		{7, nil, nil, "no stack"},
		{8, []uint64{0x400010, 0x12}, []uint64{0x400010, 0x12}, "a process of which nothing is known"},
	} {
		if got := table.Believe(tt.pid, tt.in); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %x gives %x, want %x", tt.about, tt.in, got, tt.want)
		}
	}

	// What was mapped since is looked for.
	write("00400000-00401000 r-xp 00000000 08:01 11 /bin/a\n00600000-00601000 r-xp 00000000 08:01 12 /lib/b\n")
	table.procs[7].read = time.Now().Add(-2 * staleAfter)
	if got := table.Believe(7, []uint64{0x400010, 0x600010, 0x500030}); !slices.Equal(got, []uint64{0x400010, 0x600010, 0x500030}) {
		t.Errorf("got %x: what was mapped before and since is code", got)
	}

	// Of one that has ended it is not known what it had in the end.
	if err := os.RemoveAll(filepath.Dir(maps)); err != nil {
		t.Fatal(err)
	}
	table.procs[7].read = time.Now().Add(-2 * staleAfter)
	if got := table.Believe(7, []uint64{0x400010, 0x12}); len(got) != 2 {
		t.Errorf("got %x", got)
	}
	table.NoResolve = true
	if got := table.Believe(7, []uint64{0x400010, 0x12}); len(got) != 2 {
		t.Errorf("got %x", got)
	}
}
