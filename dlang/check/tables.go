package check

import (
	"sync"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/types"
)

// tables are those of a Program and of its making that have an entry for each few bytes of
// the script. An editor has a script checked after each key: to make them anew each time is a
// third of the memory that this takes.
type tables struct {
	size       int // of the script that they are for, in bytes
	means      ast.Meanings
	types      map[ast.Expr]types.Type
	consts     map[ast.Expr]int64
	strings    map[ast.Expr]string
	refs       map[ast.Expr]Ref
	members    map[*ast.Member]types.Field
	calls      map[*ast.Call]*Call
	aggAssigns map[*ast.AggAssign]*AggAssign
	sets       map[*ast.ProbeDesc]resolved
}

// spare are tables that nobody uses.
var spare sync.Pool

// newTables returns empty tables for a script of size bytes.
func newTables(size int) *tables {
	if t, ok := spare.Get().(*tables); ok && t.size >= size && t.size <= 4*size {
		return t
	}
	size += size / 8 // for what is written next
	return &tables{
		size:       size,
		means:      ast.Meanings{},
		types:      make(map[ast.Expr]types.Type, size/8), // there is an expression in some eight bytes, and so on
		consts:     make(map[ast.Expr]int64, size/64),
		strings:    map[ast.Expr]string{},
		refs:       make(map[ast.Expr]Ref, size/20),
		members:    make(map[*ast.Member]types.Field, size/64),
		calls:      map[*ast.Call]*Call{},
		aggAssigns: map[*ast.AggAssign]*AggAssign{},
		sets:       map[*ast.ProbeDesc]resolved{},
	}
}

// Release says that nothing will be asked of p any more.
func (p *Program) Release() {
	t := p.tables
	if t == nil {
		return
	}
	p.tables = nil
	p.Means, p.Types, p.Consts, p.Strings, p.Refs, p.Members, p.Calls, p.AggAssigns = nil, nil, nil, nil, nil, nil, nil, nil
	clear(t.means)
	clear(t.types)
	clear(t.consts)
	clear(t.strings)
	clear(t.refs)
	clear(t.members)
	clear(t.calls)
	clear(t.aggAssigns)
	clear(t.sets)
	spare.Put(t)
}
