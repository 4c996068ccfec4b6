package scout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// What is said between dscope and a scout: one message each, by a socket that keeps them apart
// (SOCK_SEQPACKET). Integers are as this machine has them.
//
//	begin:    0            as soon as it can be asked; uint32: the number by which the kernel knows it
//	look:     1 name       what a file is
//	open:     2 most dir 0 name
//	                       open a plain file, within a tree if dir is not empty; uint64: how many bytes
//	                       a copy may have
//	busy:     3            it has come further
//	answer:   4 errno kind stat | 4 errno 0 words
//	                       int32: 0, an error of the kernel, or other, with words; a byte: of which kind
//	                       the file is that comes with it
const (
	msgBegin = iota
	msgLook
	msgOpen
	msgBusy
	msgAnswer
)

// Kinds of files: a copy, and one that another machine answers for.
const (
	itself = iota
	isCopy
	isFar
)

// other is an error that is none of the kernel's.
const other = -1

const (
	mostMessage = 3 * unix.PathMax
	headBytes   = 1 + 4 + 1
)

// answerOf makes an answer.
func answerOf(i os.FileInfo, kind byte, err error) []byte {
	b := []byte{msgAnswer}
	var errno syscall.Errno
	switch {
	case err == nil:
		b = append(binary.NativeEndian.AppendUint32(b, 0), kind)
		b, _ = binary.Append(b, binary.NativeEndian, i.Sys().(*syscall.Stat_t)) // it has a fixed size
		return b
	case errors.As(err, &errno):
		return append(binary.NativeEndian.AppendUint32(b, uint32(errno)), 0)
	}
	minus := int32(other)
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	b = append(binary.NativeEndian.AppendUint32(b, uint32(minus)), 0)
	return append(b, err.Error()[:min(len(err.Error()), unix.PathMax)]...)
}

// readAnswer is the reverse.
func readAnswer(b []byte, name string) (i *info, kind byte, err error) {
	if len(b) < headBytes {
		return nil, 0, errNonsense
	}
	switch n := int32(binary.NativeEndian.Uint32(b[1:])); {
	case n == 0:
		i = &info{name: name}
		if read, err := binary.Decode(b[headBytes:], binary.NativeEndian, &i.stat); err != nil || read != len(b)-headBytes {
			return nil, 0, errNonsense
		}
		return i, b[headBytes-1], nil
	case n > 0:
		return nil, 0, syscall.Errno(n)
	}
	words := string(b[headBytes:])
	if words == ErrNotRegular.Error() {
		return nil, 0, ErrNotRegular
	}
	return nil, 0, errors.New(words)
}

var errNonsense = errors.New("what opens files makes no sense")

// send sends a message, with an open file if there is one.
func send(fd int, b []byte, file *os.File) error {
	var rights []byte
	if file != nil {
		rights = unix.UnixRights(int(file.Fd()))
	}
	for {
		if err := unix.Sendmsg(fd, b, rights, nil, unix.MSG_NOSIGNAL); err != unix.EINTR {
			return err
		}
	}
}

// receive receives a message, and the file that comes with it, if one does. It has no bytes at the end.
func receive(fd int, name string) (b []byte, file *os.File, err error) {
	b = make([]byte, mostMessage)
	oob := make([]byte, unix.CmsgSpace(4))
	var n, got int
	for {
		if n, got, _, _, err = unix.Recvmsg(fd, b, oob, unix.MSG_CMSG_CLOEXEC); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return nil, nil, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:got])
	if err != nil {
		return nil, nil, err
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil || len(fds) != 1 {
			return nil, nil, fmt.Errorf("%w: %d files come at once", errNonsense, len(fds))
		}
		file = os.NewFile(uintptr(fds[0]), name)
	}
	return b[:n], file, nil
}
