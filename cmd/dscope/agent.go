package main

import (
	"context"
	"crypto/rand"
	_ "embed" // for what it installs itself by
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	natsgo "github.com/nats-io/nats.go"

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
		Flags: append(slices.Clone(loginFlags),
			usage.Flag{Name: "--name", Arg: "name", Help: "what this host is called; without it, its host name"},
			usage.Flag{Name: "--label", Arg: "key=value", Help: "what --fleet can choose by, beside the name; may be given often"},
			usage.Flag{Name: "--allow", Arg: "user", Help: "let this user ask and no others, beside what the server permits; may be given often"},
			usage.Flag{Name: "--destructive", Help: "let scripts have destructive actions, if they ask for it (-w)"},
			usage.Flag{Name: "--anyone", Help: "serve over a server that lets anybody in, who then may trace here as root does"},
			usage.Flag{Name: "--unit", Help: "print a unit of systemd that runs it"},
			usage.Flag{Name: "--manifest", Help: "print a manifest of Kubernetes that runs it on every node"},
			usage.Flag{Name: "--server-conf", Help: "print a configuration of a NATS server for a fleet, to be filled in"}),
		Run: agentMain, Topics: []string{"fleets"},
	}
}

// loginFlags say how to reach the server.
var loginFlags = []usage.Flag{
	{Name: "--nats", Arg: "url", Help: "the server: nats://user:password@host, tls://host; without it, $DSCOPE_NATS"},
	{Name: "--creds", Arg: "file", Takes: usage.File, Help: "log in by this file of credentials"},
	{Name: "--ca", Arg: "file", Takes: usage.File, Help: "trust the certificates of this file, for a server with TLS"},
	{Name: "--cert", Arg: "file", Takes: usage.File, Help: "show this certificate to the server"},
	{Name: "--key", Arg: "file", Takes: usage.File, Help: "the key of the certificate"},
}

//go:embed agent.service
var agentUnit string

//go:embed agent.yaml
var agentManifest string

// A login is how the command line says to reach the server.
type login struct {
	nats.Login
	user string // who asks; "" is whom the address logs in
}

// take takes its flags out of args, in front of a lone --. What more takes is not its own.
func (l *login) take(args []string, more func(name, value string, next func() (string, error)) (bool, error)) (rest []string, err error) {
	to := map[string]*string{"--nats": &l.URL, "--creds": &l.Creds, "--ca": &l.CA, "--cert": &l.Cert, "--key": &l.Key}
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(rest, args[i:]...), nil
		}
		name, value, given := strings.Cut(args[i], "=")
		next := func() (string, error) {
			if given {
				return value, nil
			}
			if i++; i == len(args) {
				return "", fmt.Errorf("%s: what follows it is missing", name)
			}
			return args[i], nil
		}
		if into := to[name]; into != nil {
			if *into, err = next(); err != nil {
				return nil, err
			}
			continue
		}
		took, err := more(name, value, next)
		if err != nil {
			return nil, err
		}
		if !took {
			rest = append(rest, args[i])
		}
	}
	return rest, nil
}

// dial logs in.
func (l *login) dial(name string) (*natsgo.Conn, error) {
	if l.URL == "" {
		l.URL = os.Getenv("DSCOPE_NATS")
	}
	if l.URL == "" {
		return nil, usageError{errors.New("--nats: the address of the NATS server is missing, as in --nats nats://user:password@host; $DSCOPE_NATS is another place for it")}
	}
	l.Name = name
	return nats.Dial(l.Login)
}

// agentMain serves this host.
func agentMain(args []string) error {
	var l login
	var destructive, anyone bool
	card := fleet.Card{Labels: map[string]string{}, Kernel: kernelRelease(), Machine: runtime.GOARCH, Program: version, Instance: rand.Text()}
	a := &nats.Agent{Say: func(text string) { fmt.Fprintf(told, "dscope agent: %s\n", text) }}
	l.Say = a.Say
	var printed *string
	rest, err := l.take(args, func(name, _ string, next func() (string, error)) (took bool, err error) {
		switch name {
		case "--name":
			card.Name, err = next()
		case "--label":
			var text string
			text, err = next()
			key, value, ok := strings.Cut(text, "=")
			if err == nil && (!ok || key == "") {
				err = fmt.Errorf("--label %s: a label is key=value", text)
			}
			card.Labels[key] = value
		case "--allow":
			var user string
			user, err = next()
			a.Allow = append(a.Allow, user)
		case "--destructive":
			destructive = true
		case "--anyone":
			anyone = true
		case "--unit":
			printed = &agentUnit
		case "--manifest":
			printed = &agentManifest
		case "--server-conf":
			printed = &nats.Config
		default:
			return false, nil
		}
		return true, err
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
	if card.Name == "" {
		if card.Name, err = os.Hostname(); err != nil {
			return err
		}
	}
	if err := nats.CheckName(card.Name); err != nil {
		return usageError{fmt.Errorf("agent: --name %w", err)}
	}
	e, err := engine.New()
	if err != nil {
		return err
	}
	defer e.Close()
	if err := e.Available(); err != nil {
		return err
	}
	nc, err := l.dial("dscope agent " + card.Name)
	if err != nil {
		return err
	}
	defer nc.Close()
	if nats.IsOpen(nc) && !anyone {
		return errors.New("the server lets anybody in, and whoever reaches it could trace here as root: have it ask for a password " +
			"(dscope agent --server-conf shows how), or say --anyone")
	}
	library, err := hostLibrary(card.Name)
	if err != nil {
		return err
	}
	defer os.RemoveAll(library)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	defer stop()
	host := hosted{served{e}, library, destructive}
	a.Card, a.Runner, a.Server = card, host, &remote.Server{Backend: host, Greeting: greeting()}
	a.Say(fmt.Sprintf("%s serves %s", card.Name, natsServer(nc)))
	return a.Serve(ctx, nc)
}

// natsServer is the server as people are told of it.
func natsServer(nc *natsgo.Conn) string {
	if name := nc.ConnectedServerName(); name != "" {
		return fmt.Sprintf("the server %s at %s", name, nc.ConnectedAddr())
	}
	return "the server at " + nc.ConnectedAddr()
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
