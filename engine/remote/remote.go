// Package remote carries a tracer over one stream: a Server has it, and a Client is the same
// tracer for a screen or a command line on the other side. The stream is whatever carries
// bytes both ways, such as the channel of ssh or a socket.
//
//	greeting   each side says who it is and which versions it speaks (greeting.go)
//	yamux      many calls on the one stream, each with a window, and a pulse
//	call       an ask, and its answers, as CBOR; a closed call is a canceled one (message.go)
//	run        a call whose answer is a stream of engine/wire (run.go)
//	command    a call that is a command line there: what it prints comes as answers
//
// A run never waits for the network. What it delivers goes through a wire.Queue at the
// server, and its end there does not depend on who reads: what finds no room is counted and
// told. At the client the channels of a run are independent of each other as those of the
// engine are.
//
// When the stream breaks, or when the other side has been silent for Silence, the server
// closes all runs and the client ends its own as failed with a LostError. Neither side
// trusts the other: messages are bounded, and what would make a consumer fail is refused.
package remote

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hashicorp/yamux"
)

// A pulse goes both ways in every Pulse. Who has not answered one for Silence is dead.
const (
	Pulse   = 2 * time.Second
	Silence = 5 * time.Second
)

// mostCalls is how many calls of a client go on at once.
const mostCalls = 64

// newConfig returns the settings of yamux.
func newConfig() *yamux.Config {
	c := yamux.DefaultConfig()
	c.KeepAliveInterval, c.ConnectionWriteTimeout = Pulse, Silence
	c.StreamOpenTimeout = Silence
	c.AcceptBacklog = mostCalls
	c.LogOutput = io.Discard // what goes wrong is told as an error
	return c
}

// A LostError is that the other side is not there any more.
type LostError struct {
	Peer string // how people call it; may be empty
	Err  error  // why, as far as it is known
}

func (e *LostError) Error() string {
	peer := e.Peer
	if peer == "" {
		peer = "the other side"
	}
	return fmt.Sprintf("the connection to %s was lost: %v", peer, e.Err)
}

// Unwrap returns why.
func (e *LostError) Unwrap() error { return e.Err }

// A watched stream remembers how it broke.
type watched struct {
	io.ReadWriteCloser
	mu     sync.Mutex
	broken error
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.ReadWriteCloser.Read(b)
	w.note(err)
	return n, err
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.ReadWriteCloser.Write(b)
	w.note(err)
	return n, err
}

func (w *watched) note(err error) {
	if err == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken == nil {
		w.broken = err
	}
}

// why returns how the stream broke.
func (w *watched) why() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch w.broken {
	case nil:
		return fmt.Errorf("no answer for %v", Silence)
	case io.EOF:
		return fmt.Errorf("it was closed there")
	}
	return w.broken
}
