// Package load brings a plan into the kernel: a Loaded script is its programs and maps, the
// buffers that it records into, the links that attach it, and what looks after it.
//
// Load makes the maps, has the verifier look at one program after another (verify_linux.go),
// and tries ways that this kernel takes where it refuses the one that was planned. Then the
// owner fires BEGIN (Fire), has it watched (Guard), attaches the rest between Ready and
// Begin, and at the end calls Detach and Close. What is found later is loaded beside it
// (late_linux.go). A run may take the place of another (handover_linux.go). A Meter tells
// what the programs cost.
//
// Who reads what the programs leave behind is engine/internal/drain.
package load
