package attach

import "dscope.dev/probes"

// A Place is a hook of a function with the addresses of all functions by its
// name, and what tells the program which hook has fired. An address of 0 leaves it
// to the kernel to find the function by its name.
type Place struct {
	Hook   probes.Hook
	Addrs  []uint64
	Cookie uint64

	// Doubtful says that the kernel may refuse some of Addrs, because it can trace
	// only some of the functions by the name.
	Doubtful bool
}
