// Package gen makes up what a test of the compiler needs: a small machine with
// probes, kernel types and sites, and random scripts that are well-typed by
// construction (script.go), among them some in the manner of those that people carry
// about (wild.go), each with a plain spelling of what it means.
//
// The same scripts serve three judges: the reference interpreter of the checked
// tree, the interpreter of the intermediate form, and, where there is one, the
// kernel. Nothing in here is part of dscope; only tests import it.
package gen

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/linux"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
)

// Env is a made-up machine: it has the probes that Sites lists and a
// task_struct with the members that the compiler asks for.
type Env struct{ types map[string]types.Type }

// NewEnv returns the machine.
func NewEnv() *Env {
	pair := types.NewStruct(false, "pair", nil)
	pair.SetFields([]types.Field{
		{Name: "a", Type: types.Int32, Off: 0},
		{Name: "b", Type: types.UInt64, Off: 64},
		{Name: "next", Type: &types.Pointer{Elem: pair}, Off: 128},
		{Name: "name", Type: &types.Array{Elem: types.Char, Len: 8}, Off: 192},
		{Name: "low", Type: types.UInt, Off: 256, Bits: 3},
		{Name: "mid", Type: types.IntType, Off: 259, Bits: 5},
		{Name: "text", Type: &types.Pointer{Elem: types.Char}, Off: 320},
		{Name: "nums", Type: &types.Array{Elem: types.Short, Len: 4}, Off: 384},
	}, 56, 8)
	mm := types.NewStruct(false, "mm_struct", nil)
	mm.SetFields([]types.Field{
		{Name: "arg_start", Type: types.ULong, Off: 8 * 8},
		{Name: "arg_end", Type: types.ULong, Off: 16 * 8},
	}, 24, 8)
	task := types.NewStruct(false, "task_struct", nil)
	task.SetFields([]types.Field{
		{Name: "state", Type: types.UInt, Off: 0},
		{Name: "pid", Type: types.IntType, Off: 8 * 8},
		{Name: "tgid", Type: types.IntType, Off: 12 * 8},
		{Name: "real_parent", Type: &types.Pointer{Elem: task}, Off: 16 * 8},
		{Name: "start_time", Type: types.UInt64, Off: 24 * 8},
		{Name: "comm", Type: &types.Array{Elem: types.Char, Len: 16}, Off: 32 * 8},
		{Name: "pair", Type: &types.Pointer{Elem: pair}, Off: 48 * 8},
		{Name: "inner", Type: pair, Off: 56 * 8},
		{Name: "mm", Type: &types.Pointer{Elem: mm}, Off: 112 * 8},
	}, 128, 8)
	return &Env{types: map[string]types.Type{"struct task_struct": task, "struct pair": pair}}
}

// SetTask gives the machine another task_struct.
func (e *Env) SetTask(t *types.Struct) { e.types["struct task_struct"] = t }

// Target describes the machine to lowering.
func (e *Env) Target() lower.Target {
	task := e.types["struct task_struct"].(*types.Struct)
	pointed := func(tag string) *types.Struct {
		if tag != "mm_struct" {
			return nil
		}
		mm, _ := task.Member("mm")
		s, _ := types.Resolve(types.Elem(mm.Type)).(*types.Struct)
		return s
	}
	return lower.Target{Kernel: linux.Kernel{Task: task, Struct: pointed}, ABI: "amd64"}
}

// Options are the sizes that tests compile with.
func Options() ir.Options {
	return ir.Options{StrSize: 64, ScratchSize: mostScratch, StackFrames: 20, UstackFrames: 20}
}

// calls are the system calls of the machine, by number.
var calls = []string{"read", "write", "open", "close"}

