// Package resolver has the files of processes read by a process that has nothing.
//
// Whoever may run a program may write what we read of it: its symbols, its debug
// information, its notes, the map that it leaves for perf. What reads them is bounded
// (package budget) and tested with nonsense, and still the more it understands the less
// sure anybody can be of it. So it does not run where the privileges are.
//
//	dscope ──(the question, the open file)──► worker: no user, no capability, no file system
//	       ◄──(the answer: names, rows, …)──  no network; only what has been handed to it
//
// A Job is one kind of question, and the function that answers it from an open file. The
// package that needs the answer declares the job and asks it; whether the function
// runs here or in a worker is not its business. Workers are this very program, started
// as such (Use, Serve), a few at a time; what confines them is in confine_linux.go and
// filter_linux.go. Where nobody has said how to start one, or the kernel confines none, jobs
// run here, as do those of programs that only use the engine; State tells which.
//
// Scouts open (package scout), workers read. What they are handed is open for reading, and a plain file.
// Debug information may lie in another file, which is only known once the first was read:
// a worker asks for it by name, and gets it where debug information may lie, and if it is one
// of ELF (broker_linux.go).
//
// An answer is due within Deadline, of the time of a CPU: on a machine whose CPUs are
// busy, which is where somebody traces, a good file takes long too (watch_linux.go). Who gives
// none is killed, and the file is not looked into again: that is told where it was asked, and
// by Refusals. A worker that cannot be killed, as it waits for a file system that does not
// answer, is left behind; there may be a few of these, and then no more files are read at all.
// Workers with nothing to do stay until Forget: one that comes or goes is an event that
// scripts see.
//
// Nothing that comes back is trusted: it is bounded before it is taken, decoded by a
// codec that knows bounds, and checked by who asked (what is an index has to be inside, what
// is sorted has to be sorted).
package resolver

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"dscope.dev/probes/binary"
	"dscope.dev/probes/scout"
	"dscope.dev/probes/space"
)

// Deadline is how long one question may take: of the time of a CPU, or without getting any.
const Deadline = 5 * time.Second

// A File is what a question is asked of. It stays the asker's, who closes it.
type File struct {
	*os.File
	Stamp space.Stamp // what it was when it was opened
	Name  string      // by which it is known in its root
	Root  string      // the folder where debug information is looked for: see binary.Root
}

// A Job is one kind of question of files.
type Job[Q, A any] struct {
	name string
	most int // bytes of an answer
	do   func(*Room, Q) (A, error)
}

// jobs are all that a worker can be asked for, by name.
var jobs = map[string]func(r *Room, question []byte) (answer []byte, err error){}

// New declares a job, when the program begins. Its answers have at most so many bytes. Both
// question and answer have exported fields alone.
func New[Q, A any](name string, most int, do func(*Room, Q) (A, error)) *Job[Q, A] {
	if jobs[name] != nil {
		panic("resolver: two jobs are called " + name)
	}
	jobs[name] = func(r *Room, question []byte) ([]byte, error) {
		var q Q
		if err := decode(question, &q); err != nil {
			return nil, err
		}
		a, err := do(r, q)
		data, bad := encode(a)
		return data, errors.Join(err, bad)
	}
	return &Job[Q, A]{name, most, do}
}

// Ask has a question answered. The answer may come with an error: what was found before
// the damage. What it says has to be checked: see the package comment.
func (j *Job[Q, A]) Ask(f File, q Q) (a A, err error) {
	answer, err, ok := elsewhere(f, j.name, q, j.most)
	if !ok {
		r := &Room{File: f.File, Name: f.Name, root: binary.Root{Dir: f.Root}, size: f.Stamp.Size, key: keyOf(j.name, f), shelf: &ours}
		defer r.shelf.shed(r.key)
		return j.do(r, q)
	}
	if len(answer) > 0 {
		if bad := decode(answer, &a); bad != nil {
			var none A
			return none, fmt.Errorf("what was read of it makes no sense: %w", bad)
		}
	}
	return a, err
}

// keyOf tells apart what is kept of files.
func keyOf(job string, f File) string { return fmt.Sprint(job, f.Stamp, f.Root) }

// A Room is where a job is done.
type Room struct {
	File *os.File // closed when the job is done
	Name string   // by which it is known in its root

	root  binary.Root
	size  int64
	key   string
	shelf *shelf
}

// Root is where debug information of the file is looked for.
func (r *Room) Root() binary.Root { return r.root }

// Size returns the size of the file when it was asked of.
func (r *Room) Size() int64 { return r.size }

// Binary reads the headers of the file.
func (r *Room) Binary() (*binary.File, error) {
	f, err := binary.New(r.File, r.size)
	if err != nil {
		return nil, err
	}
	f.Name(r.Name)
	return f, nil
}

// A Kept is what a job has made of a file and can use again.
type Kept interface {
	Held() uint64 // about how many bytes of memory it takes
	Close() error
}

// Keep returns what was kept of the file by an earlier question of the kind, or makes it of an open
// file, which then is its own.
func Keep[T Kept](r *Room, make func(*os.File) (T, error)) (T, error) {
	if k, ok := r.shelf.get(r.key).(T); ok {
		return k, nil
	}
	var none T
	file, err := again(r.File)
	if err != nil {
		return none, err
	}
	k, err := make(file)
	if err != nil {
		file.Close()
		return none, err
	}
	r.shelf.put(r.key, k)
	return k, nil
}

// again opens a file a second time.
func again(f *os.File) (*os.File, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var failed error
	err = raw.Control(func(n uintptr) { fd, failed = unix.FcntlInt(n, unix.F_DUPFD_CLOEXEC, 0) })
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// What is kept at most.
const (
	mostKept = 64
	mostHeld = 512 << 20 // bytes
)

// A shelf is what is kept of files, the newest last.
type shelf struct {
	mu   sync.Mutex
	keys []string
	by   map[string]Kept
}

// ours is that of the jobs that are done here.
var ours shelf

func (s *shelf) get(key string) Kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by[key]
}

func (s *shelf) put(key string, k Kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[string]Kept{}
	}
	s.drop(key)
	s.by[key], s.keys = k, append(s.keys, key)
}

// drop lets go of what is kept by a key.
func (s *shelf) drop(key string) {
	k := s.by[key]
	if k == nil {
		return
	}
	delete(s.by, key)
	for i := range s.keys {
		if s.keys[i] == key {
			s.keys = append(s.keys[:i], s.keys[i+1:]...)
			break
		}
	}
	_ = k.Close() // it was only read
}

// shed lets go of the oldest while there is too much, but for what was asked just now.
func (s *shelf) shed(but string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := uint64(0)
	for _, k := range s.by {
		held += k.Held()
	}
	for i := 0; i < len(s.keys) && (len(s.keys) > mostKept || held > mostHeld); {
		key := s.keys[i]
		if key == but {
			i++
			continue
		}
		held -= s.by[key].Held()
		s.drop(key)
	}
}

// Forget gives back what is kept of files, here and in workers that have nothing to do.
func Forget() {
	ours.mu.Lock()
	for len(ours.keys) > 0 {
		ours.drop(ours.keys[0])
	}
	ours.mu.Unlock()
	rest()
	scout.Forget()
}
