//go:build !linux

package main

import (
	"errors"

	"dscope.dev/engine"
	"dscope.dev/engine/helper"
	"dscope.dev/engine/rights"
)

var errLinux = errors.New("a helper needs Linux")

func (*helping) run() error { return errLinux }

// byHelper does nothing: there is none.
func byHelper(string, []string, map[string][]byte) (bool, error) { return false, nil }

// helperMachine returns nil: there is no helper.
func helperMachine() (*workplace, error) { return nil, nil }

// askRights returns nothing: all is said by what Linux is not.
func askRights() (*rights.Rights, error) { return nil, nil }

func settle() error { return nil }

func confined(*helper.Handed) (*engine.Engine, error) { return nil, errLinux }
