package usdt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"strings"
)

// Limits on what a file may make us keep. They are far above what real programs
// have: the JVM, which has most, has some 600 notes of 80 bytes.
const (
	maxMemory   = 256 << 20 // bytes that reading a file may take
	maxNotes    = 64 << 10
	maxSection  = 16 << 20
	maxName     = 128 // bytes of a provider's or a probe's name
	maxArgText  = 2 << 10
	maxSkipped  = 1 << 20 // notes of other owners in the same section
	noteType    = 3       // NT_STAPSDT
	noteOwner   = "stapsdt"
	headerBytes = 12
	functions   = "pid" // a provider of all functions, which no program may pose as
)

// A note is one entry of .note.stapsdt: a place where the program may be probed.
//
//	namesz  4   8
//	descsz  4
//	type    4   3
//	owner   8   "stapsdt\0"
//	pc      8   address of the instruction, a nop
//	base    8   address of the section .stapsdt.base as the note was written
//	counter 8   address of the semaphore, 0 if there is none
//	texts       provider, name, arguments, each with a zero byte at its end
//
// Words have the byte order of the file, and entries begin at multiples of 4.
type note struct {
	pc, base, semaphore  uint64
	provider, name, args string
}

// parseNotes reads a section of notes. An entry that makes no sense is left out and the
// first such is told; one that goes beyond the section ends the list.
func parseNotes(data []byte, order binary.ByteOrder) ([]note, error) {
	var list []note
	var bad error
	for seen := 0; len(data) >= headerBytes && seen < maxSkipped; seen++ {
		nameSize, descSize, kind := order.Uint32(data), order.Uint32(data[4:]), order.Uint32(data[8:])
		data = data[headerBytes:]
		owner, rest, ok := field(data, nameSize)
		if !ok {
			return list, cmp.Or(bad, fmt.Errorf("note %d goes beyond its section", seen+1))
		}
		desc, rest, ok := field(rest, descSize)
		if !ok {
			return list, cmp.Or(bad, fmt.Errorf("note %d goes beyond its section", seen+1))
		}
		data = rest
		if kind != noteType || string(bytes.TrimRight(owner, "\x00")) != noteOwner {
			continue
		}
		n, err := parseNote(desc, order)
		if err != nil {
			bad = cmp.Or(bad, fmt.Errorf("note %d: %w", seen+1, err))
			continue
		}
		if len(list) == maxNotes {
			return list, fmt.Errorf("there are more than %d notes", maxNotes)
		}
		list = append(list, n)
	}
	return list, bad
}

// field takes size bytes off data, and what fills them up to a multiple of 4.
func field(data []byte, size uint32) (value, rest []byte, ok bool) {
	if uint64(size) > uint64(len(data)) {
		return nil, nil, false
	}
	end := (int64(size) + 3) &^ 3
	return data[:size], data[min(end, int64(len(data))):], true
}

// parseNote reads what a note says.
func parseNote(desc []byte, order binary.ByteOrder) (note, error) {
	const words = 3 * 8
	if len(desc) < words {
		return note{}, fmt.Errorf("it has %d bytes, which is too few", len(desc))
	}
	n := note{pc: order.Uint64(desc), base: order.Uint64(desc[8:]), semaphore: order.Uint64(desc[16:])}
	texts := bytes.SplitN(desc[words:], []byte{0}, 4)
	if len(texts) < 4 {
		return n, fmt.Errorf("it has no provider, name and arguments")
	}
	n.provider, n.name, n.args = string(texts[0]), string(texts[1]), string(texts[2])
	if !isName(n.provider) || !isName(n.name) || n.provider == functions {
		return n, fmt.Errorf("%q and %q are no names of a provider and a probe", clip(n.provider), clip(n.name))
	}
	if len(n.args) > maxArgText || strings.ContainsFunc(n.args, func(r rune) bool { return r < ' ' || r > '~' }) {
		return n, fmt.Errorf("%q are no arguments of an assembler", clip(n.args))
	}
	return n, nil
}

// isName reports whether text can be part of a probe's name. Colons divide names, a
// slash would make a path of them, and the rest of what is left out would
// confuse who reads a list.
func isName(text string) bool {
	if text == "" || len(text) > maxName {
		return false
	}
	for _, c := range []byte(text) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.', c == '$':
		default:
			return false
		}
	}
	return true
}

func clip(text string) string { return text[:min(len(text), 40)] }
