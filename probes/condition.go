package probes

// A Condition is one of the sixteen on which an instruction of x86 jumps, as its
// opcode has it, plus one: 1 overflow, 2 none, 3 below, 4 not, 5 equal, 6 not, … The
// zero Condition is always true.
type Condition uint8

// Opposite returns the condition that is true when c is not.
func (c Condition) Opposite() Condition {
	if c == 0 {
		return 0
	}
	return (c - 1) ^ 1 + 1
}
