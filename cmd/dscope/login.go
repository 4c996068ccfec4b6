package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	natsgo "github.com/nats-io/nats.go"

	"dscope.dev/cmd/dscope/usage"
	"dscope.dev/engine/fleet/nats"
)

// loginFlags say how to reach the server.
var loginFlags = []usage.Flag{
	{Name: "--nats", Arg: "url", Help: "the server: nats://user:password@host, tls://host; without it, $DSCOPE_NATS"},
	{Name: "--creds", Arg: "file", Takes: usage.File, Help: "log in by this file of credentials"},
	{Name: "--ca", Arg: "file", Takes: usage.File, Help: "trust the certificates of this file, for a server with TLS"},
	{Name: "--cert", Arg: "file", Takes: usage.File, Help: "show this certificate to the server"},
	{Name: "--key", Arg: "file", Takes: usage.File, Help: "the key of the certificate"},
}

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
	l.Name, l.Inbox = name, askingName(*l)
	return nats.Dial(l.Login)
}

// natsServer is the server as people are told of it.
func natsServer(nc *natsgo.Conn) string {
	if name := nc.ConnectedServerName(); name != "" {
		return fmt.Sprintf("the server %s at %s", name, nc.ConnectedAddr())
	}
	return "the server at " + nc.ConnectedAddr()
}
