package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/syslog"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/helper"
	"dscope.dev/ui/home"
)

// helperCommands are those that the helper runs for an asker. With the workbench and record
// it is a tracer at the other end of the socket.
var helperCommands = []string{"trace", "probes", "ask", "doctor", "check", "lockstat", "plockstat"}

// run is the helper.
func (h *helping) run() error {
	if err := helper.Able(); err != nil {
		return err
	}
	log := newLog()
	s := &helper.Server{
		Rules: func() (*helper.Rules, error) { return helper.Load(h.conf) }, Program: "/proc/self/exe",
		Commands: helperCommands, Log: log, Errors: os.Stderr,
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if h.pipe {
		return servePipe(ctx, s)
	}
	l, err := h.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	if err := helper.Harden(); err != nil {
		return err
	}
	if _, err := s.Rules(); err != nil {
		log(fmt.Sprintf("nobody may trace until the rules are put right: %v", err))
	}
	return s.Serve(ctx, l)
}

// servePipe serves the user who has called sudo, on standard input and output. He could be
// root, and so may do all.
func servePipe(ctx context.Context, s *helper.Server) error {
	u, ok := home.Invoker()
	if !ok {
		return errors.New("--pipe is what dscope calls through sudo, doas or pkexec")
	}
	if err := helper.Harden(); err != nil {
		return err
	}
	return s.Pipe(ctx, u.UID, u.GID, os.Stdin, os.Stdout)
}

// listen returns the socket that systemd has made, or makes one.
func (h *helping) listen() (*net.UnixListener, error) {
	if l, err := activated(); l != nil || err != nil {
		return l, err
	}
	path := h.socket
	if path == "" {
		path = helper.Socket
	}
	if os.Geteuid() != 0 {
		return nil, errors.New("the helper is started by systemd (dscope helper --unit), or as root")
	}
	if err := unused(path); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		return nil, err
	}
	// Who may do what the rules say; who may nothing is told so.
	if err := os.Chmod(path, 0o666); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// unused removes a socket on which nobody listens any more, and nothing else.
func unused(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is there, and no socket", path)
	}
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return fmt.Errorf("a helper listens at %s already", path)
	}
	return os.Remove(path)
}

// activated returns the socket of systemd, by its protocol: sd_listen_fds(3). It is nil if
// systemd has not started us.
func activated() (*net.UnixListener, error) {
	const first = 3
	pid, n := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS")
	os.Unsetenv("LISTEN_PID")
	os.Unsetenv("LISTEN_FDS")
	os.Unsetenv("LISTEN_FDNAMES")
	if pid != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	if n != "1" {
		return nil, fmt.Errorf("systemd has handed over %s sockets, and the helper listens on one", n)
	}
	unix.CloseOnExec(first)
	f := os.NewFile(first, "socket")
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("the socket of systemd: %w", err)
	}
	u, ok := l.(*net.UnixListener)
	if !ok {
		return nil, errors.Join(errors.New("the socket of systemd is none of Unix"), l.Close())
	}
	u.SetUnlinkOnClose(false)
	return u, nil
}

// newLog tells the system's log, and where there is none, who has started the helper.
func newLog() func(string) {
	w, err := syslog.New(syslog.LOG_AUTHPRIV|syslog.LOG_INFO, "dscope")
	return func(text string) {
		if err == nil && w.Info(text) == nil {
			return
		}
		fmt.Fprintf(told, "dscope helper: %s\n", text)
	}
}
