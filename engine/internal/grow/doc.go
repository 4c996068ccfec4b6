// Package grow adds probes to a run that goes on. A script that names processes by globs, or
// libraries that are not loaded yet, gets more of them: the kernel tells of every file that a
// process begins to execute (engine/sideband), providers say what they have in it, and what
// is new is planned and loaded beside the rest, with the maps of the first programs
// (extend_linux.go). With -Z the same is done for modules of the kernel, of which the kernel
// tells device managers (module_linux.go).
//
// A Growth works in a goroutine of its own. What concerns the drain it has done where the
// run is drained.
package grow
