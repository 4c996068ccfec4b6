//go:build !linux

package main

import "errors"

// A target is a process that a run follows; only Linux has them here.
type target struct {
	pid   int
	pids  []int
	live  int
	done  chan string
	start func(run witness) error
	kill  func()
}

func (*target) release() {}

func newCommand(string, []string, string) (*target, error) { return nil, errors.New("-c needs Linux") }

func startCommand(_, _ []string, _ string) (*target, error) {
	return nil, errors.New("to run a command under trace needs Linux")
}

func newProcess(int, string) (*target, error) { return nil, errors.New("-p needs Linux") }
