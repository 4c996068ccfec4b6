// Package ssh reaches a dscope on another machine over the system's ssh program, whose
// settings, keys and questions are those that its user knows. The channel of ssh is the
// stream: nothing listens on a port.
//
// There a shell says what the machine is and whether it has this very program, by its hash,
// in the folder for caches of the user; if not it is sent (boot.go). Then the shell becomes
// the program, through sudo where the user is not root and may.
package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Options say how a machine is reached.
type Options struct {
	Program string            // the file of the dscope that is to run there
	Serve   []string          // what it is called with
	Say     func(text string) // is told what takes long; nil says nothing
	Stderr  io.Writer         // where ssh and the login speak until Quiet; nil is nowhere
}

// A Conn is the stream to a dscope there.
type Conn struct {
	host string
	cmd  *exec.Cmd
	in   *os.File // of ssh
	out  *os.File
	said *speech
	over chan struct{} // closed when ssh has ended
	err  error         // how
	once sync.Once
	boot boot
}

// Dial reaches a machine: user@host, or what else ssh takes.
func Dial(ctx context.Context, host string, o Options) (*Conn, error) {
	if host == "" || strings.HasPrefix(host, "-") {
		return nil, fmt.Errorf("%q is no machine: -H takes user@host, as ssh does", host)
	}
	c, err := start(host, o)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	err = c.prepare(o)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("reach %s: %w", host, c.Explain(err))
	}
	return c, nil
}

// quietly keeps Ctrl-C from ssh while it asks nothing: it is for the run, which ends by it and
// still has something to say.
const quietly = `trap "" INT QUIT; exec "$@"`

// start starts ssh.
func start(host string, o Options) (*Conn, error) {
	p, err := newProgram(o.Program)
	if err != nil {
		return nil, err
	}
	path, err := exec.LookPath("ssh")
	if err != nil {
		return nil, errors.New("-H needs the program ssh, which is not in PATH")
	}
	c := &Conn{host: host, said: &speech{to: o.Stderr}, over: make(chan struct{})}
	c.boot.program = p
	c.cmd = exec.Command("/bin/sh", "-c", quietly, "sh", path, "-T", "-x", "-a", "-o", "ConnectTimeout=20", "--", host, script(p.sum, o.Serve))
	c.cmd.Stderr = c.said
	c.cmd.WaitDelay = time.Second
	in, inOurs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	outOurs, out, err := os.Pipe()
	if err != nil {
		inOurs.Close()
		return nil, err
	}
	defer out.Close()
	c.in, c.out = inOurs, outOurs
	c.cmd.Stdin, c.cmd.Stdout = in, out
	if err := c.cmd.Start(); err != nil {
		c.in.Close()
		c.out.Close()
		return nil, err
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.over)
	}()
	return c, nil
}

// Read reads what the dscope there says.
func (c *Conn) Read(b []byte) (int, error) { return c.out.Read(b) }

// Write says something to it.
func (c *Conn) Write(b []byte) (int, error) { return c.in.Write(b) }

// ending is how long ssh may take to end once nothing more is said to it.
const ending = time.Second

// Close ends the channel: the dscope there ends what runs.
func (c *Conn) Close() error {
	c.once.Do(func() {
		c.in.Close()
		select {
		case <-c.over:
		case <-time.After(ending):
			_ = c.cmd.Process.Kill() // it may have ended meanwhile
			<-c.over
		}
		c.out.Close()
	})
	return nil
}

// Quiet keeps what ssh says from the terminal from now on: a screen is drawn there.
func (c *Conn) Quiet() { c.said.quiet() }

// Privileged reports whether the dscope there has been started as root.
func (c *Conn) Privileged() bool { return c.boot.uid == "0" || c.boot.sudo }

// Why tells of the end of the channel what ssh has said of it; nil if nothing.
func (c *Conn) Why() error {
	select {
	case <-c.over:
	case <-time.After(ending):
		return nil
	}
	if text := c.said.last(); text != "" {
		return errors.New(text)
	}
	if c.err != nil {
		return fmt.Errorf("ssh has ended: %w", c.err)
	}
	return errors.New("the dscope there has ended")
}

// Explain returns what ssh says of a failure, which is more than that a stream has ended.
func (c *Conn) Explain(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrClosed) && !errors.Is(err, io.ErrClosedPipe) && !broken(err) {
		return err
	}
	if why := c.Why(); why != nil {
		return why
	}
	return err
}

// A speech passes on what ssh says, and keeps the end of it.
type speech struct {
	mu   sync.Mutex
	to   io.Writer
	text []byte
}

// mostSpeech is how much of it is kept.
const mostSpeech = 2 << 10

func (s *speech) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, b...)
	s.text = s.text[max(0, len(s.text)-mostSpeech):]
	if s.to != nil {
		_, _ = s.to.Write(b) // a terminal that is gone is no fault of the channel
	}
	return len(b), nil
}

func (s *speech) quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to, s.text = nil, nil
}

// last returns the last line that was said.
func (s *speech) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.TrimSpace(string(s.text))
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
