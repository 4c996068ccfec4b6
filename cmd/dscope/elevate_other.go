//go:build !linux

package main

import "dscope.dev/engine"

// elevate returns why nothing can be traced here.
func elevate(e *engine.Engine) (missing string, by *workplace) {
	if err := e.Available(); err != nil {
		return err.Error(), nil
	}
	return "", nil
}
