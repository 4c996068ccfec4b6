package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine/fleet"
	"dscope.dev/engine/fleet/nats"
	"dscope.dev/engine/remote"
)

func relayCommand() usage.Command {
	return usage.Command{
		Name: "relay", Brief: "speak for many hosts of a fleet as one of them",
		Forms: []string{"--fleet hosts --name name --nats url [--below url]\n" +
			"    [--label key=value]... [--allow user]... [--anyone] [--creds file]\n    [--ca file] [--cert file] [--key file]"},
		About: "Merges what comes of some hosts of a fleet, and serves it as dscope agent serves one host: whoever asks relays, with " +
			"--fleet 'relay=*', reads one stream of each and not one of each host. It traces nothing itself and needs no privileges.",
		Flags: append([]usage.Flag{
			{Name: "--fleet", Arg: "hosts", Help: "speak for these: 'zone=a', 'web-*'"},
			{Name: "--name", Arg: "name", Help: "what it is called among hosts; its label relay has this name too"},
			{Name: "--below", Arg: "url", Help: "the server at which the hosts are; without it, that of --nats"},
			{Name: "--label", Arg: "key=value", Help: "what --fleet can choose it by, beside relay=name; may be given often"},
			{Name: "--allow", Arg: "user", Help: "let this user ask and no others, beside what the server permits; may be given often"},
			{Name: "--anyone", Help: "serve over a server that lets anybody in, who then may trace those hosts as root does"},
		}, loginFlags...),
		Run: relayMain, Topics: []string{"fleets"},
	}
}

// relayMain speaks for hosts.
func relayMain(args []string) error {
	var l login
	var hosts, below string
	var anyone bool
	card := fleet.Card{Labels: map[string]string{}, Machine: runtime.GOARCH, Program: version, Instance: rand.Text()}
	a := &nats.Agent{Say: func(text string) { fmt.Fprintf(told, "dscope relay: %s\n", text) }}
	l.Say = a.Say
	rest, err := l.take(args, func(name, _ string, next func() (string, error)) (took bool, err error) {
		switch name {
		case "--fleet":
			hosts, err = next()
		case "--name":
			card.Name, err = next()
		case "--below":
			below, err = next()
		case "--label":
			err = takeLabel(card.Labels, next)
		case "--allow":
			var user string
			user, err = next()
			a.Allow = append(a.Allow, user)
		case "--anyone":
			anyone = true
		default:
			return false, nil
		}
		return true, err
	})
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%s makes no sense here", rest[0])
	}
	var meant fleet.Selector
	switch {
	case err != nil:
	case hosts == "":
		err = errors.New("--fleet is missing: the hosts that it speaks for")
	default:
		if meant, err = fleet.ParseSelector(hosts); err != nil {
			err = fmt.Errorf("--fleet %w", err)
		} else if meant.Relays() {
			err = errors.New("--fleet: a relay speaks for hosts, and not for other relays")
		}
	}
	if err == nil {
		if err = nats.CheckName(card.Name); err != nil {
			err = fmt.Errorf("--name %w", err)
		}
	}
	if err != nil {
		return usageError{fmt.Errorf("relay: %w", err)}
	}
	card.Labels[fleet.RelayLabel] = card.Name
	nc, err := l.dial("dscope relay " + card.Name)
	if err != nil {
		return err
	}
	defer nc.Close()
	if nats.IsOpen(nc) && !anyone {
		return errors.New("the server lets anybody in, and whoever reaches it could trace those hosts as root: have it ask for a password " +
			"(dscope agent --server-conf shows how), or say --anyone")
	}
	there := l
	there.URL = cmp.Or(below, l.URL)
	c := fleetChoice{login: there, hosts: hosts, brief: true}
	f, done, err := c.open(a.Say)
	if err != nil {
		return err
	}
	defer done()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	defer stop()
	card.Kernel = strings.Join(kernelsOf(f.Hosts(ctx)), " ")
	a.Card, a.Runner, a.Server = card, nats.Relay{Fleet: f}, &remote.Server{Backend: nats.Relay{Fleet: f}, Greeting: greeting()}
	a.Say(fmt.Sprintf("%s speaks for %s at %s", card.Name, hosts, natsServer(nc)))
	return a.Serve(ctx, nc)
}

// takeLabel takes a label of an agent.
func takeLabel(into map[string]string, next func() (string, error)) error {
	text, err := next()
	if err != nil {
		return err
	}
	key, value, ok := strings.Cut(text, "=")
	switch {
	case !ok || key == "":
		return fmt.Errorf("--label %s: a label is key=value", text)
	case key == fleet.RelayLabel:
		return fmt.Errorf("--label %s: that label says what dscope relay speaks for", text)
	}
	into[key] = value
	return nil
}
