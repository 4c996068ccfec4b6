package helper

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/engine/rights"
)

// Call asks a helper, and hands over files. The error says why it refuses.
func Call(conn *net.UnixConn, ask *Ask, files ...*os.File) (*rights.Rights, error) {
	b, err := encoded(ask)
	if err != nil {
		return nil, err
	}
	var fds []int
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	_ = conn.SetDeadline(time.Now().Add(asking))
	defer conn.SetDeadline(time.Time{})
	// The files come with the first bytes, which are the length.
	if _, _, err = conn.WriteMsgUnix(b[:4], oob, nil); err == nil {
		_, err = conn.Write(b[4:])
	}
	reply, failed := awaitReply(conn)
	switch {
	case failed == nil && reply.Err != "":
		return nil, errors.New("the helper refuses: " + reply.Err)
	case err != nil || failed != nil:
		return nil, fmt.Errorf("ask the helper: %w", errors.Join(err, failed))
	}
	return reply.Rights, nil
}

// Send sends a message.
func Send(conn *net.UnixConn, s Signal) error { return send(conn, s) }

// Await waits until a command has ended, and returns its exit code.
func Await(conn *net.UnixConn) (int, error) {
	reply, err := awaitReply(conn)
	switch {
	case err != nil:
		return 0, fmt.Errorf("the helper has gone: %w", err)
	case reply.Exit == nil:
		return 0, errors.New("the helper: " + reply.Err)
	}
	return *reply.Exit, nil
}

func awaitReply(conn *net.UnixConn) (*Reply, error) {
	var r Reply
	return &r, receive(conn, &r, 1<<20)
}
