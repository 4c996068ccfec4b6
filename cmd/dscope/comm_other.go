//go:build !linux

package main

// callDtrace has no meaning where nothing is traced.
func callDtrace() {}
