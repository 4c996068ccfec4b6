package sideband

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Wait waits for what ears hear. It leaves that to Go's own poller: a thread that blocks in
// a call of its own has Go's monitor look after it, and each such call wakes that some sixty
// times, however rarely anything is heard.
//
//	descriptors ──► all ──► gate ──► Go's poller
//
// While nobody waits the gate is shut, or whoever rests in a storm of notices would have the
// poller woken by each.
type Wait struct {
	all   int // an epoll descriptor, as the gate is
	gate  *os.File
	calls syscall.RawConn
}

// NewWait returns what waits for any of some descriptors, which it does not own.
func NewWait(fds ...int) (w *Wait, err error) {
	w = &Wait{all: -1}
	defer func() {
		if err != nil {
			w.Close()
			w, err = nil, fmt.Errorf("wait for what is heard: %w", err)
		}
	}()
	if w.all, err = newPoll(fds...); err != nil {
		return w, err
	}
	gate, err := newPoll(w.all)
	if err != nil {
		return w, err
	}
	if err := unix.SetNonblock(gate, true); err != nil { // by this Go knows that it can be polled
		return w, errors.Join(err, unix.Close(gate))
	}
	w.gate = os.NewFile(uintptr(gate), "epoll")
	if w.calls, err = w.gate.SyscallConn(); err != nil {
		return w, err
	}
	if err := w.gate.SetReadDeadline(time.Time{}); err != nil { // the poller did not take it
		return w, err
	}
	return w, w.turn(0)
}

// newPoll returns an epoll descriptor of some descriptors.
func newPoll(fds ...int) (fd int, err error) {
	if fd, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return -1, err
	}
	for _, of := range fds {
		if err := unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, of, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(of)}); err != nil {
			return -1, errors.Join(err, unix.Close(fd))
		}
	}
	return fd, nil
}

// turn opens the gate for events, or shuts it for none.
func (w *Wait) turn(events uint32) error {
	var err error
	of := func(fd uintptr) {
		err = unix.EpollCtl(int(fd), unix.EPOLL_CTL_MOD, w.all, &unix.EpollEvent{Events: events, Fd: int32(w.all)})
	}
	return errors.Join(w.calls.Control(of), err)
}

// For returns when there is something to hear, after some time, or when the wait is closed,
// and reports whether it was not. Whether there is something heard says, from the rings: that one
// is ready the kernel tells once, to whoever asks first, and that may have been the poller.
func (w *Wait) For(long time.Duration, heard func() bool) bool {
	if w.gate.SetReadDeadline(time.Now().Add(long)) != nil || w.turn(unix.EPOLLIN) != nil {
		return false
	}
	err := w.calls.Read(func(uintptr) bool { return heard() })
	return w.turn(0) == nil && (err == nil || os.IsTimeout(err))
}

// Close ends a wait that is under way, and those to come.
func (w *Wait) Close() error {
	var err error
	if w.gate != nil {
		err = w.gate.Close()
	}
	if w.all >= 0 {
		err = errors.Join(err, unix.Close(w.all))
	}
	return err
}
