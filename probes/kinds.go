package probes

import "fmt"

// A kind is what follows for a hook from its mechanism alone. Whoever adds a HookKind adds a
// row; what code it takes is codegen's, and how it is attached is attach's.
type kind struct {
	name func(Hook) string // for errors: tracepoint sys_enter
	way  string            // for the screen, where that is another word
	cost string            // of a firing before its clause does anything, in orders of magnitude

	paced       bool // the script itself says how often it fires
	sealed      bool // a sealed program may run there: it is about what processes do, or a clock
	starves     bool // its firings may leave the machine no time for anything else, as those on the way of every interrupt; of others only their own thread waits
	interrupted bool // it may fire in an interrupt that is not about what it interrupts; clocks are to measure just that
	unmasked    bool // it fires in an interrupt that nothing holds off
	alone       bool // the kernel keeps its programs from interrupting one another on a CPU
	quick       bool // it is attached in next to no time

	shares Sharing
}

// Sharing says whether one program may serve several hooks of a kind.
type Sharing uint8

// The ways to share.
const (
	SharesNever Sharing = iota
	SharesMany          // worth it for many: each firing then asks for its cookie
	SharesAny           // two are enough
)

var kinds = [...]kind{
	Test: {
		name: func(h Hook) string { return "test run " + h.Target }, way: "fired by dscope itself",
		cost:  "fires once, outside of what is traced",
		paced: true, sealed: true,
	},
	Tracepoint: {
		name:    func(h Hook) string { return "tracepoint " + h.Target },
		cost:    "cheap, tens of nanoseconds: a call in the kernel",
		starves: true, interrupted: true, quick: true, shares: SharesMany,
	},
	Timer: {
		name: nameOfTimer, way: "software clock event",
		cost:  "costs by its rate alone, an interrupt each time",
		paced: true, sealed: true, starves: true, alone: true, quick: true,
	},
	User: {
		name:   nameOfUser,
		cost:   "dear, about a microsecond: the process traps into the kernel",
		sealed: true, shares: SharesAny,
	},
	Function: { // that of a trampoline is a call, and not alone
		name:    nameOfFunction,
		cost:    "moderate, a hundred nanoseconds or more: no trampolines here",
		starves: true, interrupted: true, alone: true, shares: SharesAny,
	},
	Instruction: {
		name:    nameOfInstruction,
		cost:    "dear, hundreds of nanoseconds: a breakpoint or a jump in its place",
		starves: true, interrupted: true, alone: true, shares: SharesAny,
	},
	Counter: {
		name: func(h Hook) string { return "counter " + h.Target }, way: "perf event",
		cost:  "costs by its rate alone, an interrupt each time",
		paced: true, starves: true, unmasked: true, alone: true,
	},
}

// systemCalls are what tracepoints are that tell system calls apart: their own thread alone
// comes by.
var systemCalls = kind{
	name: kinds[Tracepoint].name, cost: kinds[Tracepoint].cost,
	sealed: true, quick: true, shares: SharesMany,
}

func (h Hook) kind() *kind {
	if h.Select == BySyscall {
		return &systemCalls
	}
	return &kinds[h.Kind]
}

// String names a hook for people: tracepoint sys_enter, clock every 1000000000 ns on one CPU.
func (h Hook) String() string { return h.kind().name(h) }

// Way names a hook for the screen, without what the script says of it already.
func (h Hook) Way() string {
	if way := h.kind().way; way != "" {
		return way
	}
	if h.Kind == Tracepoint {
		return "raw " + h.String()
	}
	return h.String()
}

// Cost says in words what a firing costs before its clause does anything. It is an order of
// magnitude; how often the hook fires only a run tells.
func (h Hook) Cost() string { return h.kind().cost }

// Paced reports whether the script itself says how often the hook fires.
func (h Hook) Paced() bool { return h.kind().paced }

// Sealed reports whether a sealed program may run at the hook: it is about what processes do,
// or a clock. All others need the right to the kernel.
func (h Hook) Sealed() bool { return h.kind().sealed }

// Starves reports whether firings may leave the machine no time for anything else, as those
// on the way of every interrupt. Of system calls and places of processes only their own
// thread waits.
func (h Hook) Starves() bool { return h.kind().starves }

// Interrupted reports whether the hook may fire in an interrupt that is not about what it
// interrupts. Clocks do so to measure just that.
func (h Hook) Interrupted() bool { return h.kind().interrupted }

// Unmasked reports whether the hook fires in an interrupt that nothing holds off.
func (h Hook) Unmasked() bool { return h.kind().unmasked }

// Alone reports whether the kernel keeps the programs of such hooks from interrupting one
// another on a CPU (bpf_prog_active). It does not where a Function has a trampoline.
func (h Hook) Alone() bool { return h.kind().alone }

// Quick reports whether the hook is attached in next to no time.
func (h Hook) Quick() bool { return h.kind().quick }

// Shares says whether one program may serve several such hooks.
func (h Hook) Shares() Sharing { return h.kind().shares }

func nameOfTimer(h Hook) string {
	if h.PerCPU {
		return fmt.Sprintf("clock every %d ns on every CPU", h.Every)
	}
	return fmt.Sprintf("clock every %d ns on one CPU", h.Every)
}

func nameOfFunction(h Hook) string {
	s := "function " + h.Target + h.ofModule()
	if h.Return {
		s = "return of " + s
	}
	return s
}

func nameOfInstruction(h Hook) string {
	return fmt.Sprintf("instruction %s+%d%s", h.Target, h.Offset, h.ofModule())
}

func (h Hook) ofModule() string {
	if h.Module == "vmlinux" {
		return ""
	}
	return " of module " + h.Module
}

func nameOfUser(h Hook) string {
	s := fmt.Sprintf("%s+%#x", h.File, h.Offset)
	if h.Return {
		s = "return of " + s
	}
	if h.PID != 0 {
		s += fmt.Sprintf(" in process %d", h.PID)
	}
	return s
}
