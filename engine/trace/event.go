package trace

import "time"

// An Event is one record of one firing, or a word from the engine that belongs
// at this point of the output.
type Event struct {
	Kind   EventKind
	Time   time.Time // when it was drained, or when it fired if the run keeps times
	CPU    int
	Probe  Probe
	Clause uint32  // number of the enabled clause, from 1; 0 if it is not known
	Items  []Item  // of kind DataEvent
	Drop   Drop    // of kind DropEvent: Count is what was lost since the last report
	Fault  Fault   // of kind FaultEvent
	Exit   int     // of kind ExitEvent
	Host   string  // the machine of a fleet that it comes from; "" if there is but one
	Prints *Prints // of kind PrintsEvent
}

// An EventKind says what an Event is.
type EventKind uint8

// The kinds of events.
const (
	DataEvent   EventKind = iota // what a clause recorded
	DropEvent                    // something was lost here
	FaultEvent                   // a clause was given up: an ERROR firing
	ExitEvent                    // exit() was called; nothing produces it: Status tells of it
	NoticeEvent                  // the engine has something to tell of the run: Items[0].Text; of kind WarnItem what may be missing from it
	PrintsEvent                  // many firings at once: Prints
)

// An Item is the result of one recording action.
type Item struct {
	Kind  ItemKind
	Text  string // printf and printa: the formatted text, control codes of traced data included
	Value Value  // trace, tracemem, stack, ustack, sym, …
	Rare  *Rare  // nil if all of it is empty; see Rest
}

// Rare is what few items have. It lies apart because a run may deliver millions
// of the others.
type Rare struct {
	Args   []Value  // printf, if the run was asked for it: the values that were formatted
	Tables []Table  // printa without a format, or if the run was asked for it: the aggregations as they stood
	Output string   // of kind SystemItem: what the command wrote, if the run kept it; else it is for the reader to run it
	Packet *Packet  // of kind PcapItem; nil if there was none
	Names  []string // printa: the aggregations that it printed rows of, which are not printed again at the end
}

// Rest returns what few items have.
func (it *Item) Rest() Rare {
	if it.Rare == nil {
		return Rare{}
	}
	return *it.Rare
}

// An ItemKind says which action recorded an Item.
type ItemKind uint8

// The kinds of items.
const (
	ValueItem     ItemKind = iota // trace(x) and its like
	PrintfItem                    // printf(): Text
	PrintaItem                    // printa("format", @a): Text
	TablesItem                    // printa(@a): Tables
	StackItem                     // stack(), ustack() as actions: Value
	SymItem                       // sym(), usym(), …: Value
	BytesItem                     // tracemem(): Value
	SetoptItem                    // setopt("name", "value"): Text is name=value; nothing is printed
	EmptyItem                     // an action that prints nothing, such as clear() or normalize()
	SystemItem                    // system(): Text is the command, which runs here in the output
	FreopenItem                   // freopen(): Text is the file that what follows goes to; "" is where it went at first
	FtruncateItem                 // ftruncate(): the file that the output goes to is emptied
	PrintItem                     // print(): Text, lines of a value with its type
	PcapItem                      // pcap(): Packet
	WarnItem                      // Text is a complaint of the engine about an action, not part of the output
)

// LastItem is the greatest of the kinds of items.
const LastItem = WarnItem

// Notice returns the text of a NoticeEvent.
func (e *Event) Notice() string {
	if len(e.Items) == 0 {
		return ""
	}
	return e.Items[0].Text
}

// A Packet is what pcap() captured.
type Packet struct {
	Time   time.Time
	Proto  uint32 // what the bytes begin with, as libpcap numbers it: DLT_…
	Length uint32 // bytes that the packet had
	Data   string // those that were kept
}

// A Fault is the reason for which a clause was given up.
type Fault struct {
	Kind   FaultKind
	Addr   uint64 // the bad address, where the kind has one; of FaultLoop the bound, in rounds
	EPID   uint32 // number of the enabled clause, from 1
	Action int    // number of the action within the clause, from 1; 0 is the predicate
	Line   int    // line of the script, or of File
	File   string // that the line is in, such as a library; "" if that is the script itself
	PC     int    // instruction of the program that found it; 0 if it is not known
}

// A FaultKind is the kind of a fault, numbered as arg4 of an ERROR probe is.
type FaultKind uint8

// The kinds of faults, numbered as DTrace numbers them.
const (
	FaultUnknown   FaultKind = iota // DTRACEFLT_UNKNOWN
	FaultBadAddr                    // DTRACEFLT_BADADDR
	FaultBadAlign                   // DTRACEFLT_BADALIGN
	FaultIllop                      // DTRACEFLT_ILLOP
	FaultDivZero                    // DTRACEFLT_DIVZERO
	FaultNoScratch                  // DTRACEFLT_NOSCRATCH
	FaultKpriv                      // DTRACEFLT_KPRIV
	FaultUpriv                      // DTRACEFLT_UPRIV
	FaultTupOflow                   // DTRACEFLT_TUPOFLOW
	FaultBadStack                   // DTRACEFLT_BADSTACK
	FaultBadSize                    // DTRACEFLT_BADSIZE
	FaultBadIndex                   // DTRACEFLT_BADINDEX

	FaultLoop FaultKind = 64 // a loop met its bound; DTrace has no loops
)

// Known reports whether k is one of the kinds.
func (k FaultKind) Known() bool { return k <= FaultBadIndex || k == FaultLoop }

// String returns DTrace's words for the kind.
func (k FaultKind) String() string {
	if k == FaultLoop {
		return "loop met its bound"
	}
	return [...]string{
		"unknown fault", "invalid address", "invalid alignment", "illegal operation",
		"divide-by-zero", "out of scratch space", "invalid kernel access",
		"invalid user access", "tuple stack overflow", "bad stack",
		"invalid size", "index out of bounds",
	}[k]
}

// scratchTag is what the compiler's addresses of memory from alloca() and copyin()
// have in their highest 16 bits, as no address on any machine has.
const scratchTag = 0x0d5c

// InScratch reports whether f is about an address in memory from alloca() or copyin()
// that the clause was not given.
func (f *Fault) InScratch() bool { return f.Kind == FaultBadAddr && f.Addr>>48 == scratchTag }
