package scout

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds.
const (
	mostLost   = 8         // scouts that hang
	mostCopy   = 256 << 20 // bytes of one copy
	mostCopies = 1 << 30   // and of all that are held
	restFor    = 12        // times Within
	mostTold   = 1 << 12   // paths
)

// A place is a device or a folder.
type place struct {
	on  Device
	dir string
}

// A post is where scouts are sent from.
type post struct {
	program string
	within  time.Duration
	rest    func() // returns when files may be asked for again where a scout was silent and could be killed
	tell    Tell
	ours    []uint64 // devices whose files are opened here

	mounts mounts

	copies atomic.Int64 // bytes that are held

	mu     sync.Mutex
	scout  *scout           // that is asked; nil if there is none
	hung   map[place]*scout // where one hangs
	lost   int
	told   map[string]bool // where one has hung
	unable error           // why none can be started; nil if one was, or none was tried
}

// sent is the post of this process; nil if files are opened here.
var sent atomic.Pointer[post]

// Tell is what a post tells. Neither may open files.
type Tell struct {
	Hangs func(why string) // a scout hangs
	Is    func(pid int)    // the number by which the kernel knows the scout, before it opens anything; 0 is nobody
}

// Use has files opened by scouts from now on: processes of a program that calls Serve if Asked says
// so. If it is empty files are opened here again.
func Use(program string, tell Tell) {
	Forget()
	if program == "" {
		sent.Store(nil)
		return
	}
	p := newPost(program, Within, tell)
	p.ours = ours()
	sent.Store(p)
}

func newPost(program string, within time.Duration, tell Tell) *post {
	return &post{program: program, within: within, rest: func() { time.Sleep(restFor * within) }, tell: tell, hung: map[place]*scout{}, told: map[string]bool{}}
}

// Look returns what a path leads to. Of a file on a network its size and time may be those of a
// moment ago. On is where the path leads, if nothing else has to be asked on the way.
func Look(name string, on Device) (os.FileInfo, error) {
	p := sent.Load()
	if p == nil || ofSelf(name) {
		return os.Stat(name)
	}
	if p.leads(name, on) {
		if i, err := look(name, 0); err != unix.EAGAIN {
			if err != nil {
				return nil, err
			}
			return i, nil
		}
	}
	return p.look(absolute(name), on)
}

// Open opens the plain file of a name for reading, within the tree of dir if that is not empty.
// On is where it lies, as far as that is known.
func Open(dir, name string, on Device) (*File, error) {
	p := sent.Load()
	switch {
	case p == nil || ofSelf(dir+name):
		return openHere(dir, name)
	case dir == "":
		if f, err := p.direct(name, on); err != unix.EAGAIN {
			return f, err
		}
		name = absolute(name)
	default:
		dir = absolute(dir)
	}
	return p.open(dir, name, on)
}

// direct opens a file here that needs no scout; of any other err is EAGAIN.
func (p *post) direct(name string, on Device) (*File, error) {
	leads := p.leads(name, on)
	resolve := uint64(resolveCached)
	if leads {
		resolve = 0
	}
	fd, i, err := reach(name, resolve)
	if err != nil {
		if !leads {
			err = unix.EAGAIN
		}
		return nil, err
	}
	defer unix.Close(fd)
	if !leads && !slices.Contains(p.ours, i.stat.Dev) {
		return nil, unix.EAGAIN
	}
	f, err := reopen(fd, i)
	if err != nil {
		err = unix.EAGAIN
	}
	return f, err
}

// leads reports whether a path leads to a file of this machine, and nobody is asked on the way: it is
// that of a mapping.
func (p *post) leads(name string, on Device) bool {
	mapping, _ := path.Match("/proc/[0-9]*/map_files/*", name)
	return mapping && p.near(on)
}

// near reports whether a device, as the kernel tells it of mappings, is one of ours, or at least one of
// this machine.
func (p *post) near(on Device) bool {
	dev := unix.Mkdev(on.Major, on.Minor)
	return slices.Contains(p.ours, dev) || p.mounts.isLocal(dev)
}

// Near reports whether the file of a mapping on a device takes no scout if it is looked for by
// /proc/PID/map_files: a process that ends soon waits for none.
func Near(on Device) bool {
	p := sent.Load()
	return p != nil && p.near(on)
}

// ofSelf reports whether a path means another file to a scout.
func ofSelf(name string) bool {
	for _, prefix := range []string{"/proc/self/", "/proc/thread-self/", "/dev/fd/", "/dev/std"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// absolute returns a path for a scout, which is in another folder.
func absolute(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	if full, err := filepath.Abs(name); err == nil {
		return full
	}
	return name
}

// Hangs returns an error if a scout hangs on a device, where a file of a name lies.
func Hangs(on Device, name string) error {
	p := sent.Load()
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hangs("", on) {
		return silent(name)
	}
	return nil
}

// Warm starts a scout, if there is none.
func Warm() {
	if p := sent.Load(); p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		_, _ = p.free() // whoever asks is told
	}
}

// Forget ends the scout that has nothing to do.
func Forget() {
	if p := sent.Load(); p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if s := p.scout; s != nil {
			p.put(nil)
			s.end()
		}
	}
}

