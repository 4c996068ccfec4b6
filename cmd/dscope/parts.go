package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"dscope.dev/dlang/option"
	"dscope.dev/engine/replay"
)

// A partition says how a recording is spread over files.
type partition struct {
	size  int64 // bytes from which on another file is begun; 0 is never
	every time.Duration
	keep  int // files that stay; 0 is all

	path  string
	n     int          // files begun
	stay  []*recording // those that are there
	first *recording
}

func (p *partition) flags(f *flag.FlagSet) {
	f.Func("size", "", func(s string) (err error) {
		p.size, err = option.Size(s)
		return err
	})
	f.DurationVar(&p.every, "every", 0, "")
	f.IntVar(&p.keep, "keep", 0, "")
}

// leastSize and leastEvery are what a file has at least: one second is a flush.
const (
	leastSize  = 64 << 10
	leastEvery = time.Second
)

func (p *partition) check() error {
	var err error
	switch {
	case p.size != 0 && p.size < leastSize:
		err = fmt.Errorf("-size: a file has 64k at least")
	case p.every != 0 && p.every < leastEvery:
		err = fmt.Errorf("-every: a file has a second of a run at least")
	case p.keep < 0, p.keep > 0 && !p.spread():
		err = errors.New("-keep says how many files stay of those that -size or -every begin")
	}
	if err != nil {
		return usageError{fmt.Errorf("record: %w", err)}
	}
	return nil
}

// spread reports whether there may be more than one file.
func (p *partition) spread() bool { return p.size > 0 || p.every > 0 }

// writer returns what writes to the first file, and to those that follow it.
func (p *partition) writer(first *recording, path string, h replay.Header) (*replay.Writer, error) {
	if !p.spread() {
		return replay.NewWriter(first.f, h)
	}
	if first.dir == nil {
		return nil, usageError{fmt.Errorf("record: %s is no file: -size and -every begin others beside it", path)}
	}
	p.first, p.path = first, path
	return replay.NewRotating(replay.Rotation{Size: p.size, Every: p.every, Next: p.next}, h)
}

// next begins a file. The first takes its name once something runs.
func (p *partition) next() (io.WriteCloser, error) {
	p.n++
	if p.n == 1 {
		p.stay = []*recording{p.first}
		return volume{p.first}, nil
	}
	if p.keep > 0 && len(p.stay) >= p.keep {
		if err := p.stay[0].remove(); err != nil {
			return nil, err
		}
		p.stay = p.stay[1:]
	}
	r, err := newRecording(numbered(p.path, p.n))
	if err != nil {
		return nil, err
	}
	if err := r.keep(); err != nil {
		r.discard()
		return nil, err
	}
	p.stay = append(p.stay, r)
	return volume{r}, nil
}

// numbered puts a number into a name: run.dscope, run-2.dscope.
func numbered(path string, n int) string {
	end := filepath.Ext(path)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, end), n, end)
}

// A volume is one of the files.
type volume struct{ *recording }

func (v volume) Write(b []byte) (int, error) { return v.f.Write(b) }

// Close leaves the folder open, in which the file may have to be removed.
func (v volume) Close() error { return v.close() }
