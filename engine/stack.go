package engine

import (
	"errors"
	"io"
	"slices"
)

// A stack closes what was pushed on it, newest first.
type stack []io.Closer

// Close closes every member and returns what went wrong with any of them.
func (s stack) Close() error {
	var errs []error
	for _, c := range slices.Backward(s) {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
