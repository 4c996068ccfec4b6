package remote

import (
	"sync"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// roomy is how much memory events may take that nobody has taken yet.
const roomy = 32 << 20

// A backlog holds the events of a run until they are taken, in order. It is bounded: what
// finds no room is counted.
type backlog struct {
	to   chan<- []trace.Event
	quit <-chan struct{} // nobody takes any more
	room int             // bytes

	mu     sync.Mutex
	cond   *sync.Cond // something has been put, taken, or given up
	list   []batch    // the first of them may be on its way to the reader
	bytes  int
	lost   uint64 // events that no event of kind DropEvent has told of yet
	total  uint64 // events that found no room
	over   bool   // nothing more comes
	nobody bool   // quit is closed
}

type batch struct {
	events []trace.Event
	bytes  int
}

func newBacklog(to chan<- []trace.Event, quit <-chan struct{}) *backlog {
	b := &backlog{to: to, quit: quit, room: roomy}
	b.cond = sync.NewCond(&b.mu)
	return b
}

// put adds events. It does not wait.
func (b *backlog) put(list []trace.Event) {
	size := wire.EventsSize(list)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes > 0 && b.bytes+size > b.room {
		n := uint64(trace.Firings(list))
		b.lost += n
		b.total += n
		return
	}
	b.tell()
	b.bytes += size
	b.list = append(b.list, batch{list, size})
	b.cond.Broadcast()
}

// tell tells of the events that were thrown away, where they would have been.
func (b *backlog) tell() {
	if b.lost == 0 {
		return
	}
	b.list = append(b.list, batch{events: []trace.Event{{Kind: trace.DropEvent, Time: time.Now(),
		Drop: trace.Drop{Kind: trace.DropReader, CPU: -1, Count: b.lost}}}})
	b.lost = 0
}

// withLost adds to the drops of a run what found no room here.
func (b *backlog) withLost(drops []trace.Drop) []trace.Drop {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total == 0 {
		return drops
	}
	return append(drops[:len(drops):len(drops)], trace.Drop{Kind: trace.DropReader, CPU: -1, Count: b.total})
}

// settle waits until all events have been taken, or nobody takes any.
func (b *backlog) settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.list) > 0 && !b.nobody {
		b.cond.Wait()
	}
}

// end says that no more events come, and waits as settle does.
func (b *backlog) end() {
	b.mu.Lock()
	b.tell()
	b.over = true
	b.cond.Broadcast()
	b.mu.Unlock()
	b.settle()
}

// deliver hands events over as they are taken, until the last.
func (b *backlog) deliver() {
	for {
		b.mu.Lock()
		for len(b.list) == 0 && !b.over {
			b.cond.Wait()
		}
		if len(b.list) == 0 {
			b.mu.Unlock()
			return
		}
		first := b.list[0]
		b.mu.Unlock()
		select {
		case b.to <- first.events:
		case <-b.quit:
			b.mu.Lock()
			b.nobody = true
			b.cond.Broadcast()
			b.mu.Unlock()
			return
		}
		b.mu.Lock()
		b.list[0] = batch{}
		b.list = b.list[1:]
		b.bytes -= first.bytes
		b.cond.Broadcast()
		b.mu.Unlock()
	}
}
