package main

import (
	"slices"
	"testing"

	"dscope.dev/engine/trace"
)

func TestLosses(t *testing.T) {
	block := trace.Probe{Provider: "lockstat", Name: "rw-block"}
	fault := func(p trace.Probe, kind trace.FaultKind, addr uint64) trace.Event {
		return trace.Event{Kind: trace.FaultEvent, Probe: p, Fault: trace.Fault{Kind: kind, Addr: addr}}
	}
	drop := func(kind trace.DropKind, n uint64) trace.Event {
		return trace.Event{Kind: trace.DropEvent, Drop: trace.Drop{Kind: kind, Count: n, CPU: -1}}
	}
	var l losses
	for _, e := range []trace.Event{
		{Kind: trace.DataEvent}, {Kind: trace.ExitEvent},
		fault(block, trace.FaultBadAddr, 0x10), drop(trace.DropAggregation, 3),
		fault(block, trace.FaultBadAddr, 0x20), drop(trace.DropDynamic, 1),
		fault(block, trace.FaultDivZero, 0), fault(trace.Probe{Name: "BEGIN"}, trace.FaultBadAddr, 0x30),
		drop(trace.DropAggregation, 4), fault(block, trace.FaultBadAddr, 0x10),
	} {
		l.add(&e)
	}
	want := []string{
		"lockstat:::rw-block was not counted 3 times, at first: invalid address (0x10)",
		"events were lost: 7 aggregation drops",
		"events were lost: 1 dynamic variable drop",
		"lockstat:::rw-block was not counted once: divide-by-zero",
		":::BEGIN was not counted once: invalid address (0x30)",
	}
	if got := l.lines(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
