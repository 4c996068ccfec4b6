package nats

import (
	_ "embed" // for the configuration
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/nats-io/nats.go"
)

// Config is a configuration of a server for a fleet, to be filled in: two hosts, one user,
// and what each may say.
//
//go:embed server.conf
var Config string

// A Login says how to reach a server.
type Login struct {
	URL   string
	Creds string // a file of credentials, of a user with an NKey; "" is none
	CA    string // a file of certificates to trust; "" are those of the system
	Cert  string // our own certificate, and its key
	Key   string
	Name  string       // how we are called there, for people
	Inbox string       // name under which the server answers us, and us alone if it permits that to no other; "" is any
	Say   func(string) // is told when the connection is lost, and had again; may be nil
}

// Dial connects, and stays connected: a server that is gone is looked for until it is back.
func Dial(l Login) (*nats.Conn, error) {
	say := func(format string, args ...any) {
		if l.Say != nil {
			l.Say(fmt.Sprintf(format, args...))
		}
	}
	options := []nats.Option{nats.Name(l.Name), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second), nats.ReconnectJitter(time.Second, time.Second),
		nats.ReconnectBufSize(1 << 20), // what is older than this is of no use later
		nats.PingInterval(20 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(5 * time.Second),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				say("the server is gone: %v", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { say("the server is back") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if !errors.Is(err, nats.ErrSlowConsumer) { // which is counted
				say("%v", err)
			}
		}),
	}
	if l.Inbox != "" {
		options = append(options, nats.CustomInboxPrefix("_INBOX."+spelled(l.Inbox)))
	}
	if l.Creds != "" {
		options = append(options, nats.UserCredentials(l.Creds))
	}
	if l.CA != "" {
		options = append(options, nats.RootCAs(l.CA))
	}
	if l.Cert != "" {
		options = append(options, nats.ClientCert(l.Cert, l.Key))
	}
	nc, err := nats.Connect(l.URL, options...)
	if err != nil {
		return nil, fmt.Errorf("reach the server at %s: %w", hidden(l.URL), err)
	}
	return nc, nil
}

// hidden is an address as it may be shown: without who logs in, which may be a token.
func hidden(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its address"
	}
	u.User = nil
	return u.String()
}

// IsOpen reports whether whoever reaches the server may speak there.
func IsOpen(nc *nats.Conn) bool { return !nc.AuthRequired() }

// UserOf returns in whose name a login asks, as far as it says so itself; "" if it does not.
func UserOf(l Login) string {
	u, err := url.Parse(l.URL)
	if err != nil || u.User == nil {
		return ""
	}
	if _, both := u.User.Password(); !both { // a token is nobody's name
		return ""
	}
	return u.User.Username()
}
