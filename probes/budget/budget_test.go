package budget

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

func TestTake(t *testing.T) {
	b := New(Limits{Memory: 100})
	var e *Exceeded
	if err := b.Take("its table", 1<<62, 8); !errors.As(err, &e) || e.Bytes != 1<<64-1 {
		t.Errorf("a count that overflows gives %v", err)
	}
	if err := b.Take("its table", 10, 8); err != nil || b.Taken() != 80 {
		t.Errorf("took %d, %v", b.Taken(), err)
	}
	if err := b.Take("its names", 1, 21); err == nil || err.Error() != "its names would take 21 bytes of memory, and reading one file may take 100 bytes" {
		t.Error(err)
	}
	b.Give(80)
	if err := b.Take("its names", 1, 100); err != nil {
		t.Error(err)
	}
}

func TestWork(t *testing.T) {
	b := New(Limits{Work: 10})
	if err := b.Spend("its lines", 11); err == nil {
		t.Error("more was spent than there was")
	}
	if err := b.Spend("its lines", 1); err == nil {
		t.Error("a refused question left something")
	}
	b.Earn(3)
	if err := b.Spend("its lines", 3); err != nil {
		t.Error(err)
	}
	b.Earn(50)
	if err := b.Spend("its lines", 11); err == nil {
		t.Error("more was earned than there was to begin with")
	}
}

func TestReadAll(t *testing.T) {
	const size = 3*chunk + 5
	source := func() io.Reader { return bytes.NewReader(make([]byte, size)) }
	for _, c := range []struct {
		memory, limit uint64
		ok            bool
	}{{8 * chunk, size, true}, {8 * chunk, chunk, false}, {2 * chunk, size, false}} {
		b := New(Limits{Memory: c.memory})
		data, err := b.ReadAll("it", source(), c.limit)
		if c.ok != (err == nil) || c.ok && len(data) != size || b.Taken() != uint64(len(data)) {
			t.Errorf("%+v: %d bytes, %v; %d taken", c, len(data), err, b.Taken())
		}
	}
}
