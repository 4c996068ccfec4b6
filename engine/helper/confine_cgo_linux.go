//go:build cgo

package helper

import "errors"

// Able returns nil, or why this program can be no helper: it could not take capabilities from
// all of its threads.
func Able() error {
	return errors.New("this dscope was built with cgo and can be no helper: build it with CGO_ENABLED=0")
}

// Harden takes away from the helper what it never needs, where that can be.
func Harden() error { return Able() }

// Confine makes ready what the helper has started for an asker, where that can be.
func Confine(int) error { return Able() }
