// Package rehearsal finds out what a script will take of the machine before it runs, by
// attaching it and throwing away what it finds. Nothing of it is left behind, and nothing of
// it is seen but that time has passed.
package rehearsal

import "errors"

// ErrUntold says that a script cannot be rehearsed.
var ErrUntold = errors.New("cannot be estimated")
