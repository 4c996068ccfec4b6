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

// next reads the next record, if there is one, into room.
func (r *ring) next(room []byte) (rec []byte, ok bool, err error) {
	rec, ok, err = r.Next(room[:0])
	if ok {
		const head, align = 8, 8 // BPF_RINGBUF_HDR_SZ, and that of records
		r.taken -= (head + len(rec) + align - 1) &^ (align - 1)
	}
	return rec, ok, err
}
