package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"os/user"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/diag"
	"dscope.dev/engine"
	"dscope.dev/engine/fleet"
	"dscope.dev/engine/fleet/nats"
	"dscope.dev/engine/replay"
	"dscope.dev/engine/trace"
	"dscope.dev/ui"
)

// What the workbench asks of a fleet beyond what it must.
var (
	_ ui.Explainer = (*nats.Fleet)(nil)
	_ ui.Crowd     = (*nats.Fleet)(nil)
)

// fleetFlags choose the hosts of a fleet.
var fleetFlags = append([]usage.Flag{
	{Name: "--fleet", Arg: "hosts", Help: "trace on all hosts of a fleet that this names: 'web-*', role=db, 'web-*,zone!=b'; each of them runs dscope agent"},
}, loginFlags...)

// A fleetChoice is what the command line says of a fleet.
type fleetChoice struct {
	login
	hosts string // --fleet; "" is none
	brief bool   // of hosts those alone are told of that something is wrong with
}

// takeFleet takes --fleet and how to reach the server out of args.
func takeFleet(args []string) (c fleetChoice, rest []string, err error) {
	if c, rest, err = takeServer(args); err == nil {
		err = c.lone()
	}
	return c, rest, err
}

// lone refuses a server without a fleet.
func (c *fleetChoice) lone() error {
	if c.hosts == "" && (c.URL != "" || c.Creds != "" || c.CA != "" || c.Cert != "" || c.Key != "") {
		return errors.New("--nats says how to reach a fleet: --fleet is missing, which says which hosts of it")
	}
	return nil
}

// takeServer takes the same, for who may have to do with the server without asking hosts.
func takeServer(args []string) (c fleetChoice, rest []string, err error) {
	rest, err = c.take(args, func(name, _ string, next func() (string, error)) (took bool, err error) {
		if name != "--fleet" {
			return false, nil
		}
		if c.hosts, err = next(); err == nil && c.hosts == "" {
			err = errors.New("--fleet: '*' is all hosts")
		}
		return true, err
	})
	return c, rest, err
}

// open reaches the fleet.
func (c *fleetChoice) open(say func(string)) (*nats.Fleet, func(), error) {
	meant, err := fleet.ParseSelector(c.hosts)
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("--fleet %w", err)}
	}
	c.Say = say
	nc, err := c.dial("dscope")
	if err != nil {
		return nil, nil, err
	}
	client, err := nats.NewClient(nc, askingName(c.login))
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	f := nats.NewFleet(client, meant, fleet.Options{Brief: c.brief}, greeting())
	return f, func() { f.Close(); nc.Close() }, nil
}

// askingName is the name that is asked in: that which the server is logged in by, or ours.
func askingName(l login) string {
	if l.user != "" {
		return l.user
	}
	if name := nats.UserOf(l.Login); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil && nats.CheckName(u.Username) == nil {
		return u.Username
	}
	return "dscope"
}

