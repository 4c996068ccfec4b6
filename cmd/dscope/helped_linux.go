package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine"
	"dscope.dev/engine/helper"
	"dscope.dev/engine/remote"
	"dscope.dev/engine/replay"
	"dscope.dev/engine/rights"
)

// This is the dscope of somebody who is not root, at the side of him, and what the helper has
// started for him, at the other.

// settle makes ready what the helper has started: it keeps its capabilities to itself before
// it does anything, and goes where its asker is.
func settle() error {
	if handedOver == nil || handedOver.Helped == nil {
		return nil
	}
	h := handedOver.Helped
	if err := helper.Confine(h.Umask); err != nil {
		return err
	}
	if h.Folder {
		defer unix.Close(helper.HandedFolder)
		if err := unix.Fchdir(helper.HandedFolder); err != nil {
			return fmt.Errorf("go to your folder: %w", err)
		}
	}
	// What could have changed this program before it began is for what it runs.
	for _, v := range h.Env {
		if name, value, _ := strings.Cut(v, "="); name != "GODEBUG" && !strings.HasPrefix(name, "DSCOPE_") {
			os.Setenv(name, value)
		}
	}
	return nil
}

// confined returns the engine of what the helper has started.
func confined(h *helper.Handed) (*engine.Engine, error) {
	door, err := helper.NewDoor(helper.HandedControl)
	if err != nil {
		return nil, err
	}
	return engine.NewFor(&h.Rights, door)
}

// lacking reports whether this process may not trace by itself: it has not the capabilities
// that it takes.
func lacking() bool {
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if os.Geteuid() == 0 || handedOver != nil || unix.Capget(&h, &data[0]) != nil {
		return false
	}
	const needed = 1<<(unix.CAP_BPF-32) | 1<<(unix.CAP_PERFMON-32)
	return data[1].Effective&needed != needed
}

// dialHelper returns nil if there is no helper.
func dialHelper() (*net.UnixConn, error) {
	path, named := os.LookupEnv(helper.SocketEnv)
	if !named {
		path = helper.Socket
	}
	if path == "" {
		return nil, nil
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		if !named && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ECONNREFUSED)) {
			return nil, nil
		}
		return nil, fmt.Errorf("the helper at %s: %w", path, reason(err))
	}
	if who, err := helper.Peer(conn); err != nil || who.UID != 0 {
		conn.Close()
		return nil, fmt.Errorf("the helper at %s is not root's: it gets nothing of yours", path)
	}
	return conn, nil
}

// byHelper has the helper run a command line, if this process may not trace and there is a
// helper. Files hold what has been read already.
func byHelper(name string, args []string, files map[string][]byte) (done bool, err error) {
	if !lacking() {
		return false, nil
	}
	conn, err := dialHelper()
	if conn == nil || err != nil {
		return err != nil, err
	}
	defer conn.Close()
	ask := helper.Ask{Want: helper.WantCommand, Args: append([]string{name}, args...), Env: os.Environ(), Files: files, Umask: umask()}
	here, err := hereOpen()
	if err != nil {
		return true, err
	}
	defer here.Close()
	if _, err := helper.Call(conn, &ask, os.Stdin, os.Stdout, os.Stderr, here); err != nil {
		return true, err
	}
	came := make(chan os.Signal, 4)
	signal.Notify(came, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(came)
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case s := <-came:
				_ = helper.Send(conn, helper.Signal{Number: int(s.(syscall.Signal))}) // a helper that is gone has ended it
			case <-over:
				return
			}
		}
	}()
	code, err := helper.Await(conn)
	switch {
	case err != nil:
		return true, err
	case code != 0:
		return true, exitStatus(code)
	}
	return true, nil
}

// hereOpen opens the working directory, which the helper has sessions go to.
func hereOpen() (*os.File, error) {
	f, err := os.Open(".")
	if err != nil {
		return nil, fmt.Errorf("the folder here: %w", reason(err))
	}
	return f, nil
}

// askRights asks the helper what this user may do, or says why there is none. Both are nil if
// this process may trace by itself.
func askRights() (may *rights.Rights, none error) {
	if !lacking() {
		return nil, nil
	}
	conn, err := dialHelper()
	switch {
	case err != nil:
		return nil, err
	case conn == nil:
		return nil, errors.New("no helper listens at " + helper.Socket)
	}
	defer conn.Close()
	return helper.Call(conn, &helper.Ask{Want: helper.WantRights})
}

// umask returns the bits that files of this process lack.
func umask() int {
	was := unix.Umask(0o077)
	unix.Umask(was)
	return was
}

// helperMachine returns this machine by way of the helper; nil if this process may trace, or
// there is no helper.
func helperMachine() (*workplace, error) {
	if !lacking() {
		return nil, nil
	}
	conn, err := dialHelper()
	if conn == nil || err != nil {
		return nil, err
	}
	folder, err := hereOpen()
	if err != nil {
		conn.Close()
		return nil, err
	}
	defer folder.Close()
	if _, err := helper.Call(conn, &helper.Ask{Want: helper.WantSession, Env: os.Environ(), Umask: umask()}, folder); err != nil {
		conn.Close()
		return nil, err
	}
	return helped(conn, "the helper", reaching)
}

// helped returns this machine at the other end of a stream, which may take so long to answer.
func helped(conn io.ReadWriteCloser, name string, most time.Duration) (*workplace, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), most, fmt.Errorf("no dscope has answered for %v", most))
	defer cancel()
	c, err := remote.NewClient(ctx, conn, greeting())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m := &workplace{tracer: c, close: func() { c.Close() },
		header: replay.Header{Made: time.Now().UTC().Truncate(time.Second), Kernel: kernelRelease(), Machine: greeting().Machine}}
	if err := c.Available(ctx); err != nil {
		m.missing = err.Error()
	}
	return m, nil
}

// elevators are the programs that start others as root, in the order in which they are
// tried, with what is written before the command.
var elevators = [][]string{{"sudo", "--"}, {"doas", "--"}, {"pkexec"}}

// elevator returns the first that is there.
func elevator() (argv []string) {
	i := slices.IndexFunc(elevators, func(e []string) bool { _, err := exec.LookPath(e[0]); return err == nil })
	if i < 0 {
		return nil
	}
	return elevators[i]
}

// typing is how long somebody may take for his password; sudo gives up after this, too.
const typing = 5 * time.Minute

// ownHelper starts a helper for this process alone, as root. The program that does so asks
// for a password on the terminal.
func ownHelper(argv []string) (*workplace, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(fds[1]), "helper")
	defer theirs.Close()
	f := os.NewFile(uintptr(fds[0]), "helper")
	conn, err := net.FileConn(f)
	f.Close()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(argv[0], append(slices.Clone(argv[1:]), self, "helper", "--pipe")...)
	beside := &aside{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, beside
	if err := cmd.Start(); err != nil {
		conn.Close()
		return nil, err
	}
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		conn.Close()
	}()
	theirs.Close()
	m, err := helped(conn, argv[0], typing)
	if err != nil {
		conn.Close()
		return nil, errors.Join(err, <-ended)
	}
	m.quiet = func() { beside.quiet.Store(true) }
	return m, nil
}

// An aside is what a program says beside what it does, which is told until a screen is drawn.
type aside struct{ quiet atomic.Bool }

func (a *aside) Write(b []byte) (int, error) {
	if a.quiet.Load() {
		return len(b), nil
	}
	return told.Write(b)
}
