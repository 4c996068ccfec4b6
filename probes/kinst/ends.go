package kinst

import (
	"cmp"
	"slices"

	"dscope.dev/probes/binary"
	"dscope.dev/probes/kernel"
)

// Where a copy of a function ends no table tells. Its code lies in pieces, between
// which the compiler has put code of the caller or of other functions. As FreeBSD has
// it, a piece ends a run of the copy with its last instruction, and each piece does,
// because the function may return early. Two sorts of pieces do not: those from which
// the code behind leads straight into the next one, and those whose last instruction
// jumps back into the copy.
//
// What that cannot see are jumps out of the middle of a piece: an instruction in
// the middle that may or may not leave the copy is no end of it.

// straight is how many bytes may lie between two pieces that are taken for one.
const straight = 64

// ends notes the last instructions of copies. They are looked for in memory, for the
// kernel rewrites much of its code as it starts.
func (p *Provider) ends(image *kernel.Image, list []*binary.Copy, note func(c *binary.Copy, addr uint64)) error {
	memory, err := p.kernel.Memory()
	if err != nil {
		return err
	}
	defer memory.Close()
	for _, c := range list {
		r := &reading{arch: p.kernel.Arch(), image: image, memory: memory}
		for _, addr := range r.ends(c.Ranges) {
			note(c, addr)
		}
	}
	return nil
}

// A reading looks at the code of one copy.
type reading struct {
	arch   string
	image  *kernel.Image
	memory *kernel.Memory
}

// ends returns the instructions by which the code in ranges is left. Addresses are
// those of the file.
func (r *reading) ends(ranges []binary.Range) (ends []uint64) {
	pieces := r.join(ranges)
	for _, piece := range pieces {
		last, ok := r.last(piece)
		if ok && !r.stays(last, pieces) {
			ends = append(ends, piece.Low+last.Offset)
		}
	}
	return ends
}

// join puts those ranges together that follow one another, or between which the code
// leads from one to the next.
func (r *reading) join(ranges []binary.Range) (pieces []binary.Range) {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b binary.Range) int { return cmp.Compare(a.Low, b.Low) })
	for _, next := range ranges {
		if n := len(pieces); n > 0 {
			before := &pieces[n-1]
			if next.Low <= before.High || next.Low-before.High <= straight && r.leads(*before, next.Low) {
				before.High = max(before.High, next.High)
				continue
			}
		}
		pieces = append(pieces, next)
	}
	return pieces
}

// leads reports whether the code behind a piece leads to an address and nowhere else.
func (r *reading) leads(piece binary.Range, to uint64) bool {
	last, ok := r.last(piece)
	if !ok || last.flow.branches() {
		return false
	}
	if piece.High == to {
		return true
	}
	between := r.instructions(binary.Range{Low: piece.High, High: to})
	return between != nil && !slices.ContainsFunc(between, func(in Instruction) bool { return in.flow.branches() })
}

// branches reports whether an instruction may lead elsewhere than to the next one.
func (f flow) branches() bool { return f.ends || f.target != 0 }

// last returns the last instruction of a piece.
func (r *reading) last(piece binary.Range) (in Instruction, ok bool) {
	list := r.instructions(piece)
	if len(list) == 0 {
		return in, false
	}
	return list[len(list)-1], true
}

// mostPiece is how long a piece of a copy may be, in bytes.
const mostPiece = 1 << 16

// instructions cuts the code at addresses of the file, nil if it makes no sense. It
// may end with what only fills up, which Disassemble leaves out.
func (r *reading) instructions(of binary.Range) []Instruction {
	running, ok := r.image.Running(of.Low)
	if !ok || of.High <= of.Low || of.High-of.Low > mostPiece {
		return nil
	}
	code, err := r.memory.Read(running, int(of.High-of.Low))
	if err != nil || uint64(len(code)) < of.High-of.Low {
		return nil
	}
	list, err := Disassemble(r.arch, running, code)
	if err != nil {
		return nil
	}
	return list
}

// stays reports whether an instruction always leads to one of pieces.
func (r *reading) stays(in Instruction, pieces []binary.Range) bool {
	if !in.flow.ends || in.flow.target == 0 {
		return false
	}
	to, ok := r.image.Linked(in.flow.target)
	return ok && slices.ContainsFunc(pieces, func(p binary.Range) bool { return p.Low <= to && to < p.High })
}
