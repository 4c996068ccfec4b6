package resolver

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/scout"
	"dscope.dev/probes/space"
)

// TestHostile has files read that are made to do harm.
func TestHostile(t *testing.T) {
	apart(t, Deadline)
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	sparse := file(t, exe[:4096])
	if err := os.Truncate(sparse.Name, 1<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := symbols.Ask(open(t, sparse.Name), none{}); err == nil {
		t.Log("a file of 1 GB without content has symbols")
	}
	for _, size := range []int{0, 1, 15, 63, 64, 1000, len(exe) / 2, len(exe) - 1} {
		symbols.Ask(file(t, exe[:size]), none{}) // either
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := scout.Open("", fifo, scout.Device{}); !errors.Is(err, scout.ErrNotRegular) {
		t.Error(err)
	}
	small := minimal(t)
	r := rand.New(rand.NewPCG(3, 4))
	read := 0
	for range 300 {
		bad := slices.Clone(small)
		for range 1 + r.IntN(12) {
			bad[r.IntN(min(len(bad), 64+r.IntN(len(bad))))] = byte(r.Uint32())
		}
		f := file(t, bad)
		if s, err := symbols.Ask(f, none{}); err == nil {
			read++
			for i := range s.Len() {
				s.Shown(i)
			}
		}
		f.Close()
	}
	list, _ := Refusals(0)
	t.Logf("%d of 300 made sense; refused: %d", read, len(list))
	if s, err := symbols.Ask(open(t, "/proc/self/exe"), none{}); err != nil || s.Len() < 1000 {
		t.Errorf("what is in order then has %d symbols, %v", s.Len(), err)
	}
}

// minimal returns a small file of ELF with symbols: one of this machine, if there is any.
func minimal(t *testing.T) []byte {
	for _, name := range []string{"/usr/bin/true", "/bin/true", "/bin/sh"} {
		if b, err := os.ReadFile(name); err == nil && len(b) < 1<<20 && bytes.HasPrefix(b, []byte(elf.ELFMAG)) {
			return b
		}
	}
	t.Skip("no small program is here")
	return nil
}

// TestSwaps changes a link 200 times and more between a program and a pipe while it is opened and read.
func TestSwaps(t *testing.T) {
	apart(t, Deadline)
	dir := t.TempDir()
	target := filepath.Join(dir, "prog")
	fifo, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, minimal(t), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(target)
	if err != nil {
		t.Fatal(err)
	}
	found := space.Found{Path: link, Stamp: space.StampOf(info)}
	stop, done := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for ; ; n++ {
			select {
			case <-stop:
				done <- n
				return
			default:
			}
			to := [...]string{target, fifo, "/dev/zero", "/proc/kcore", "/etc/passwd"}[n%5]
			os.Symlink(to, link+".new")
			os.Rename(link+".new", link)
		}
	}()
	scout.Warm()
	before := descriptors(t)
	read, refused := 0, 0
	for end := time.Now().Add(time.Minute); (read < 50 || read+refused < 200) && time.Now().Before(end); {
		f, err := found.Open()
		if err != nil {
			refused++
			continue
		}
		if _, err := symbols.Ask(File{File: f.File, Stamp: found.Stamp, Name: link}, none{}); err != nil {
			t.Errorf("what was opened is another file: %v", err)
		}
		read++
		f.Close()
	}
	close(stop)
	t.Logf("%d swaps; %d read, %d refused", <-done, read, refused)
	until(t, fmt.Sprintf("there are as many descriptors as before: %d", before), func() bool { return descriptors(t) <= before })
}
