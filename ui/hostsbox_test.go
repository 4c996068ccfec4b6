package ui

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/engine/trace"
)

// crowd is a fake of many machines.
type crowd struct {
	fake
	there []trace.Host
}

func (c *crowd) There() []trace.Host { return c.there }

// fleetStatus is a run of one host in each of the states that there are.
func fleetStatus() trace.Status {
	return trace.Status{State: trace.Running, Elapsed: 9 * time.Second, Hosts: []trace.Host{
		{Name: "db-1", Kernel: "6.1.99", State: trace.Running, Probes: 2, Events: 1200, Keys: 40, Behind: 300 * time.Millisecond, Clock: 1500 * time.Microsecond, Bound: 200 * time.Microsecond},
		{Name: "db-2", Kernel: "6.12.1", State: trace.Running, Probes: 2, Drops: 7, Lost: 3, Late: 2, Behind: time.Second},
		{Name: "old-1", Kernel: "5.4\x1b[2J", State: trace.Failed, Refused: true, Why: "no probe matches fbt:::entry"},
		{Name: "web-1", Kernel: "6.18.2", State: trace.Running, Silent: 12 * time.Second, Behind: 12 * time.Second},
		{Name: "web-2", Kernel: "6.18.2", State: trace.Failed, Why: "nothing has come of it for 30s"},
		{Name: "web-3", Kernel: "6.18.2", State: trace.Done},
	}}
}

// TestHosts lists who is there, then how each comes through a run: what is wrong stands first.
func TestHosts(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		synctest.Test(t, func(t *testing.T) {
			f := &crowd{there: []trace.Host{{Name: "db-1", Kernel: "6.1.99"}, {Name: "db-2", Kernel: "6.12.1"}}}
			b := start(t, f, Options{Text: "BEGIN { }", Machine: "fleet *"})
			defer b.end()
			b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			b.shows("fleet *: 2 there (alt+5)")
			b.keys("alt+5")
			b.shows("Hosts: 2 there", "db-1", "6.12.1")
			b.keys("alt+k")
			b.shows("nothing has been run yet")
			b.keys("esc", "ctrl+r")
			f.runs[0].status <- fleetStatus()
			b.wait(100 * time.Millisecond)
			b.keys("alt+5")
			b.shows("Hosts: 1 died, 1 refused, 1 silent, 1 with losses, 2 running, 1 done",
				"web-2 died: nothing has come of it for 30s. What it had delivered stays in")
			if got, want := b.hostOrder(), []string{"web-2", "old-1", "web-1", "db-2", "db-1", "web-3"}; !slices.Equal(got, want) {
				t.Errorf("the order is %v", got)
			}
			b.keys("down")
			b.shows("old-1 refused the script: no probe matches fbt:::entry.", "5.4^[[2J")
			b.keys("down")
			b.shows("Nothing has come of web-1 for 12s")
			b.keys("down")
			b.shows("7 drops there", "3 events lost on the way", "2 events late")
			b.keys("down")
			b.shows("its clock is 1.5ms ahead of ours, within 200µs", "1.20k", "0.3s")

			s := fleetStatus()
			s.Hosts[0].State, s.Hosts[0].Why = trace.Failed, "its agent has been stopped"
			f.runs[0].status <- s
			b.wait(100 * time.Millisecond)
			b.shows("db-1 died: its agent has been stopped") // the cursor has gone with it
			b.text("refus")
			b.shows("old-1 refused")
			if got := b.hostOrder(); len(got) != 1 {
				t.Errorf("found are %v", got)
			}
			b.text("x")
			b.shows("no host matches")
			b.keys("esc")
			b.shows("fleet *: 2 died, 1 refused, 1 silent")
		})
	}
}

// hostOrder returns the hosts as they stand in the box.
func (b *bench) hostOrder() (list []string) {
	m := b.model()
	for _, h := range m.hostRows() {
		list = append(list, h.Name)
	}
	return list
}

// TestHostKey runs a script again with the host in front of the keys.
func TestHostKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &crowd{}
		b := start(t, f, Options{Text: "BEGIN { @ = count(); }", Start: true, Machine: "fleet *"})
		defer b.end()
		b.shows("fleet *: none is there")
		f.runs[0].status <- fleetStatus()
		b.wait(100 * time.Millisecond)
		b.keys("alt+5", "alt+k")
		b.wait(time.Second)
		if got := f.runs[len(f.runs)-1].script.Text; got != "#pragma D option hostkey=on\nBEGIN { @ = count(); }" {
			t.Errorf("it runs %q", got)
		}
	})
}

// Of one machine there are no hosts to list. A thousand scroll.
func TestHostsOfOneAndOfMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, &fake{}, Options{Text: "BEGIN { }"})
		b.keys("alt+5")
		b.shows("one machine is traced, and no fleet")
		b.end()
		f := &crowd{}
		for i := range 1000 {
			f.there = append(f.there, trace.Host{Name: fmt.Sprintf("host-%04d", i), Kernel: "6.1"})
		}
		b = start(t, f, Options{Text: "BEGIN { }", Machine: "fleet *"})
		defer b.end()
		b.keys("alt+5")
		for range 60 {
			b.keys("pgdown")
		}
		b.shows("1000 there", "host-0999")
		f.there = f.there[:3] // most have gone
		b.keys("up")
		b.shows("host-0001")
	})
}
