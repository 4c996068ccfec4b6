package usdt

import (
	"errors"
	"strings"

	"dscope.dev/dlang/machine"
	"dscope.dev/probes"
	"dscope.dev/probes/resolver"
)

// pointsOf asks for the notes of a file: see ReadFile.
func pointsOf(f resolver.File, arch string) ([]Point, error) {
	list, err := notes.Ask(f, arch)
	if bad := believe(list, arch); bad != nil {
		return nil, bad
	}
	return list, err
}

var notes = resolver.New("notes of probes", 64<<20, func(r *resolver.Room, arch string) ([]Point, error) {
	return ReadFile(r.File, r.Size(), arch)
})

// maxWhy is how long a reason may be.
const maxWhy = 4 << 10

// believe checks points that another process has read. What it might say that ReadFile
// does not counts: names that confuse, and operands that reach where a file's may not, into the
// memory of the kernel.
func believe(list []Point, arch string) error {
	bad := errors.New("what was read of its notes makes no sense")
	if len(list) > maxNotes {
		return bad
	}
	words := len(machine.AMD64().Words)
	if arch == "arm64" {
		words = len(machine.ARM64().Words)
	}
	for _, p := range list {
		if !isName(p.Provider) || p.Provider == functions || !isName(p.Name) || p.Function != "" && !isName(p.Function) || len(p.Args) > maxArgs {
			return bad
		}
		for _, o := range p.Args {
			if !isOperand(o, words) {
				return bad
			}
		}
	}
	return nil
}

// isOperand reports whether a note can have an operand.
func isOperand(o probes.Operand, words int) bool {
	size := func(n uint8) bool { return n == 1 || n == 2 || n == 4 || n == 8 }
	register := func(r probes.Register) bool { return int(r.Word) < words && (r.Size == 0 || size(r.Size)) }
	printable := func(r rune) bool { return r >= ' ' && r != 0x7f }
	switch o.Kind {
	case probes.Value, probes.Memory, probes.Refused:
	default:
		return false
	}
	return !o.Kernel && !o.Try && size(o.Size) && register(o.Base) && register(o.Index) && o.Shift <= 4 &&
		len(o.Why) <= maxWhy && (o.Kind == probes.Refused) == (o.Why != "") && strings.IndexFunc(o.Why, func(r rune) bool { return !printable(r) }) < 0
}
