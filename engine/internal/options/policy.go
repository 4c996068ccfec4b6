package options

// A Policy says what happens when the record buffer of a CPU is full: option
// bufpolicy.
type Policy uint8

// The policies.
const (
	SwitchPolicy Policy = iota // records are lost and counted
	FillPolicy                 // tracing ends; what was recorded is printed then
	RingPolicy                 // the oldest go; what is left at the end is printed then
)

var policies = map[string]Policy{"switch": SwitchPolicy, "fill": FillPolicy, "ring": RingPolicy}