func (p *post) look(name string, on Device) (os.FileInfo, error) {
	if i, err := glimpse(name); err != unix.EAGAIN {
		if err != nil {
			return nil, err
		}
		return i, nil
	}
	f, err := p.ask(append([]byte{msgLook}, name...), "", name, on)
	switch {
	case errors.Is(err, errUnable), mayMore(err):
		return os.Stat(name)
	case err != nil:
		return nil, err
	}
	return f.Info, nil
}

func (p *post) open(dir, name string, on Device) (*File, error) {
	most := min(mostCopy, max(mostCopies-p.copies.Load(), 0))
	q := binary.NativeEndian.AppendUint64([]byte{msgOpen}, uint64(most))
	f, err := p.ask(append(append(append(q, dir...), 0), name...), dir, name, on)
	if errors.Is(err, errUnable) || mayMore(err) {
		return openHere(dir, name)
	}
	if err == nil && f.File == nil {
		return nil, errNonsense
	}
	return f, err
}

// mayMore reports whether what a scout was denied we may have: that of a session of the helper has
// none of its capabilities.
func mayMore(err error) bool {
	return err != nil && os.Geteuid() != 0 && errors.Is(err, os.ErrPermission)
}

// errUnable is what ask wraps if there can be no scout.
var errUnable = errors.New("files are opened by dscope itself")

// ask asks a scout. Whoever asks meanwhile waits.
func (p *post) ask(q []byte, dir, name string, on Device) (*File, error) {
	if len(q) > mostMessage {
		return nil, &os.PathError{Op: "open", Path: dir + name, Err: syscall.ENAMETOOLONG}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	full := dir + name
	if dir != "" {
		full = dir + Clean(name)
	}
	if p.hangs(full, on) {
		return nil, silent(full)
	}
	for {
		s, err := p.free()
		if err != nil {
			return nil, err
		}
		fresh := s.asked == 0
		s.asked++
		b, file, err := s.ask(q, name, p.within)
		if err == nil {
			return p.answer(b, file, name)
		}
		p.put(nil)
		s.end()
		if errors.Is(err, errSilent) {
			p.lose(s, full, on)
			err = silent(full)
			if !p.told[full] && len(p.told) < mostTold {
				p.told[full] = true
				p.tell.Hangs(err.Error())
			}
			return nil, err
		}
		if fresh {
			return nil, fmt.Errorf("open %s: %w", full, err)
		}
		// It has ended since it was asked last.
	}
}

// hangs reports whether a scout hangs on a device, or in a folder that a path leads through.
func (p *post) hangs(full string, on Device) bool {
	if on != (Device{}) && p.hung[place{on: on}] != nil {
		return true
	}
	for dir := path.Dir(full); len(p.hung) > 0 && len(dir) > 1; dir = path.Dir(dir) {
		if p.hung[place{dir: dir}] != nil {
			return true
		}
	}
	return false
}

// lose leaves behind a scout that hangs where a path leads. One that notices that it is killed
// says nothing of the file system, which may be silent still, as NFS; any other has had an answer, or
// is told that there will be none.
func (p *post) lose(s *scout, full string, on Device) {
	p.lost++
	p.hung[place{dir: path.Dir(full)}] = s
	if on != (Device{}) {
		p.hung[place{on: on}] = s
	}
	killed := time.Now()
	go func() {
		<-s.gone
		p.mu.Lock()
		p.lost--
		p.mu.Unlock()
		if time.Since(killed) < p.within/2 {
			p.rest()
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		for w, by := range p.hung {
			if by == s {
				delete(p.hung, w)
			}
		}
	}()
}

// answer takes an answer apart.
func (p *post) answer(b []byte, file *os.File, name string) (*File, error) {
	i, kind, err := readAnswer(b, name)
	if err != nil {
		if file != nil {
			file.Close()
		}
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	if kind == isCopy && file != nil {
		p.copies.Add(i.Size())
		runtime.AddCleanup(file, func(n int64) { p.copies.Add(-n) }, i.Size())
	}
	return &File{file, i, kind == isFar}, nil
}

// free returns the scout, or starts one.
func (p *post) free() (*scout, error) {
	switch {
	case p.unable != nil:
		return nil, p.unable
	case p.scout != nil:
		return p.scout, nil
	case p.lost >= mostLost:
		return nil, fmt.Errorf("%w: %d files hang and cannot be let go of, and no more are opened", ErrSilent, p.lost)
	}
	s, err := start(p.program)
	if err != nil {
		if p.lost == 0 {
			p.unable = fmt.Errorf("%w: %w", errUnable, err)
			err = p.unable
		}
		return nil, err
	}
	p.put(s)
	return s, nil
}

// put makes a scout the one that is asked, or nobody.
func (p *post) put(s *scout) {
	p.scout = s
	if s == nil {
		p.tell.Is(0)
	} else {
		p.tell.Is(s.number)
	}
}
