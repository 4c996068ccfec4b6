// Package natstest starts NATS servers inside tests. It is no part of the program, which the
// server would make 15 MB larger: who has a fleet has a server.
package natstest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Token starts a server on a port of this machine that a token lets in, until the test is
// over, and returns its address.
func Token(t testing.TB) (s *server.Server, address string) {
	t.Helper()
	s = start(t, &server.Options{Authorization: "secret", MaxPending: 64 << 20})
	return s, at(t, s, url.User("secret"))
}

// Configured starts one with a configuration, of which it takes everything but where it
// listens and keeps. Address is that of somebody who logs in with a password.
func Configured(t testing.TB, conf string) (address func(user, password string) string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "server.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if o.StoreDir != "" {
		o.StoreDir = t.TempDir()
	}
	s := start(t, o)
	return func(user, password string) string { return at(t, s, url.UserPassword(user, password)) }
}

// Keeping starts one that keeps recordings, and lets anybody in. Again stops it, and starts it
// once more with what it has kept.
func Keeping(t testing.TB) (address string, again func(away time.Duration)) {
	t.Helper()
	o := &server.Options{JetStream: true, StoreDir: t.TempDir()}
	s := start(t, o)
	o.Port = s.Addr().(*net.TCPAddr).Port
	return s.ClientURL(), func(away time.Duration) {
		s.Shutdown()
		s.WaitForShutdown()
		time.Sleep(away)
		s = start(t, o)
	}
}

func start(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	if o.Host = "127.0.0.1"; o.Port == 0 || o.ConfigFile != "" {
		o.Port = server.RANDOM_PORT
	}
	o.NoSigs, o.NoLog = true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal(fmt.Errorf("the server does not begin to listen"))
	}
	return s
}

func at(t testing.TB, s *server.Server, who *url.Userinfo) string {
	u, err := url.Parse(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	u.User = who
	return u.String()
}
