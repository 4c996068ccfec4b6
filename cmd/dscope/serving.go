package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	natsgo "github.com/nats-io/nats.go"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine/fleet"
	"dscope.dev/engine/fleet/nats"
)

// A serving is what serves a host to a fleet, or many as one: its name and labels, who may ask,
// and the server that it logs in at.
type serving struct {
	login
	command string
	card    fleet.Card
	agent   nats.Agent
	anyone  bool
	say     func(string)
}

// servingFlags are those of both; name says what it is called.
func servingFlags(name string) []usage.Flag {
	return append([]usage.Flag{
		{Name: "--name", Arg: "name", Help: name},
		{Name: "--label", Arg: "key=value", Help: "what --fleet can choose by, beside the name; may be given often"},
		{Name: "--allow", Arg: "user", Help: "let this user ask and no others, beside what the server permits; may be given often"},
		{Name: "--anyone", Help: "serve over a server that lets anybody in, who then may trace there as root does"},
	}, slices.Clone(loginFlags)...)
}

func newServing(command string) *serving {
	s := &serving{command: command, card: fleet.Card{Labels: map[string]string{}, Machine: runtime.GOARCH, Program: version, Instance: rand.Text()}}
	s.say = func(text string) { fmt.Fprintf(told, "dscope %s: %s\n", command, text) }
	s.Say, s.agent.Say = s.say, s.say
	return s
}

// takes takes one of its flags.
func (s *serving) takes(name string, next func() (string, error)) (took bool, err error) {
	switch name {
	case "--name":
		s.card.Name, err = next()
	case "--label":
		err = takeLabel(s.card.Labels, next)
	case "--allow":
		var user string
		user, err = next()
		s.agent.Allow = append(s.agent.Allow, user)
	case "--anyone":
		s.anyone = true
	default:
		return false, nil
	}
	return true, err
}

// named refuses a name that cannot be one.
func (s *serving) named() error {
	if err := nats.CheckName(s.card.Name); err != nil {
		return usageError{fmt.Errorf("%s: --name %w", s.command, err)}
	}
	return nil
}

// reach logs in.
func (s *serving) reach() (*natsgo.Conn, error) {
	nc, err := s.dial("dscope " + s.command + " " + s.card.Name)
	if err != nil {
		return nil, err
	}
	if nats.IsOpen(nc) && !s.anyone {
		nc.Close()
		return nil, errors.New("the server lets anybody in, and whoever reaches it could trace there as root: have it ask for a password " +
			"(dscope agent --server-conf shows how), or say --anyone")
	}
	return nc, nil
}

// serve serves until ctx ends.
func (s *serving) serve(ctx context.Context, nc *natsgo.Conn) error {
	s.agent.Card = s.card
	return s.agent.Serve(ctx, nc)
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
