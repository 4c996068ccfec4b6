package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"os/user"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"dscope.dev/engine"
	"dscope.dev/engine/fleet/nats"
	"dscope.dev/engine/remote"
	"dscope.dev/engine/remote/ssh"
	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
	"dscope.dev/ui"
	"dscope.dev/ui/browser"
)

// What the workbench asks beyond what it must, of this machine (on Linux also ui.Swapper, which a
// test holds), another one and many.
var (
	_ ui.Follower       = (*engine.Engine)(nil)
	_ ui.Explainer      = (*engine.Engine)(nil)
	_ browser.Processes = (*engine.Engine)(nil)

	_ ui.Swapper        = (*remote.Client)(nil)
	_ ui.Follower       = (*remote.Client)(nil)
	_ ui.Explainer      = (*remote.Client)(nil)
	_ browser.Processes = (*remote.Client)(nil)

	_ ui.Crowd     = (*nats.Fleet)(nil)
	_ ui.Explainer = (*nats.Fleet)(nil)
)

// A tracer is an engine, here or on another machine.
type tracer interface {
	ui.Backend
	Process(ctx context.Context, pid int) (trace.ProcessInfo, error)
}

// A workplace is the machine that is traced: this one or another.
type workplace struct {
	tracer
	header  replay.Header // of what is recorded there
	missing string        // what is missing to trace; "" if nothing is
	name    string        // "" if it is this one
	quiet   func()        // keeps what is said elsewhere off the terminal; nil if nothing is
	close   func()
}

// thisMachine is the one that dscope runs on. Nothing may have been opened before: it may
// start a helper, as root.
func thisMachine() (*workplace, error) {
	m, refused := helperMachine()
	if m != nil {
		return m, nil
	}
	e, err := newEngine()
	if err != nil {
		return nil, err
	}
	missing, own := elevate(e)
	if own != nil {
		return own, e.Close()
	}
	if missing != "" && refused != nil {
		missing = refused.Error()
	}
	return &workplace{tracer: e, header: here(), missing: missing, close: func() { e.Close() }}, nil
}

// glance is how long the files of a process may take to be looked at before its name is had
// without them.
const glance = 300 * time.Millisecond

// find returns a process to open the workbench on. The file system of what it executes may be silent: of
// that the workbench tells once it is there.
func (w *workplace) find(ctx context.Context, pid int) (trace.Process, error) {
	type answer struct {
		trace.ProcessInfo
		error
	}
	whole := make(chan answer, 1)
	go func() {
		info, err := w.Process(ctx, pid)
		whole <- answer{info, err}
	}()
	select {
	case a := <-whole:
		return a.Process, a.error
	case <-time.After(glance):
	}
	if table, ok := w.tracer.(browser.Processes); ok {
		list, _ := table.Processes(ctx) // if it cannot be had the other answer is waited for
		if i := slices.IndexFunc(list, func(p trace.Process) bool { return p.PID == pid }); i >= 0 {
			return list[i], nil
		}
	}
	a := <-whole
	return a.Process, a.error
}

// reaching is how long the dscope on another machine may take to greet.
const reaching = time.Minute

// otherMachine reaches one over ssh.
func otherMachine(host string) (*workplace, *remote.Client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	conn, err := ssh.Dial(ctx, host, ssh.Options{Program: self, Serve: []string{"serve"}, Stderr: told,
		Say: func(text string) { fmt.Fprintf(told, "dscope: %s\n", text) }})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, reaching, fmt.Errorf("no dscope has answered for %v", reaching))
	defer cancel()
	c, err := remote.NewClient(ctx, conn, greeting())
	if err != nil {
		return nil, nil, fmt.Errorf("reach %s: %w", host, conn.Explain(err))
	}
	c.Why(conn.Why)
	g := c.Greeting()
	m := &workplace{tracer: c, name: fmt.Sprintf("%s, Linux %s", host, g.Kernel), quiet: conn.Quiet, close: func() { c.Close() },
		header: replay.Header{Made: time.Now().UTC().Truncate(time.Second), Kernel: g.Kernel, Machine: g.Machine}}
	if err := c.Available(ctx); err != nil {
		m.missing = fmt.Sprintf("%s: %v", host, err)
		if !conn.Privileged() {
			m.missing += fmt.Sprintf("; log in as root (-H root@…), or let %s run dscope there by sudo without a password", g.User)
		}
	}
	return m, c, nil
}

// greeting says who we are.
func greeting() remote.Greeting {
	g := remote.Greeting{Program: "dscope " + version, Kernel: kernelRelease(), Machine: runtime.GOARCH}
	if host, err := os.Hostname(); err == nil {
		g.Host = host
	}
	if u, err := user.Current(); err == nil {
		g.User = u.Username
	}
	return g
}

// machineFlag takes -H with a machine out of args, in front of a lone --.
func machineFlag(args []string) (host string, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		value, ok := strings.CutPrefix(args[i], "-H")
		if !ok || args[i] == "--" {
			if args[i] == "--" {
				return host, append(rest, args[i:]...), nil
			}
			rest = append(rest, args[i])
			continue
		}
		if value == "" {
			if i++; i == len(args) {
				return "", nil, errors.New("-H: the machine is missing: user@host, as ssh takes it")
			}
			value = args[i]
		}
		host = value
	}
	return host, rest, nil
}

// commandMachine takes -H with a machine off the front of a command line.
func commandMachine(args []string) (host string, rest []string) {
	if len(args) > 0 && len(args[0]) > len("-H") && strings.HasPrefix(args[0], "-H") {
		return args[0][len("-H"):], args[1:]
	}
	return leadingMachine(args)
}

// leadingMachine takes -H with a machine off the front of args. Where no machine follows it
// is the -H of dtrace(1), which has no argument.
func leadingMachine(args []string) (host string, rest []string) {
	if len(args) > 1 && args[0] == "-H" && args[1] != "" && args[1][0] != '-' {
		return args[1], args[2:]
	}
	return "", args
}
