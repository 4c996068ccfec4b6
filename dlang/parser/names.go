package parser

import "strings"

// names are what is known of names at a place of the script: which are types.
type names struct {
	// known tells the names that the script has declared: true for a typedef, false
	// for a variable.
	known  map[string]bool
	isType func(module, name string) bool // Config.IsType
	locals []local                        // names that the blocks around here have declared

	logged bool // whether to keep a log
	log    []use
}

// A local is a name that a block declares, and what it was before.
type local struct {
	name   string
	known  bool // whether the script had declared it
	isType bool
}

// A use is what was asked or said of a name outside of the blocks that declare it.
type use struct {
	what   useKind
	name   string // perhaps mod`name
	isType bool   // the answer, or what was declared
}

type useKind uint8

const (
	asked useKind = iota
	assigned
	declared
)

// typeNamed reports whether a name, perhaps mod`name, is a type. Names of the
// script go before those of the system; without knowledge of the system a name
// that ends in _t is one, which is right for all that matter.
func (n *names) typeNamed(text string) bool {
	is := n.lookup(text)
	n.note(use{asked, text, is})
	return is
}

func (n *names) lookup(text string) bool {
	module, name := splitSym(text)
	if isType, ok := n.known[name]; ok && (module == "" || module == "D" && isType) {
		return isType
	}
	if n.isType != nil {
		return n.isType(module, name)
	}
	return strings.HasSuffix(name, "_t") || shortTypes[name]
}

// shortTypes holds the well-known types that do not end in _t.
var shortTypes = map[string]bool{
	"u8": true, "u16": true, "u32": true, "u64": true, "s8": true, "s16": true, "s32": true, "s64": true,
	"__u8": true, "__u16": true, "__u32": true, "__u64": true,
	"__s8": true, "__s16": true, "__s32": true, "__s64": true,
	"__be16": true, "__be32": true, "__be64": true, "__le16": true, "__le32": true, "__le64": true,
	"bool": true, "_Bool": true, "uint": true, "ulong": true, "ushort": true, "uchar": true,
}

// declare notes that the script declares a name.
func (n *names) declare(name string, isType bool) {
	n.note(use{declared, name, isType})
	n.known[name] = isType
}

// assign notes that the script assigns to a name, which declares a variable.
func (n *names) assign(name string) {
	n.note(use{assigned, name, false})
	if _, known := n.known[name]; !known {
		n.known[name] = false
	}
}

// remember notes what a name was before a block declares it.
func (n *names) remember(name string) {
	isType, known := n.known[name]
	n.locals = append(n.locals, local{name, known, isType})
}

// forget makes the names that were declared since what they were before.
func (n *names) forget(since int) {
	for len(n.locals) > since {
		l := n.locals[len(n.locals)-1]
		n.locals = n.locals[:len(n.locals)-1]
		if l.known {
			n.known[l.name] = l.isType
		} else {
			delete(n.known, l.name)
		}
	}
}

// note logs a use, unless it is of a local name: that says nothing about what is around.
func (n *names) note(u use) {
	if !n.logged {
		return
	}
	_, name := splitSym(u.name)
	for _, l := range n.locals {
		if l.name == name {
			return
		}
	}
	n.log = append(n.log, u)
}

// again does what a log says, if all that it has asked has the same answer again. Else it
// does nothing and returns false.
func (n *names) again(log []use) bool {
	n.logged = false
	defer func() { n.logged = true }()
	same := true
	for _, u := range log {
		switch u.what {
		case asked:
			same = same && n.typeNamed(u.name) == u.isType
		case assigned:
			n.remember(u.name)
			n.assign(u.name)
		case declared:
			n.remember(u.name)
			n.declare(u.name, u.isType)
		}
	}
	if !same {
		n.forget(0)
	}
	n.locals = n.locals[:0]
	return same
}
