//go:build !linux

package symbol

import (
	"errors"

	"dscope.dev/probes/space"
)

// A Watch hears from the kernel what code processes map. Off Linux there is none.
type Watch struct{}

// NewWatch says that it cannot.
func NewWatch([]int) (*Watch, error) { return nil, errors.New("processes are watched on Linux only") }

// Drain does nothing.
func (*Watch) Drain() {}

// Close does nothing.
func (*Watch) Close() error { return nil }

func (*Watch) heardOf(uint32) (parent uint32, all bool) { return 0, false }

func (*Watch) executed(uint32) int { return 0 }

func (*Watch) known(uint32) ([]space.Mapping, uint32) { return nil, 0 }
