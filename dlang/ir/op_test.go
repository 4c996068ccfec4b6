package ir

import (
	"strings"
	"testing"
)

// TestOps holds the table of operations to what the passes take for granted. A row
// that says too little would be optimised into something else without a word.
func TestOps(t *testing.T) {
	names := map[string]Op{}
	for op := range Ops() {
		info := infos[op]
		if old, twice := names[info.name]; info.name == "" || twice {
			t.Errorf("operation %d is called %q, as is %d", op, info.name, old)
		}
		names[info.name] = op
		for _, complaint := range complaints(info) {
			t.Errorf("%s %s", op, complaint)
		}
	}
}

// complaints lists what is wrong with a row.
func complaints(info opInfo) (list []string) {
	say := func(bad bool, what string) {
		if bad {
			list = append(list, what)
		}
	}
	args := strings.TrimPrefix(info.args, "?")
	say(strings.Trim(args, "wpta*") != "", "has arguments of no known kind")
	say(len(info.does) != len(args), "does not say of each argument what becomes of its memory")
	for i, d := range []byte(info.does) {
		say(!strings.ContainsRune("rwuax-", rune(d)), "does what has no letter")
		say(d != '-' && i < len(args) && strings.ContainsRune("wt", rune(args[i])), "reaches memory through what is no pointer")
	}
	changes := strings.ContainsAny(info.does, "wu")
	say(info.eff == 0, "does not say what it has to do with the world")
	say(changes && info.eff != stores, "changes the memory of an argument, and is said to do other things")
	say(!changes && info.eff == stores, "is said to change the memory of an argument, and names none")
	say(strings.Contains(info.does, "x") && info.eff != acts, "may change what it is given, and does not act")
	say(strings.ContainsAny(info.does, "rua") && info.eff == pure, "reads memory and is said to be pure")

	chosen := info.typ == None && info.eff == pure // Type looks at the value
	say((info.typ == Ptr || chosen) != (info.to != nowhere), "results in a pointer and does not say where to, or the other way round")
	say(info.null && info.typ != Ptr, "may be null and is no pointer")
	say(info.bits != 0 && info.typ != Word, "has bits and is no word")
	say(info.compares && (info.bits != 1 || args != "ww"), "compares something other than two words")
	say(info.commutes && len(args) != 2, "commutes without two arguments")
	say(info.eff == pure && args != "*" && len(args) > 2, "is pure and has more arguments than a pureKey can hold")
	say(info.imm == offset && (info.size == noSize || strings.IndexAny(info.does, "rwu") != 0), "has an offset into nothing")
	return list
}

// TestOpsComplain breaks a row in each way that once could be forgotten.
func TestOpsComplain(t *testing.T) {
	for _, tt := range []struct {
		op    Op
		spoil func(*opInfo)
	}{
		{OpStore, func(i *opInfo) { i.eff = 0 }},
		{OpStore, func(i *opInfo) { i.eff = pure }},
		{OpStore, func(i *opInfo) { i.does = "" }},
		{OpStack, func(i *opInfo) { i.does = "-" }},
		{OpLoad, func(i *opInfo) { i.eff = pure }},
		{OpCall, func(i *opInfo) { i.eff = makes }},
		{OpGlobal, func(i *opInfo) { i.to = nowhere }},
		{OpParam, func(i *opInfo) { i.to = nowhere }},
		{OpAdd, func(i *opInfo) { i.does = "-" }},
		{OpReadK, func(i *opInfo) { i.size = noSize }},
		{OpEq, func(i *opInfo) { i.bits = 0 }},
	} {
		info := infos[tt.op]
		tt.spoil(&info)
		if len(complaints(info)) == 0 {
			t.Errorf("%s may say %+v", tt.op, info)
		}
	}
}
