package space

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// lines reads a file of /proc line by line. It allocates nothing and makes no more
// calls than it must: the kernel hands out a page at a time, whatever the room.
type lines struct {
	fd       int
	from, to int // what of buf was read and not yet handed out
	total    int
	buf      [8 << 10]byte // a line is little longer than a path
}

func (l *lines) open(path string) (err error) {
	if l.fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	return nil
}

func (l *lines) close() { unix.Close(l.fd) }

// next returns a line, which is good until the next one. An error is an end: the
// process has gone.
func (l *lines) next() ([]byte, bool) {
	for {
		if i := bytes.IndexByte(l.buf[l.from:l.to], '\n'); i >= 0 {
			line := l.buf[l.from : l.from+i]
			l.from += i + 1
			return line, true
		}
		l.to = copy(l.buf[:], l.buf[l.from:l.to])
		if l.from = 0; l.to == len(l.buf) {
			l.to = 0 // no such line is written
		}
		n, err := unix.Read(l.fd, l.buf[l.to:])
		if err == unix.EINTR {
			continue
		}
		if l.total += n; err != nil || n <= 0 || l.total > maxBytes {
			return nil, false
		}
		l.to += n
	}
}
