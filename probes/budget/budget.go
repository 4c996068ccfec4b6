// Package budget bounds what the reading of one file may cost.
//
// Root reads files that anybody may have written, and a file can claim anything
// of itself. So each is read on a Budget of memory and of work, and both are
// taken before they are spent: a count that a file claims is held against what is
// left first, and only then is memory made for it. What is beyond the budget is an
// *Exceeded, which says what was asked for and how much there was.
//
// Memory is what stays: it is given back by who took it, when it lets go of it.
// Work is gone when it is done. A file that is asked again and again (addresses of
// stacks, say) earns a little work with each question, so that honest files never
// run out, and a hostile one costs its budget once and next to nothing afterwards.
package budget

import (
	"fmt"
	"io"
	"sync"
)

// A Budget is what is left to be spent on one file. Its methods may be called from
// several goroutines. A nil Budget has no bounds.
type Budget struct {
	mu     sync.Mutex
	memory uint64 // bytes left
	work   uint64 // steps left
	of     Limits
}

// Limits are what a Budget begins with.
type Limits struct {
	Memory uint64 // bytes
	Work   uint64 // steps, of some ten nanoseconds each
}

// New returns a budget of which nothing is spent.
func New(of Limits) *Budget { return &Budget{memory: of.Memory, work: of.Work, of: of} }

// An Exceeded says that something would have cost more than was left.
type Exceeded struct {
	What  string // that was to be read: "its symbols"
	Bytes uint64 // that it would have taken; 0 if it was the work that was too much
	Limit uint64 // of the budget, in bytes or steps
}

func (e *Exceeded) Error() string {
	if e.Bytes == 0 {
		return fmt.Sprintf("%s would take too long to read", e.What)
	}
	return fmt.Sprintf("%s would take %s of memory, and reading one file may take %s", e.What, Size(e.Bytes), Size(e.Limit))
}

// Size returns a number of bytes as people say it.
func Size(n uint64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Take takes memory for count things of size bytes each, or nothing.
func (b *Budget) Take(what string, count, size uint64) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if size != 0 && count > b.memory/size {
		return &Exceeded{What: what, Bytes: times(count, size), Limit: b.of.Memory}
	}
	b.memory -= count * size
	return nil
}

// times multiplies, up to the largest number there is.
func times(a, b uint64) uint64 {
	if b != 0 && a > (1<<64-1)/b {
		return 1<<64 - 1
	}
	return a * b
}

// Give gives memory back that was taken.
func (b *Budget) Give(n uint64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.memory = min(b.memory+n, b.of.Memory)
}

// Taken returns how much memory is taken.
func (b *Budget) Taken() uint64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of.Memory - b.memory
}

// Spend spends work, or reports that there is not so much left.
func (b *Budget) Spend(what string, steps uint64) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if steps > b.work {
		b.work = 0
		return &Exceeded{What: what, Limit: b.of.Work}
	}
	b.work -= steps
	return nil
}

// Earn adds work for one question more, never beyond what the budget began with.
func (b *Budget) Earn(steps uint64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.work = min(b.work+steps, b.of.Work)
}

// chunk is how much is read at once of what may be of any length.
const chunk = 1 << 20

// ReadAll reads r to its end, at most limit bytes of it, and takes the memory chunk
// by chunk: what unpacks to more than there is costs no more than there is.
func (b *Budget) ReadAll(what string, r io.Reader, limit uint64) ([]byte, error) {
	var data []byte
	for {
		if uint64(len(data)) > limit {
			b.Give(uint64(len(data)))
			return nil, &Exceeded{What: what, Bytes: uint64(len(data)), Limit: limit}
		}
		if err := b.Take(what, 1, chunk); err != nil {
			b.Give(uint64(len(data)))
			return nil, err
		}
		from := len(data)
		data = append(data, make([]byte, chunk)...)
		n, err := io.ReadFull(r, data[from:])
		data = data[:from+n]
		b.Give(uint64(chunk - n))
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return data, nil
		default:
			b.Give(uint64(len(data)))
			return nil, err
		}
	}
}
