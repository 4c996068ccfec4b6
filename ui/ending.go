package ui

import (
	"os"
	"sync/atomic"
	"time"
)

// giving is how a canvas gives back a terminal that may take nothing any more.
type giving struct {
	begun   atomic.Bool // no more pictures
	flushed bool        // what the terminal had not taken has been thrown away; c.out guards it
	dead    bool        // it takes nothing all the same
}

// slow is how long a terminal may take for what it is sent while the program ends.
const slow = 60 * time.Millisecond

// end says that the program ends: there are no more pictures, and what waits for the
// terminal waits no longer than slow.
func (c *canvas) end() {
	c.over.begun.Store(true)
	c.pen.SetWriteDeadline(time.Now().Add(slow)) // of what is being written now; none where it cannot be had
}

// write writes what gives the terminal back, or anything before the end. A terminal that
// does not read has its queue full; that is thrown away, so that what gives the terminal
// back has room there and is what it reads first when it reads again.
func (c *canvas) write(b []byte) (int, error) {
	if !c.over.begun.Load() {
		n, err := c.pen.Write(b)
		if err == nil || !c.over.begun.Load() {
			return n, err
		}
	}
	for !c.over.dead {
		c.pen.SetWriteDeadline(time.Now().Add(slow))
		_, err := c.pen.Write(b)
		if err == nil {
			break
		}
		c.over.dead = c.over.flushed || !os.IsTimeout(err)
		if !c.over.flushed {
			c.over.flushed = true
			discard(c.tty)
		}
	}
	return len(b), nil // whoever gives the terminal back is not to stop half way
}
