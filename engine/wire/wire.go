// Package wire carries what leaves the engine: from the tracer to a screen that runs
// elsewhere, to a recording, to another machine. It is one stream of messages, written
// to an io.Writer and read from an io.Reader, without seeking.
//
//	frame   head, then one or more messages, packed with zstd
//	head    48 bytes: magic, flags, order, run, lengths, checksums, times (see Head)
//	first   the form of all types by the names of their fields, then Hello
//	others  messages: the number of its type, its length, its fields
//
// The values are those of engine/trace themselves: the code reads their types (plan.go),
// so a field that is added there crosses without a word here. A reader matches fields by
// their names: those that it does not know it skips, those that the writer did not know
// stay empty. Fields that are empty take a bit; numbers are as short as they can be;
// strings keep every byte.
//
// What repeats is written once and then called by a number: strings, probes, frames,
// stacks, bounds of buckets, origins. Snapshots are written as differences from the one
// before (change.go). A key frame forgets all of that and repeats the state of the run,
// so that a reader can begin there. There is one whenever so much has been written since
// the last that it costs little, and so reading from one to any moment costs little too.
//
// Nothing that is read is trusted. A head says how long its frame is and is refused above
// a bound before memory is taken; a list is refused that claims more elements than bytes
// are there; each piece of memory is counted before it is taken (Limits); and what would
// make a consumer fail, such as an aggregating function without a name, is refused by the
// name of what is wrong. All before the damage has been delivered by then.
package wire

import (
	"fmt"
	"reflect"
	"time"

	"dscope.dev/engine/trace"
)

// Version is that of frames and of the messages' meaning. New fields and new messages do
// not change it.
const Version = 1

// A Message is one thing that crosses.
type Message interface{ message() }

// A Hello is the first message: where what follows comes from.
type Hello struct {
	Made    time.Time
	Kernel  string
	Machine string // its architecture
}

// Providers, Probes and Infos tell of a machine before its runs. Each may come in parts.
type (
	Providers struct{ List []trace.ProviderInfo }
	Probes    struct{ List []trace.Probe }
	Infos     struct{ List []trace.ProbeInfo }
)

// A Begin begins a run. Runs of one stream follow each other.
type Begin struct {
	Run    int // counts up from 1
	Script trace.Script
	Began  time.Time
}

// Events are what clauses recorded, delivered when the run had lasted At.
type Events struct {
	At   time.Duration
	List []trace.Event
}

// A Snapshot is the state of all aggregations, delivered when the run had lasted At.
type Snapshot struct {
	At       time.Duration
	Snapshot trace.Snapshot
}

// A Status is the state of the run.
type Status struct {
	At     time.Duration
	Status trace.Status
}

// An End is the last message of a run, or of that which this stream has of it.
type End struct {
	At   time.Duration
	More bool // it goes on in another stream
}

// A Refusal answers a script that was not started.
type Refusal struct{ Err error }

func (*Hello) message()     {}
func (*Providers) message() {}
func (*Probes) message()    {}
func (*Infos) message()     {}
func (*Begin) message()     {}
func (*Events) message()    {}
func (*Snapshot) message()  {}
func (*Status) message()    {}
func (*End) message()       {}
func (*Refusal) message()   {}

// The messages that make up a Snapshot on the wire, and the one that begins a key frame.
type (
	rows   struct{ List []trace.Row } // that the next change puts in, in order
	change struct {
		Table int          // index
		Shape *trace.Table // without its rows; nil if it is as before
		Rows  int          // how many it has now
		Edits edits
	}
	moment struct {
		At       time.Duration
		Again    bool // it was delivered before the key frame
		Tables   int
		Snapshot trace.Snapshot // without its tables
	}
	resume struct {
		Begin  Begin
		Status *Status // as it was last; nil if there was none
	}
)

// messages are the types that have a number of their own, by that number.
func messages() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[Hello](), reflect.TypeFor[Providers](), reflect.TypeFor[Probes](), reflect.TypeFor[Infos](),
		reflect.TypeFor[Begin](), reflect.TypeFor[Events](), reflect.TypeFor[Status](), reflect.TypeFor[End](), reflect.TypeFor[Refusal](),
		reflect.TypeFor[rows](), reflect.TypeFor[change](), reflect.TypeFor[moment](), reflect.TypeFor[resume](), reflect.TypeFor[index](),
	}
}

// Limits bound what a reader takes of a stream that nobody vouches for.
type Limits struct {
	Message uint64 // bytes of memory for what one message becomes; 0 is 512 MiB
	State   uint64 // bytes of memory for the aggregations; 0 is 1 GiB
	Work    int64  // rows that may be copied, besides some for each byte that is read; 0 is 268 million
}

// workPerByte is how many rows may be copied for each byte of a frame, packed: a stream that
// changes one row of a million each second needs a third of that.
const workPerByte = 1 << 15

func (l Limits) or() Limits {
	if l.Message == 0 {
		l.Message = 512 << 20
	}
	if l.State == 0 {
		l.State = 1 << 30
	}
	if l.Work == 0 {
		l.Work = 1 << 28
	}
	return l
}

// MaxFrame bounds a frame, packed or not.
const MaxFrame = 64 << 20

// A DamageError says that a stream is not what was written, from a byte on.
type DamageError struct {
	Offset int64 // of the frame
	Err    error
}

func (e *DamageError) Error() string { return fmt.Sprintf("damaged at byte %d: %v", e.Offset, e.Err) }

// Unwrap returns what is wrong.
func (e *DamageError) Unwrap() error { return e.Err }
