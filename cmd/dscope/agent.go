package main

import (
	"context"
	_ "embed" // for what it installs itself by
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/engine"
	"dscope.dev/engine/fleet"
	"dscope.dev/engine/fleet/nats"
	"dscope.dev/engine/remote"
	"dscope.dev/engine/trace"
)

func agentCommand() usage.Command {
	return usage.Command{
		Name: "agent", Brief: "serve this host to a fleet, over a NATS server",
		Forms: []string{"--nats url [--name name] [--label key=value]...\n" +
			"    [--allow user]... [--destructive] [--anyone] [--creds file]\n    [--ca file] [--cert file] [--key file]",
			"--unit | --manifest | --server-conf"},
		About: "Has dscope trace --fleet and dscope --fleet run scripts on this host, as long as it runs. It listens nowhere: it logs " +
			"in at a NATS server, whose permissions say who may ask. Every run is told of on standard error: who asked, and the hash of the script.",
		Flags: append(servingFlags("what this host is called; without it, its host name"),
			usage.Flag{Name: "--destructive", Help: "let scripts have destructive actions, if they ask for it (-w)"},
			usage.Flag{Name: "--unit", Help: "print a unit of systemd that runs it"},
			usage.Flag{Name: "--manifest", Help: "print a manifest of Kubernetes that runs it on every node"},
			usage.Flag{Name: "--server-conf", Help: "print a configuration of a NATS server for a fleet, to be filled in"}),
		Run: agentMain, Topics: []string{"fleets"},
	}
}

//go:embed agent.service
var agentUnit string

//go:embed agent.yaml
var agentManifest string

// agentMain serves this host.
func agentMain(args []string) error {
	s := newServing("agent")
	s.card.Kernel = kernelRelease()
	var destructive bool
	var printed *string
	rest, err := s.take(args, func(name, _ string, next func() (string, error)) (bool, error) {
		switch name {
		case "--destructive":
			destructive = true
		case "--unit":
			printed = &agentUnit
		case "--manifest":
			printed = &agentManifest
		case "--server-conf":
			printed = &nats.Config
		default:
			return s.takes(name, next)
		}
		return true, nil
	})
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%s makes no sense here", rest[0])
	}
	if err != nil {
		return usageError{fmt.Errorf("agent: %w", err)}
	}
	if printed != nil {
		fmt.Fprint(said, *printed)
		return nil
	}
	if s.card.Name == "" {
		if s.card.Name, err = os.Hostname(); err != nil {
			return err
		}
	}
	if err := s.named(); err != nil {
		return err
	}
	e, err := engine.Open()
	if err != nil {
		return err
	}
	defer e.Close()
	if err := e.Available(); err != nil {
		return err
	}
	nc, err := s.reach()
	if err != nil {
		return err
	}
	defer nc.Close()
	library, err := hostLibrary(s.card.Name)
	if err != nil {
		return err
	}
	defer os.RemoveAll(library)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	defer stop()
	host := hosted{served{e}, library, destructive}
	s.agent.Runner, s.agent.Server = host, &remote.Server{Backend: host, Greeting: greeting()}
	s.say(s.card.Name + " serves " + natsServer(nc))
	return s.serve(ctx, nc)
}

// hostLibrary makes a folder of D that gives scripts the name of the host.
func hostLibrary(name string) (folder string, err error) {
	if folder, err = os.MkdirTemp("", "dscope-agent-"); err != nil {
		return "", err
	}
	return folder, os.WriteFile(filepath.Join(folder, "host.d"), []byte(fleet.HostLibrary(name)), 0o600)
}

// hosted is the engine as an agent has it: scripts know the name of the host, and have
// destructive actions only if that is allowed.
type hosted struct {
	served
	library     string
	destructive bool
}

// ours adds to a script what it has on this host.
func (h hosted) ours(s trace.Script) trace.Script {
	s.Options = append([]string{"libdir=" + h.library}, s.Options...)
	return s
}

// Run refuses what is not allowed.
func (h hosted) Run(ctx context.Context, s trace.Script) (trace.Run, error) {
	if err := h.allows(s); err != nil {
		return nil, err
	}
	return h.served.Run(ctx, h.ours(s))
}

func (h hosted) allows(s trace.Script) error {
	if h.destructive {
		return nil
	}
	for _, set := range append(slices.Clone(s.Options), pragmas(s.Text)...) {
		if name, _, _ := strings.Cut(set, "="); name == "destructive" {
			return errors.New("destructive actions are not allowed on this host: its agent runs without --destructive")
		}
	}
	return nil
}

// pragmas returns the options that a script sets, as -x has them.
func pragmas(text string) (list []string) {
	tree, _ := parser.Parse(token.NewFile("script", text))
	for _, item := range tree.Items {
		p, ok := item.(*ast.Pragma)
		if !ok {
			continue
		}
		words := strings.Fields(strings.TrimPrefix(p.Text, "#"))
		if len(words) >= 4 && words[0] == "pragma" && words[1] == "D" && words[2] == "option" {
			name, value, _ := strings.Cut(strings.Join(words[3:], ""), "=")
			if value = strings.Trim(value, `"`); value != "" {
				name += "=" + value
			}
			list = append(list, name)
		}
	}
	return list
}

// Check knows the name of the host.
func (h hosted) Check(ctx context.Context, s trace.Script) diag.List {
	return h.served.Check(ctx, h.ours(s))
}

// Complete knows it too.
func (h hosted) Complete(ctx context.Context, s trace.Script, at int) (int, []trace.Completion) {
	return h.served.Complete(ctx, h.ours(s), at)
}

// Explain knows it too.
func (h hosted) Explain(ctx context.Context, s trace.Script, at int) (trace.Explanation, bool) {
	return h.served.Explain(ctx, h.ours(s), at)
}

// Swap refuses what is not allowed.
func (h hosted) Swap(ctx context.Context, old trace.Run, s trace.Script) (trace.Run, error) {
	if err := h.allows(s); err != nil {
		return nil, err
	}
	return h.served.Swap(ctx, old, h.ours(s))
}
