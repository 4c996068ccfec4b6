// Package kmap reads the kernel's per-CPU maps and ring buffers into buffers that
// are used again and again.
//
// A drain runs many times a second over maps that may hold thousands of entries
// for each of hundreds of CPUs. The library's batch calls allocate for each of
// them; these do not. Words are those of the machine itself, so they are little-endian
// wherever dscope runs.
package kmap
