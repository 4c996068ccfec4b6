//go:build !linux

package main

// dumpCore does nothing: nothing is traced here.
func dumpCore() {}
