// Package trace holds what leaves the engine: plain values about probes, runs
// and what they found. The screen, the text printer and the recorder know the
// engine by this package alone, and nothing in it refers back to the kernel,
// so that what crosses here can also cross a socket or rest in a file.
//
// The words, one each:
//
//	probe     a place, provider:module:function:name
//	provider  a family of probes
//	clause    probes, predicate, actions
//	site      a probe made ready for the compiler
//	cell      one CPU's value of one aggregation key
//	drain     reading what the per-CPU buffers hold
//	snapshot  all aggregations at one moment, merged
//	event     one record of one firing
//	drop      something that fired and could not be kept
//	run       one execution of a script, live or replayed
//
// Values are immutable once they have been sent.
package trace

import (
	"errors"
	"fmt"
	"time"
)

// A Run is a script in progress. Its channels are independent: a reader that
// is late on one does not hold up the others, nor the drain. The end alone waits
// for the reader: the last snapshot and status follow the last events.
type Run interface {
	// Began is when the run began, of which Elapsed counts: long ago if it is replayed.
	Began() time.Time

	// Snapshots delivers the state of the aggregations. A slow reader skips
	// states but never sees a torn one. Closed after the last.
	Snapshots() <-chan Snapshot

	// Events delivers what the clauses recorded, in order, in batches. The
	// queue is bounded: behind a stalled reader records wait in the kernel's
	// buffers, and what these lose is counted in an event of kind DropEvent.
	// Closed after the last.
	Events() <-chan []Event

	// Status delivers the state of the run. A slow reader skips states but
	// always gets the last, whose State is Done or Failed. Closed after it.
	Status() <-chan Status

	// Stop asks the run to end as Ctrl-C does: detach, fire END, drain, and
	// close the channels. It does not wait, and may be called twice.
	Stop()

	// Close stops, waits until the kernel holds nothing of the run, and frees
	// everything. What was not read is thrown away. It may be called twice.
	Close() error
}

// A State is how far a run has come.
type State uint8

// The states, in the order in which a run passes through them.
const (
	Starting State = iota
	Running
	Stopping // detached; END and the last drain are under way
	Done
	Failed // Status.Err says why
)

// ErrUnresponsive is what a run failed with that left the machine no time for anything
// else. What it had recorded and aggregated by then is whole.
var ErrUnresponsive = errors.New("processing aborted: Abort due to systemic unresponsiveness")

// ErrTooDear is what a run failed with that took more of the machine than it was allowed
// (option airbag). It was detached; what it had recorded and aggregated by then is whole.
var ErrTooDear = errors.New("detached")

// A DearError is an ErrTooDear with what the run took, as shares of all CPUs.
type DearError struct{ Share, Limit float64 }

func (e *DearError) Error() string {
	return fmt.Sprintf("%v: its programs took %.0f%% of all CPUs, more than airbag=%.0f%%; enable fewer probes, or set -x airbag=%.0f%% or off",
		ErrTooDear, 100*e.Share, 100*e.Limit, min(100*e.Share*1.5, 100))
}

// Unwrap makes it an ErrTooDear.
func (e *DearError) Unwrap() error { return ErrTooDear }

// Whole reports whether a run that failed with err has delivered all that it had: it was
// ended for the machine's sake.
func Whole(err error) bool { return errors.Is(err, ErrUnresponsive) || errors.Is(err, ErrTooDear) }

// String returns s as the status line shows it.
func (s State) String() string {
	return [...]string{"starting", "running", "stopping", "done", "failed"}[s]
}

// Status is the state of a run at one moment.
type Status struct {
	State   State
	Elapsed time.Duration // since the run started
	Events  uint64        // records delivered since the start
	Rate    float64       // records delivered a second, over the last interval
	Probes  int           // probes enabled
	Drops   []Drop        // all that was lost since the start, by kind, and by what it concerns where that is known
	Exit    int           // the status given to exit(), once Done
	Exited  bool          // whether exit() ended the run, once Done
	Err     error         // set if State is Failed
	Cost    Cost          // what its programs take of the machine, if that is asked for
	Before  Estimate      // what they were expected to take before the run began, if that was counted
	Hooks   []string      // how probes were attached, one line a hook, for -v; then those that are missing
	Missing []string      // those of Hooks that are missing
	Hosts   []Host        // of a fleet: each machine that was asked, by name
}