// fleetPlace is a fleet as what is traced. What becomes of the connection it tells until it is
// quiet.
func fleetPlace(c fleetChoice) (*workplace, error) {
	var quiet atomic.Bool
	f, done, err := c.open(func(text string) {
		if !quiet.Load() {
			fmt.Fprintf(told, "dscope: %s\n", text)
		}
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	hosts := f.Hosts(ctx)
	if ctx.Err() != nil {
		done()
		return nil, errors.New("given up before all hosts of the fleet were found")
	}
	kernels := kernelsOf(hosts)
	m := &workplace{tracer: f, name: "fleet " + c.hosts, close: done, quiet: func() { quiet.Store(true) },
		header: replay.Header{Made: time.Now().UTC().Truncate(time.Second), Kernel: strings.Join(kernels, ", ")}}
	if len(hosts) == 0 {
		m.missing = fmt.Sprintf("no host of the fleet is meant by %s, or none is there", c.hosts)
	} else {
		m.header.Machine = hosts[0].Machine
	}
	return m, nil
}

// kernelsOf lists the kernels of hosts, of many the first.
func kernelsOf(hosts []fleet.Card) (list []string) {
	for _, h := range hosts {
		if !slices.Contains(list, h.Kernel) {
			list = append(list, h.Kernel)
		}
	}
	slices.Sort(list)
	const most = 4
	if len(list) > most {
		list = append(list[:most], "…")
	}
	return list
}

// fleetTrace is dscope trace on a fleet.
func fleetTrace(c fleetChoice, args []string) error {
	options, rest, err := fleetOptions(args)
	if err != nil {
		return err
	}
	j, err := parseTrace(rest)
	if err != nil {
		return err
	}
	if j.version || j.bare || len(j.parts) == 0 {
		return usageError{errors.New("--fleet needs a script: -n, -s and their like")}
	}
	script := trace.Script{Text: engine.Join(j.texts()), Args: j.args, Options: options}
	for _, set := range pragmas(script.Text) { // how it is printed; what is wrong with one its hosts say
		name, value, _ := strings.Cut(set, "=")
		_ = j.opts.Set(name, value)
	}
	f, done, err := c.open(func(text string) { fmt.Fprintf(told, "dtrace: %s\n", text) })
	if err != nil {
		return err
	}
	defer done()
	out, err := j.open()
	if err != nil {
		return err
	}
	defer out.Close()
	beside, over, err := j.monitor.start(func(text string) { fmt.Fprintf(told, "dtrace: %s\n", text) })
	if err != nil {
		return err
	}
	defer over()
	j.beside = beside
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	run, err := f.Run(waiting(ctx, "dtrace"), script)
	if err != nil {
		return fleetComplaint(err, j.opts.On("errtags"))
	}
	if !j.opts.Quiet {
		fmt.Fprintf(told, "dtrace: running on the fleet %s; Ctrl-C ends it\n", c.hosts)
	}
	stopped := context.AfterFunc(ctx, func() {
		stop() // the second signal ends dscope at once; hosts find that nobody wants the run any more
		run.Stop()
	})
	defer stopped()
	status, err := j.print(run, out, nil) // what scripts do outside they do on the hosts
	err = errors.Join(ignorePipe(err), run.Close())
	if !underTest() {
		tellHosts(told, status.Hosts, j.verbose)
	}
	switch {
	case err != nil:
		return err
	case status.State == trace.Failed:
		return fleetComplaint(status.Err, j.opts.On("errtags"))
	case status.Exit != 0:
		return exitStatus(status.Exit)
	case j.opts.DropStatus != 0 && lossy(status):
		return exitStatus(j.opts.DropStatus)
	}
	return nil
}

// fleetOptions reads from the flags of dscope trace what goes with a script to the hosts. The
// rest is for here: it has no options that only a fleet has.
func fleetOptions(args []string) (options, rest []string, err error) {
	if args, err = containerOption(args); err != nil {
		return nil, nil, err
	}
	kept, err := (&monitoring{}).take(slices.Clone(args))
	if err != nil {
		return nil, nil, usageError{err}
	}
	flags, _, err := getopt(kept, usage.Spec(traceFlags))
	if err != nil {
		return nil, nil, usageError{err}
	}
	options = []string{"estimate=off"} // nobody is there who could be asked: the air bag watches
	for _, f := range flags {
		switch f.flag {
		case 'q':
			options = append(options, "quiet")
		case 'w':
			options = append(options, "destructive")
		case 'Z':
			options = append(options, "zdefs")
		case 'F':
			options = append(options, "flowindent")
		case 'b':
			options = append(options, "bufsize="+f.arg)
		case 'x':
			options = append(options, f.arg)
		case 'C', 'D', 'I', 'U', 'X', 'H', 'G', 'h':
			return nil, nil, usageError{fmt.Errorf("-%c is about the headers of one machine: it does not go with --fleet", f.flag)}
		case 'c', 'p':
			return nil, nil, usageError{fmt.Errorf("-%c: a process is one of one host: it does not go with --fleet", f.flag)}
		case 'l', 'S', 'e', 'L':
			return nil, nil, usageError{fmt.Errorf("-%c does not go with --fleet: ask one host, with -H", f.flag)}
		}
	}
	for i := 0; i < len(args); i++ { // hostkey is no option of this machine
		if args[i] == "-x" && i+1 < len(args) && isHostKey(args[i+1]) {
			i++
			continue
		}
		if value, ok := strings.CutPrefix(args[i], "-x"); ok && isHostKey(value) {
			continue
		}
		rest = append(rest, args[i])
	}
	return options, rest, nil
}

func isHostKey(set string) bool {
	name, _, _ := strings.Cut(set, "=")
	return name == nats.HostKey
}

// fleetComplaint prints why no host runs a script: what each kernel complains of, by host.
func fleetComplaint(err error, tags bool) error {
	var refused *fleet.RefusedError
	if !errors.As(err, &refused) || len(refused.List) == 0 {
		return err
	}
	for _, r := range refused.List {
		list, ok := engine.IsScriptError(r.Err)
		if !ok {
			fmt.Fprintf(told, "dtrace: %s: %v\n", fleet.Names(r.Hosts), r.Err)
			continue
		}
		fmt.Fprintf(told, "dtrace: %s: failed to compile script: %s\n", fleet.Names(r.Hosts), diag.Classic(list.File, firstError(list.List), tags))
		if !underTest() {
			diag.Print(told, list.File, list.List)
		}
	}
	return errReported
}

// tellHosts tells how each host came through: of those that did, in one line, if all is not
// asked for.
func tellHosts(to io.Writer, hosts []trace.Host, all bool) {
	well := 0
	var bound time.Duration
	for _, h := range hosts {
		whole := h.State != trace.Failed && h.Silent == 0 && h.Lost == 0 && h.Drops == 0
		if whole {
			well++
		}
		bound = max(bound, h.Bound)
		if (whole && h.Late == 0 || h.Refused) && !all { // refusals were told of as they came
			continue
		}
		fmt.Fprintf(to, "dtrace: %-*s %s\n", 12, h.Name, strings.Join(hostWords(h), ", "))
	}
	fmt.Fprintf(to, "dtrace: %d of %d host%s delivered all that they had; times of different hosts agree within %v\n", well, len(hosts), plural(len(hosts)), 2*bound.Round(time.Microsecond))
}

// hostWords are what is to be told of a host.
func hostWords(h trace.Host) (list []string) {
	switch {
	case h.Refused:
		list = append(list, "refused: "+h.Why)
	case h.State == trace.Failed:
		list = append(list, "died: "+h.Why+"; what it had delivered is in the result")
	case h.State != trace.Done:
		list = append(list, h.State.String())
	default:
		list = append(list, "well")
	}
	if h.Silent > 0 {
		list = append(list, fmt.Sprintf("silent for %v", h.Silent.Round(time.Second)))
	}
	for _, n := range []struct {
		count uint64
		what  string
	}{{h.Drops, "drops there"}, {h.Lost, "events lost on the way"}, {h.Late, "events late"}} {
		if n.count > 0 {
			list = append(list, fmt.Sprintf("%d %s", n.count, n.what))
		}
	}
	if h.Bound > 0 {
		list = append(list, fmt.Sprintf("clock %+v within %v", h.Clock.Round(time.Microsecond), h.Bound.Round(time.Microsecond)))
	}
	return append(list, "Linux "+h.Kernel)
}
