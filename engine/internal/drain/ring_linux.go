package drain

import (
	"time"

	"dscope.dev/engine/internal/load"
)

// A ring is the record buffer of one CPU, with what the drain knows of it.
type ring struct {
	*load.Ring
	taken int // bytes left of what it held when the aggregations were taken last; less than 0 beyond

	emptied time.Time // the turn that last found nothing more
	commit  *commit   // what it waits for; nil if it can be read
}

// mostUnfreed is after how many bytes of records the programs get their room back, or a
// part of a small buffer.
const mostUnfreed = 16 << 10

// next returns the next record where it lies, if there is one: it is good until next or
// free is called.
func (r *ring) next() (rec []byte, ok bool, err error) {
	if n := r.Unfreed(); n > mostUnfreed || n > r.Size()/8 {
		r.Free()
	}
	rec, ok, err = r.Next()
	if !ok {
		r.Free()
		return nil, false, err
	}
	const head, align = 8, 8 // BPF_RINGBUF_HDR_SZ, and that of records
	r.taken -= (head + len(rec) + align - 1) &^ (align - 1)
	return rec, true, nil
}
