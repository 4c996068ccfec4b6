package python

import (
	"errors"
	"io"
	"os"
	"time"
)

// patience is how long a process may take to bring what is read of its memory.
const patience = time.Second

// ErrHangs says that memory of a process could not be read in time.
var ErrHangs = errors.New("the memory of the process cannot be read in time")

// Ask has f read memory of a process, path of which is its file mem. A page may be one that the process
// itself brings when somebody reads it (userfaultfd, or a file of its own file system), or
// never does: so nobody waits for long. Such a process should not be asked again, for the one who reads
// stays until the process ends.
func Ask[T any](path string, f func(io.ReaderAt) (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		mem, err := os.Open(path)
		if err != nil {
			done <- answer{err: err}
			return
		}
		defer mem.Close()
		v, err := f(mem)
		done <- answer{v, err}
	}()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case a := <-done:
		return a.v, a.err
	case <-late.C:
		var none T
		return none, ErrHangs
	}
}
