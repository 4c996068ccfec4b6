package codegen

import (
	"github.com/cilium/ebpf/asm"

	"dscope.dev/engine/codegen/mach"
)

// mostTicks is how many units of clocks have a word in the control map, so that it stays
// below a page. Others fire whenever their clock looks.
const mostTicks = 256

// ticks counts the units that have a word for the time of their next firing.
func ticks(units []*Unit) int {
	n := 0
	for _, u := range units {
		if n == mostTicks {
			break
		}
		if u.Hook.Looks() > 1 {
			n++
		}
	}
	return n
}

// TickWord returns the offset in the control map of the time, by the monotonic clock in
// nanoseconds, at which the clock of a unit is to fire next. The engine sets it before it
// attaches the program. There is none if the clock fires whenever it looks.
func TickWord(units []*Unit, unit int) (off int, ok bool) {
	before := ticks(units[:unit])
	return ControlSize + 8*before, units[unit].Hook.Looks() > 1 && before < mostTicks
}

// tickTest leaves if the clock has looked before its time, rounded to its looks. Firings
// that are late by up to a second are made up for, one at each look; behind a longer gap
// the clock begins anew.
func (s *selector) tickTest() {
	off, ok := TickWord(s.g.units, s.fn.Unit)
	if !ok {
		return
	}
	h := s.u.unit.Hook
	now, next, late, every := s.newReg(), s.newReg(), s.newReg(), s.newReg()
	s.result(now, asm.FnKtimeGetNs)
	t := s.newReg()
	s.g.useControl()
	s.mapValue(t, mapControl, int64(off))
	s.load(8, next, t, 0)
	s.movImm(late, int64(h.Every/h.Looks()/2))
	s.alu(asm.Add, late, now)
	s.leaveIf(mach.Test{Op: asm.JLT, X: late, Y: next}, s.exitBlock())
	s.alu(asm.Sub, late, next)
	s.unless(testImm(asm.JLE, late, second), func() { s.mov(next, now) })
	s.movImm(every, int64(h.Every))
	s.alu(asm.Add, next, every)
	s.store(8, t, 0, next)
}
