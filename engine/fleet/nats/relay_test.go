package nats

import (
	"context"
	"slices"
	"testing"

	"dscope.dev/engine/fleet"
	"dscope.dev/engine/fleet/nats/natstest"
	"dscope.dev/engine/remote"
	"dscope.dev/engine/trace"
)

// relay has a relay speak for hosts for the rest of the test.
func relay(t *testing.T, url, name, hosts string) {
	t.Helper()
	meant, err := fleet.ParseSelector(hosts)
	if err != nil {
		t.Fatal(err)
	}
	below := NewFleet(client(t, url, "below-"+name), meant, fleet.Options{Brief: true}, remote.Greeting{})
	nc, err := Dial(Login{URL: url, Name: name})
	if err != nil {
		t.Fatal(err)
	}
	agent := &Agent{Card: fleet.Card{Name: name, Labels: map[string]string{fleet.RelayLabel: name}, Instance: "1"}, Runner: Relay{below}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- agent.Serve(ctx, nc) }()
	t.Cleanup(func() {
		cancel()
		if err := await(t, name+" to leave", ended); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		nc.Close()
	})
}

// TestRelay has two relays speak for three hosts, one of which refuses: what they count is
// merged as without relays, and all of them end when they are asked to. Who asks for hosts gets
// hosts.
func TestRelay(t *testing.T) {
	_, url := natstest.Token(t)
	zone := func(z string) map[string]string { return map[string]string{"zone": z} }
	a, b, c := serve(t, url, "web-1", zone("a")), serve(t, url, "web-2", zone("a")), serve(t, url, "db-1", zone("b"))
	b.refuse = errProbe
	relay(t, url, "zone-a", "zone=a")
	relay(t, url, "zone-b", "zone=b")
	alice := client(t, url, "alice")
	run, err := start(t, alice, "relay=*", fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	one, three := await(t, "web-1 to be asked", a.came), await(t, "db-1 to be asked", c.came)
	one.counted(map[string]int64{"x": 1, "y": 2})
	three.counted(map[string]int64{"x": 10})
	one.status <- trace.Status{State: trace.Running, Probes: 3}
	var seen reading
	hosts := func() (list []string) {
		for _, h := range seen.status.Hosts {
			list = append(list, h.Name+" "+h.State.String())
		}
		return list
	}
	read(t, run, &seen, func() bool {
		return slices.Equal(seen.rows, []string{"x=11", "y=2"}) && slices.Equal(hosts(), []string{"zone-a running", "zone-a/web-2 failed", "zone-b running"})
	})
	if h := seen.status.Hosts[1]; !h.Refused || h.Why != errProbe.Error() {
		t.Errorf("the host that refuses is %+v", h)
	}
	run.Stop()
	await(t, "web-1 to be stopped", one.stopped)
	await(t, "db-1 to be stopped", three.stopped)
	one.end()
	three.end()
	read(t, run, &seen, never)
	if !slices.Equal(seen.rows, []string{"x=11", "y=2"}) || seen.status.State != trace.Done {
		t.Errorf("it has ended with %v as %+v", seen.rows, seen.status)
	}

	run, err = start(t, alice, "*", fleet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	read(t, run, &seen, func() bool {
		return slices.Equal(hosts(), []string{"db-1 running", "web-1 running", "web-2 failed"})
	})
}