// A Host is one machine of a fleet, as the run on it stands.
type Host struct {
	Name    string
	Kernel  string
	State   State         // Failed if it was refused there, or has died: what it had delivered by then stays
	Refused bool          // it was never begun there
	Why     string        // of Failed
	Probes  int           // enabled there
	Events  uint64        // that have come of it
	Keys    int           // of its aggregations, in the newest snapshot that has come
	Behind  time.Duration // for how long what it has may not have come yet; 0 if it has ended
	Silent  time.Duration // for how long nothing has come of it; 0 if it is heard as often as it should be
	Clock   time.Duration // how far its clock is ahead of ours, within Bound
	Bound   time.Duration // 0 if that is not known yet
	Late    uint64        // events that came when later ones had been shown
	Lost    uint64        // events that were lost on the way
	Drops   uint64        // what was lost there
}

// Cost is what the programs of a run took in the last window in which the kernel timed
// them. What it takes to get into a program is not in it: some 10 ns at a tracepoint, some
// 100 ns at a kprobe, a microsecond at a uprobe.
type Cost struct {
	Window  time.Duration // 0 if there was none yet
	Share   float64       // of the time of all CPUs, 0 to 1
	Hits    float64       // firings a second that have reached programs
	Clauses []ClauseCost  // those that were reached, in order
}

// A ClauseCost is the part of one clause. A program may serve several; they have equal
// parts of it.
type ClauseCost struct {
	Clause uint32  // number of the enabled clause, from 1
	Hits   float64 // firings a second that have reached its programs, whatever its predicate said
	Nanos  float64 // of each of them, ns; of a clock with its looks at the time
	Share  float64 // of the time of one CPU
}

// A Drop counts what fired and could not be kept.
type Drop struct {
	Kind  DropKind
	CPU   int // -1 if it is not known or concerns all
	Count uint64
	Where string // the probe, aggregation or variable concerned; may be empty
	Cure  string // in a Status: the option, as -x has it, that makes such drops rarer; "" if none does
}

// A DropKind says what was lost.
type DropKind uint8

// The kinds of drops. The first eight are DTrace's. Nothing produces DropSpecBusy,
// DropStackString, DropString, DropMissed and DropReader now; they keep their numbers, by
// which recordings tell kinds.
const (
	DropPrincipal   DropKind = iota // a record found the buffer of its CPU full
	DropAggregation                 // an aggregation had no room for a new key
	DropDynamic                     // a dynamic variable found no room
	DropSpecBuffer                  // a speculation had no room
	DropSpecBusy                    // a speculation was busy on another CPU
	DropSpecNone                    // no speculation was free
	DropStackString                 // a string of a user stack had no room
	DropError                       // an ERROR firing could not be recorded
	DropStack                       // a stack used as a key collided with another or found no room
	DropString                      // a string was cut at strsize
	DropRecursion                   // a program was skipped because it, or another one, was already running on the CPU
	DropMissed                      // the kernel missed a return
	DropReader                      // the reader of the run was too slow for its queue
)

// DropKinds is how many there are.
const DropKinds = int(DropReader) + 1

// A Probe is one named place.
type Probe struct {
	ID                               uint32
	Provider, Module, Function, Name string
}

// String returns provider:module:function:name.
func (p Probe) String() string {
	return p.Provider + ":" + p.Module + ":" + p.Function + ":" + p.Name
}

// ProbeInfo is what is known of a probe beyond its name.
type ProbeInfo struct {
	Probe
	Args        []Arg
	Help        string // a sentence on what it means; may be empty
	Hook        string // how it would be attached: "tp_btf sys_enter"
	Unavailable string // why it cannot be enabled here; "" if it can
}

// An Arg is one of the typed arguments of a probe: args[0], args[1], …
type Arg struct {
	Name string // "" if not known
	Type string // as D writes it: struct task_struct *
}

// ProviderInfo is what is known of a family of probes.
type ProviderInfo struct {
	Name        string
	Help        string
	Unavailable string // why this kernel or these privileges cannot give it; "" if they can
	Processes   bool   // its probes are those of one process each, and are listed when that is asked for
}

// An Explanation is what a word of a script means.
type Explanation struct {
	From, To int      // the word, in bytes of the script
	Decl     string   // as D would declare it, or the probes that it covers; lines
	Help     string   // what it means, in a sentence without a full stop; may be empty
	Notes    []string // what else is to be known, a sentence each
}

// A Completion is one thing that could stand at the cursor.
type Completion struct {
	Text   string // what replaces the word under the cursor
	Detail string // its type or its meaning
	Kind   CompletionKind
	Name   string // what it is chosen by; "" if that is Text
}

// Label returns what a list shows of it, and what typing narrows the list by.
func (c Completion) Label() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Text
}

// A CompletionKind says what a Completion would insert.
type CompletionKind uint8

// The kinds of completions.
const (
	CompleteProbe CompletionKind = iota
	CompleteVariable
	CompleteFunction
	CompleteMember
	CompleteAggregation
	CompleteKeyword
	CompleteType
	CompleteOption
	CompleteFile
	CompleteSnippet
)
