package usdt

import (
	"runtime"

	"dscope.dev/probes/resolver"
	"dscope.dev/probes/space"
)

// module returns the part of a probe's name that says which file it is in.
func module(m *space.Mapping) string {
	clean := []byte(m.Name())
	for i, c := range clean {
		if c <= ' ' || c >= 0x7f || c == ':' {
			clean[i] = '_'
		}
	}
	return string(clean)
}

// A file is what was read of one.
type file struct {
	stamp  space.Stamp
	points []Point
	err    error
}

// maxFiles is of how many files it is remembered what they hold.
const maxFiles = 1 << 14

// read returns the points of a file that a process has mapped, and the path by which
// it can be opened. A file that was read before is read again only if it has changed.
func (p *Provider) read(proc space.Process, m *space.Mapping) (path string, points []Point, err error) {
	found, err := proc.Find(m)
	if err != nil {
		return "", nil, err
	}
	c := p.content(found)
	return found.Path, c.points, c.err
}

// content returns what a file holds.
func (p *Provider) content(found space.Found) *file {
	known := p.files[found.Stamp.FileID]
	if known != nil && known.stamp == found.Stamp {
		return known
	}
	known = &file{stamp: found.Stamp}
	f, err := found.Open()
	if err != nil {
		known.err = err
		return known // it may be had the next time
	}
	// A glance is not for a worker, and what is far not for us.
	if f.Far || mayCarry(f, found.Stamp.Size) {
		known.points, known.err = pointsOf(resolver.File{File: f.File, Stamp: found.Stamp, Name: found.Path}, runtime.GOARCH)
	}
	f.Close()
	if len(p.files) >= maxFiles {
		clear(p.files)
	}
	p.files[found.Stamp.FileID] = known
	return known
}
