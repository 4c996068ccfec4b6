package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/dlang/unit"
	"dscope.dev/engine/fleet/nats"
	"dscope.dev/engine/replay"
)

// keptPrefix begins the name of a recording that a server keeps, in place of a file.
const keptPrefix = "nats:"

// A keptName names a recording of a server, nats:NAME or nats:USER/NAME.
type keptName struct {
	user string // whose it is; "" is who asks
	name string
}

// keptBy reads the name of a recording; ok is false if it is that of a file.
func keptBy(path string) (k keptName, ok bool) {
	text, ok := strings.CutPrefix(path, keptPrefix)
	if user, name, both := strings.Cut(text, "/"); both {
		return keptName{user, name}, ok
	}
	return keptName{"", text}, ok
}

// archive logs in where recordings of owner are kept.
func (l *login) archive(owner string) (*nats.Archive, *natsgo.Conn, error) {
	l.Say = func(text string) { fmt.Fprintf(told, "dscope: %s\n", text) }
	nc, err := l.dial("dscope")
	if err != nil {
		return nil, nil, err
	}
	a, err := nats.NewArchive(nc, askingName(*l), owner)
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return a, nc, nil
}

// takeLogin takes how to reach a server out of the arguments of a command.
func takeLogin(command string, args []string) (l login, rest []string, err error) {
	rest, err = l.take(args, func(string, string, func() (string, error)) (bool, error) { return false, nil })
	if err != nil {
		err = usageError{fmt.Errorf("%s: %w", command, err)}
	}
	return l, rest, err
}

// A keptRecording is one that a server keeps. Like a file it is there once something runs: what
// stands before that waits here.
type keptRecording struct {
	nc    *natsgo.Conn
	to    *nats.Kept
	early bytes.Buffer
	runs  bool
}

func newKept(ctx context.Context, l *login, k keptName) (*keptRecording, error) {
	if k.user != "" {
		return nil, usageError{errors.New("record: one's own recordings have no user in front: nats:NAME")}
	}
	a, nc, err := l.archive("")
	if err != nil {
		return nil, err
	}
	to, err := a.Create(ctx, k.name)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("record to %s%s: %w", keptPrefix, k.name, err)
	}
	return &keptRecording{nc: nc, to: to}, nil
}

func (r *keptRecording) Write(b []byte) (int, error) {
	if r.runs {
		return r.to.Write(b)
	}
	return r.early.Write(b)
}

func (r *keptRecording) keep() error {
	if r.runs {
		return nil
	}
	r.runs = true
	_, err := r.early.WriteTo(r.to)
	return err
}

func (r *keptRecording) close() error {
	defer r.nc.Close()
	return r.to.Close()
}

func (r *keptRecording) discard() { _ = r.close() } // what went wrong was said

// openRecording opens a recording: that of a file, or one that a server keeps, which is copied
// as far as it goes by now.
func openRecording(l *login, path string) (*replay.Player, error) {
	k, ok := keptBy(path)
	if !ok {
		return replay.Open(path)
	}
	a, nc, err := l.archive(k.user)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	f, err := os.CreateTemp("", "dscope-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	n, err := a.Read(ctx, k.name, f)
	if err != nil && n > 0 && ctx.Err() == nil { // what stands before can be shown
		fmt.Fprintf(told, "dscope: %s: %v\n", path, err)
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p, err := replay.Open(f.Name())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	}
	return p, nil
}

func keptCommand() usage.Command {
	return usage.Command{
		Name: "kept", Brief: "list the recordings that a NATS server keeps",
		Forms: []string{"[--of user] [--remove name]... [--nats url] [--creds file]\n    [--ca file] [--cert file] [--key file]"},
		About: "Lists what dscope record has written to nats:NAME, or removes some of it: the name, the size, when it was begun, and when the last of it came.",
		Flags: append([]usage.Flag{
			{Name: "--of", Arg: "user", Help: "those of this user; without it, one's own"},
			{Name: "--remove", Arg: "name", Help: "remove this one; may be given often"},
		}, loginFlags...),
		Run: keptMain, Topics: []string{"recordings", "fleets"},
	}
}

// keptMain is dscope kept.
func keptMain(args []string) error {
	var l login
	var of string
	var remove []string
	rest, err := l.take(args, func(name, _ string, next func() (string, error)) (took bool, err error) {
		switch name {
		case "--of":
			of, err = next()
		case "--remove":
			var one string
			one, err = next()
			remove = append(remove, strings.TrimPrefix(one, keptPrefix))
		default:
			return false, nil
		}
		return true, err
	})
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%s makes no sense here", rest[0])
	}
	if err != nil {
		return usageError{fmt.Errorf("kept: %w", err)}
	}
	a, nc, err := l.archive(of)
	if err != nil {
		return err
	}
	defer nc.Close()
	ctx := context.Background()
	for _, name := range remove {
		if err := a.Remove(ctx, name); err != nil {
			return err
		}
	}
	if len(remove) > 0 {
		return nil
	}
	list, err := a.List(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintf(said, "the server keeps no recordings of %s\n", cmp.Or(of, askingName(l)))
		return nil
	}
	rows := [][]string{{"NAME", "SIZE", "BEGUN", "LAST"}}
	for _, r := range list {
		rows = append(rows, []string{r.Name, unit.None.Label(r.Size, r.Size) + "B", r.Begun.Local().Format(time.DateTime), r.Last.Local().Format(time.DateTime)})
	}
	printRows(said, rows)
	return nil
}
