package python

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestAsk waits for a process that does not answer, but not for long. A pipe that nobody writes is one.
func TestAsk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mem")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, err := Ask(path, func(io.ReaderAt) (int, error) { return 1, nil })
	if took := time.Since(began); !errors.Is(err, ErrHangs) || took < patience {
		t.Errorf("%v after %v", err, took)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0) // and the one who waits goes on
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n, err := Ask(path, func(io.ReaderAt) (int, error) { return 1, nil }); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := Ask(filepath.Join(path, "none"), func(io.ReaderAt) (int, error) { return 1, nil }); err == nil || errors.Is(err, ErrHangs) {
		t.Errorf("what does not exist: %v", err)
	}
}
