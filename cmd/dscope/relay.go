package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/signal"
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
			{Name: "--below", Arg: "url", Help: "the server at which the hosts are; without it, that of --nats"},
		}, servingFlags("what it is called among hosts; its label relay has this name too")...),
		Run: relayMain, Topics: []string{"fleets"},
	}
}

// relayMain speaks for hosts.
func relayMain(args []string) error {
	s := newServing("relay")
	var hosts, below string
	rest, err := s.take(args, func(name, _ string, next func() (string, error)) (took bool, err error) {
		switch name {
		case "--fleet":
			hosts, err = next()
		case "--below":
			below, err = next()
		default:
			return s.takes(name, next)
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
	if err != nil {
		return usageError{fmt.Errorf("relay: %w", err)}
	}
	if err := s.named(); err != nil {
		return err
	}
	s.card.Labels[fleet.RelayLabel] = s.card.Name
	nc, err := s.reach()
	if err != nil {
		return err
	}
	defer nc.Close()
	there := s.login
	there.URL = cmp.Or(below, s.URL)
	c := fleetChoice{login: there, hosts: hosts, brief: true}
	f, done, err := c.open(s.say)
	if err != nil {
		return err
	}
	defer done()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	defer stop()
	s.card.Kernel = strings.Join(kernelsOf(f.Hosts(ctx)), " ")
	s.agent.Runner, s.agent.Server = nats.Relay{Fleet: f}, &remote.Server{Backend: nats.Relay{Fleet: f}, Greeting: greeting()}
	s.say(fmt.Sprintf("%s speaks for %s at %s", s.card.Name, hosts, natsServer(nc)))
	return s.serve(ctx, nc)
}
