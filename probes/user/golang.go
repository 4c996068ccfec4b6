package user

import (
	"fmt"
	"sort"
	"strings"

	"dscope.dev/probes"
	"dscope.dev/probes/saved"
)

// Functions in Go are not called as those in C are: arg0 to arg9 lie in other registers.
// What is from Go in a program that has both is told by the symbols between which the
// linker puts it; without symbols, by names, which have a package in Go.

// findGoText looks for the symbols between which lies what was compiled from Go.
func (o *object) findGoText() {
	from, begins := o.file.SymbolAddress("runtime.text")
	to, ends := o.file.SymbolAddress("runtime.etext")
	if begins && ends {
		o.goText = [2]uint64{from, to}
	}
}

// ofGo reports whether the function that addr lies in was compiled from Go, and whether
// it was written in assembly, for which everything lies on the stack.
func (o *object) ofGo(addr uint64) (is, assembly bool) {
	if !o.golang {
		return false, false
	}
	names := o.namesAt(addr)
	for _, n := range names {
		assembly = assembly || strings.HasSuffix(n, ".abi0")
		is = is || strings.Contains(n, ".")
	}
	if o.goText[1] != 0 {
		is = o.goText[0] <= addr && addr < o.goText[1]
	}
	return is, is && assembly
}

// namesAt returns the names of the function that addr lies in.
func (o *object) namesAt(addr uint64) []string {
	i := sort.Search(len(o.funcs), func(i int) bool { return o.funcs[i].addr > addr })
	if i == 0 {
		return nil
	}
	return o.funcs[i-1].names
}

// convention returns how the function of a spot is called, and why that is not known.
func (s *spot) convention() (*saved.Convention, error) {
	is, assembly := s.object.ofGo(s.addr)
	if !is {
		return saved.Of(s.object.machine), nil
	}
	registers, err := s.object.file.GoRegisters()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.object.path, err)
	}
	return saved.OfGo(s.object.machine, registers && !assembly), nil
}

// place says where arg0 to arg9 of a site lie, if not where the hook puts them, which is
// where C has them.
func (s *spot) place(site *probes.Site) {
	conv, err := s.convention()
	switch {
	case s.back || s.copied != nil:
	case err != nil:
		for range callArgs {
			site.Operands = append(site.Operands, probes.Operand{Kind: probes.Refused, Size: 8, Why: err.Error()})
		}
	case conv != nil && conv != saved.Of(s.object.machine):
		site.Operands = conv.Usual()
	}
}
