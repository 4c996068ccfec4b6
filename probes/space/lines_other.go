//go:build !linux

package space

import (
	"bytes"
	"os"
)

// lines reads a file line by line.
type lines struct{ rest []byte }

func (l *lines) open(path string) (err error) {
	l.rest, err = os.ReadFile(path)
	return err
}

func (l *lines) close() {}

func (l *lines) next() (line []byte, ok bool) {
	line, l.rest, ok = bytes.Cut(l.rest, []byte{'\n'})
	return line, ok
}

// query is not ok: only Linux can be asked.
func (l *lines) query() ([]Mapping, bool) { return nil, false }