// Sites are the probes of the machine by hook: the entries of system calls, the
// returns, and one other.
func Sites(hook string) []lower.Site {
	var list []lower.Site
	switch hook {
	case "entry", "return":
		for i, name := range calls {
			id := uint32(10 + 2*i)
			if hook == "return" {
				id++
			}
			list = append(list, lower.Site{Key: uint32(i), ID: id, Provider: "syscall", Module: "vmlinux", Function: name, Name: hook})
		}
	case "BEGIN", "END", "ERROR":
		list = append(list, lower.Site{ID: map[string]uint32{"BEGIN": 1, "END": 2, "ERROR": 3}[hook], Provider: "dtrace", Name: hook})
	case "exec":
		list = append(list, lower.Site{ID: 50, Provider: "sdt", Module: "sched", Function: "sched", Name: "exec"})
	}
	return list
}

// Hooks are the hooks of the machine.
var hooks = []string{"BEGIN", "END", "ERROR", "entry", "return", "exec"}

// A Match is what one description covers: it is the Sites of a ProbeSet.
type Match map[string][]uint32 // keys by hook

// CheckSites marks a Match as what the checker passes through.
func (Match) CheckSites() {}

// Probes resolves a description.
func (e *Env) Probes(d *ast.ProbeDesc) (check.ProbeSet, error) {
	m, set := Match{}, check.ProbeSet{}
	for _, hook := range hooks {
		for _, s := range Sites(hook) {
			if matches(d.Provider, s.Provider) && matches(d.Module, s.Module) && matches(d.Function, s.Function) && matches(d.Name, s.Name) {
				m[hook] = append(m[hook], s.Key)
				set.Count++
			}
		}
	}
	if set.Count == 0 {
		return set, check.ErrNoProbe
	}
	set.Sites = m
	for hook := range m {
		if strings.ToUpper(hook) == hook {
			set.Special = hook
		}
	}
	set.Args = []check.Arg{
		{Name: "n", Type: types.Long, Slot: 0},
		{Name: "p", Type: &types.Pointer{Elem: e.types["struct pair"]}, Slot: 1},
		{Name: "u", Type: &types.Pointer{Elem: types.Char}, Slot: 2, User: true},
		{Name: "i", Type: types.IntType, Slot: 3},
	}
	return set, nil
}

func matches(pattern, name string) bool {
	return pattern == "" || pattern == name || pattern == "*" ||
		strings.HasSuffix(pattern, "*") && strings.HasPrefix(name, pattern[:len(pattern)-1])
}

// Type finds a type of the machine's kernel.
func (e *Env) Type(kind, module, name string) (types.Type, error) {
	if t, ok := e.types[kind+" "+name]; ok {
		return t, nil
	}
	return nil, check.ErrNoType
}

// Symbol finds a kernel symbol: there are none.
func (e *Env) Symbol(module, name string) (check.Symbol, error) {
	return check.Symbol{}, check.ErrNoSymbol
}

// Enumerator finds a constant: there are none.
func (e *Env) Enumerator(name string) (int64, types.Type, bool) { return 0, nil, false }

// HasModule knows no module.
func (e *Env) HasModule(name string) bool { return false }

// Units groups the clauses of a checked script by hook, as the engine does.
func Units(p *check.Program) []lower.Unit {
	var units []lower.Unit
	for _, hook := range hooks {
		u := lower.Unit{Name: hook, Sites: Sites(hook), Alone: true}
		if strings.ToUpper(hook) == hook {
			u.Special = hook
		}
		for _, c := range p.Clauses {
			var keys ir.KeySet
			for _, set := range c.Probes {
				m, _ := set.Sites.(Match)
				keys = merge(keys, m[hook])
			}
			if len(keys) == 0 {
				continue
			}
			if len(keys) == len(u.Sites) {
				keys = nil
			}
			u.Clauses = append(u.Clauses, lower.UnitClause{Clause: c, Keys: keys})
		}
		if len(u.Clauses) > 0 {
			units = append(units, u)
		}
	}
	return units
}

func merge(a ir.KeySet, b []uint32) ir.KeySet {
	seen := map[uint32]bool{}
	var out ir.KeySet
	for _, list := range [][]uint32{a, b} {
		for _, k := range list {
			seen[k] = true
		}
	}
	for k := range uint32(len(calls)) {
		if seen[k] {
			out = append(out, k)
		}
	}
	return out
}
