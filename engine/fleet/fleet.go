// Package fleet makes one run of the runs of many machines: one script, asked of all of them,
// whose aggregations are merged exactly, whose events are put in order by time, and which is
// a trace.Run as that of one machine is. It knows no network: a Network reaches the machines
// (package nats does), and what comes of them is handed to a Merge, which is pure.
//
//	card     what a host says of itself: name, labels, kernel
//	update   one thing that has come of a host: that it began or refused, a message of its run
//	merge    the last snapshot of each host, put together when it is asked for
//	hold     how long events wait for those of other hosts that may be older
//	late     an event that came when later ones had been shown
//	lost     an event that a host has sent and that did not come
//
// The merged aggregations are a function of the last snapshot of each host and of nothing
// else: what order they came in, what came twice and what was skipped between changes
// nothing. So a snapshot that is lost is made up for by the next. Hosts that die keep the
// part that they had delivered.
//
// Keys are equal if they read alike, since addresses and numbers of processes mean nothing on
// another machine (key.go). With the option hostkey the host is the first key of each
// aggregation, and keys are equal if the host says so.
//
// Times of events are put on the clock of the reader: of each host it is known by how much
// its clock is ahead, within a bound that is half of what a question to it took there and
// back. So the order of events of two hosts is true as far as they lie further apart than
// the bounds of both together.
package fleet

import (
	"context"
	"fmt"
	"time"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// HostName is what scripts of a fleet call the host that they run on: a string, and the name
// of the key that the option hostkey puts first.
const HostName = "host"

// HostLibrary is a library of D that gives scripts on a host its name.
func HostLibrary(host string) string {
	return fmt.Sprintf("inline string %s = %q;\n", HostName, host)
}

// A Card is what a host says of itself.
type Card struct {
	Name     string
	Labels   map[string]string
	Kernel   string
	Machine  string // its architecture
	Program  string // version of dscope
	Instance string // another one each time that the agent starts
}

// A Network reaches hosts. What it delivers of one host is in order.
type Network interface {
	// Watch hands what hosts say of themselves to card, first of those that are there and then
	// as they come, until ctx ends. Card must not block.
	Watch(ctx context.Context, card func(Card))

	// Open prepares to ask for runs of a script.
	Open(s trace.Script) (Question, error)
}

// A Question is a script that hosts are asked to run.
type Question interface {
	// Ask asks a host, and does not wait. What comes of it is handed to update, by any
	// goroutine, until the call is closed; update may block, and nothing is lost by that but
	// what finds no room on the way, which is counted.
	Ask(c Card, update func(Update)) Call

	// Close closes all calls.
	Close()
}

// A Call is a run on one host.
type Call interface {
	Stop()  // asks the host to end it in order
	Close() // ends it there, whatever it is doing, and does not wait; nothing more is handed on
}

// An Update is one thing that has come of a host. The fields that are set count.
type Update struct {
	Host string

	Began   time.Time    // it runs there since, by the clock there
	Err     error        // it is not to run there: refused if it had not begun, else it is over
	Message wire.Message // of its run
	Sent    time.Time    // when the host sent this, by its clock: nothing older follows
	Lost    uint64       // events that have not come, and will not
	Dropped error        // it is over there though nobody here has ended it; the host can be asked again
	Clock   *Clock       // what is known of its clock now
}

// A Clock tells how far the clock of a host is ahead of that of the reader.
type Clock struct{ Ahead, Bound time.Duration }
