package flame

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/widget"
)

// A Kind says what a node stands for.
type Kind uint8

// The kinds, in the order in which they stand beside one another.
const (
	Whole  Kind = iota // the root
	Key                // another key of the aggregation, or that there are no frames
	User               // a frame of a process
	Kernel             // a frame of the kernel
	Rest               // what the budget left out
)

// String returns what the kind is called; "" if there is nothing to say.
func (k Kind) String() string { return [...]string{"", "key", "user", "kernel", "cut"}[k] }

// A Name is what makes two frames one.
type Name struct {
	Kind    Kind
	Module  string
	Symbol  string // of a key its text
	Inlined bool
	Script  bool   // Module is a file of a script
	Place   uint64 // without a symbol: where it lies
	In      Within // and from where that counts
}

// A Within says what the place of a frame without symbol counts from.
type Within uint8

// What places count from.
const (
	Memory  Within = iota // an address
	Module                // the module
	Page                  // its page, 4 KiB at least
	Nowhere               // nothing: all that lies in no module is one
)

// page is the least that address randomisation moves by.
const page = 4096

// KindOf returns what the frames of a stack are frames of.
func KindOf(v *trace.Value) Kind {
	if v.Kind == trace.StackValue {
		return Kernel
	}
	return User
}

// NameOf returns what a frame is called.
func NameOf(f *trace.Frame, kind Kind) Name {
	n := Name{Kind: kind, Module: f.Module}
	switch {
	case f.Symbol != "":
		n.Symbol, n.Inlined, n.Script = f.Symbol, f.Inlined, f.Script
	case f.Module != "" && (f.Raw || f.Offset != 0):
		n.Place, n.In = f.Offset, Module
	case kind == Kernel: // whose addresses are the same for all
		n.Place = f.Addr
	case f.Module == "": // of a process that was gone, or code made while it ran: nothing tells two of them apart for long
		n.In = Nowhere
	default:
		n.Place, n.In = f.Addr%page, Page
	}
	return n
}

// Anywhere returns what two frames of one name have in common: where they differ the
// place in the function, or what the address says beside the name.
func Anywhere(f, g trace.Frame) trace.Frame {
	switch {
	case f.Symbol != "" && f.Offset != g.Offset:
		f.Offset, f.Addr = 0, 0
	case f.Symbol != "" || f.Addr == g.Addr || f.Raw || f.Module != "" && f.Offset != 0:
	case f.Module != "":
		f.Addr %= page
	default:
		f.Addr = 0
	}
	return f
}

// Append appends what is the same for equal names alone.
func (n *Name) Append(b []byte) []byte {
	for _, s := range [...]string{n.Module, n.Symbol} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	b = binary.AppendUvarint(b, n.Place)
	return append(b, byte(n.Kind), byte(n.In), byte(bit(n.Inlined)), byte(bit(n.Script)))
}

func (n *Name) compare(o *Name) int {
	return cmp.Or(cmp.Compare(n.Kind, o.Kind), cmp.Compare(n.Symbol, o.Symbol), cmp.Compare(n.Module, o.Module),
		cmp.Compare(n.Place, o.Place), cmp.Compare(n.In, o.In), cmp.Compare(bit(n.Inlined), bit(o.Inlined)), cmp.Compare(bit(n.Script), bit(o.Script)))
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// hash returns the ID of a node of that name below another.
func (n *Name) hash(above uint64) uint64 {
	h := above ^ 0xcbf29ce484222325 // FNV-1a
	for _, s := range [...]string{n.Module, "`", n.Symbol} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 0x100000001b3
		}
	}
	for _, v := range [...]uint64{n.Place, uint64(n.Kind), uint64(n.In), bit(n.Inlined) | bit(n.Script)<<1} {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// Text returns the name of the frame of a node as a bar has room for it: without its
// module, if there is a symbol.
func (t *Tree) Text(n int32) string {
	c := &t.names[t.Nodes[n].name]
	switch {
	case c.In == Page: // what comes before the place in the page says nothing, and takes room
		return fmt.Sprintf("%s`…%03x", widget.Safe(c.Module), c.Place)
	case c.Symbol == "", c.Script: // functions of scripts are often called alike: their file tells them apart
		return widget.Safe(c.full())
	case c.Inlined:
		return widget.Safe(c.Symbol) + " [inlined]"
	}
	return widget.Safe(c.Symbol)
}

// Full returns the whole name of the frame of a node, as the tables of the screen spell
// frames.
func (t *Tree) Full(n int32) string { return widget.Safe(t.names[t.Nodes[n].name].full()) }

// Addresses says where the frame of a node was found, if that is not all in its name.
func (t *Tree) Addresses(n int32) string {
	if c := &t.names[t.Nodes[n].name]; c.moved && c.In == Page {
		return "at several addresses, one place in a page"
	}
	return ""
}

func (c *called) full() string {
	f := trace.Frame{Module: c.Module, Symbol: c.Symbol, Inlined: c.Inlined, Script: c.Script, Addr: c.addr}
	switch {
	case c.Kind != User && c.Kind != Kernel:
		return c.Symbol
	case c.In == Module:
		f.Offset = c.Place
	case c.moved:
		f = Anywhere(f, trace.Frame{Addr: ^c.addr})
	}
	return datum.Raw(f)
}
