package drain

import (
	"bytes"
	"errors"
	"slices"

	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/plan"
)

// What becomes of records when nobody has read them yet and the buffer is full is
// told by bufpolicy, as the guide's chapter on buffers has it. With switch they are
// lost and counted. With fill, tracing ends as soon as one CPU has no room; with
// ring, new records take the place of the oldest; both print at the end. The
// kernel's own buffers know only the first way, so they are read as always and the
// records kept here, counted as DTrace counts them, which lets bufsize mean exactly
// what it says.

// A keeper holds the records of a run that prints at its end.
type keeper struct {
	policy options.Policy
	size   int // of the buffer of one CPU
	cpus   map[int]*kept
}

// kept is what a keeper holds of one CPU, the oldest first.
type kept struct {
	from    *ring
	records []sized
	bytes   int
}

// A sized record is one with what it counts for.
type sized struct {
	raw   []byte
	bytes int
}

func newKeeper(o *options.Options) *keeper {
	if o.Policy == options.SwitchPolicy {
		return nil
	}
	return &keeper{policy: o.Policy, size: o.BufSize, cpus: map[int]*kept{}}
}

// add keeps a record that counts for n bytes, and reports whether there was room.
func (k *keeper) add(from *ring, raw []byte, n int) bool {
	c := k.cpus[from.CPU]
	if c == nil {
		c = &kept{from: from}
		k.cpus[from.CPU] = c
	}
	if k.policy == options.FillPolicy && c.bytes+n > k.size {
		return false
	}
	c.bytes += n
	c.records = append(c.records, sized{bytes.Clone(raw), n})
	for c.bytes > k.size && len(c.records) > 1 {
		c.bytes -= c.records[0].bytes
		c.records[0] = sized{}
		c.records = c.records[1:]
	}
	return true
}

// keep takes a record that is to be printed at the end.
func (d *Drain) keep(from *ring, raw []byte) {
	n, exits := d.dec.Weigh(raw)
	if !d.kept.add(from, raw, n) {
		d.exited = true
		return
	}
	d.exited = d.exited || exits
}

// giveUpKept delivers what was kept, CPU by CPU. What END records comes after it.
func (d *Drain) giveUpKept() error {
	k := d.kept
	if k == nil {
		return nil
	}
	d.kept = nil
	var cpus []int
	for cpu := range k.cpus {
		cpus = append(cpus, cpu)
	}
	slices.Sort(cpus)
	for _, cpu := range cpus {
		for _, r := range k.cpus[cpu].records {
			if !d.room() {
				d.deliver()
			}
			if err := d.decodeRecord(k.cpus[cpu].from, r.raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// leastBuffer is how many bytes a buffer needs to hold any record at all, in
// DTrace 2, which knows no other policy than switch.
const leastBuffer = 60

// errBuffer says that a clause can never record, in dtrace(1)'s words.
var errBuffer = errors.New("could not enable tracing: Enabling exceeds size of buffer")

// Fits returns nil if each clause of a script can record into its buffer, and each
// aggregation can hold a key.
func (d *Drain) Fits() error {
	least := d.dec.Heaviest()
	if d.opt.Policy == options.SwitchPolicy {
		least = max(least, leastBuffer)
	}
	if len(d.rings) > 0 && d.opt.BufSize < least {
		return errBuffer
	}
	room := plan.AggRoom(d.c.Lowered, d.opt.StrSize)
	for i, a := range d.c.Lowered.IR.Aggs[:len(room)] {
		const head = 8 // of an entry, which holds one word at least
		if d.opt.AggSize < room[i]+8*min(a.Words, 1)+head {
			return errBuffer
		}
	}
	return nil
}
