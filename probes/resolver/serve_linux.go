package resolver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"

	exe "dscope.dev/probes/binary"
	"dscope.dev/probes/child"
	"dscope.dev/probes/scout"
	"dscope.dev/probes/space"
)

// What a worker is started with.
const (
	socketFD = 3
	emptyFD  = 4 // the folder to be in, or no folder
)

// askedEnv tells a program that it has been started to be a worker.
const askedEnv = "DSCOPE_RESOLVE"

// Asked reports whether this process was started to be a worker or a scout, and is to call Serve before
// it does anything else.
func Asked() bool { return os.Getenv(askedEnv) != "" || scout.Asked() }

// mostMemory is what a worker may take, somewhat more than the budget of a file.
const mostMemory = 2 << 30

// Serve makes this process what it was started to be. It does not return. A worker confines itself,
// and answers until nobody asks any more.
func Serve() {
	if scout.Asked() {
		_ = child.CloseOthers(scout.SocketFD) // what it keeps open is kept for as long as it hangs
		nameThreads()
		scout.Serve(space.KernelPID())
	}
	runtime.LockOSThread() // for what is of one thread: to die with its parent, to gain nothing
	runtime.GOMAXPROCS(min(2, runtime.GOMAXPROCS(0)))
	debug.SetMemoryLimit(mostMemory / 2)
	s := &server{shelf: &shelf{}}
	pid := space.KernelPID() // while it may still ask
	walls, err := confine()
	r := ready{Walls: walls, PID: pid}
	if err != nil {
		r.Err = err.Error()
	}
	if s.send(frameReady, r) != nil || err != nil {
		os.Exit(1)
	}
	for {
		if err := s.serve(); err != nil {
			os.Exit(0) // whoever has asked is gone, or asks nonsense
		}
	}
}

// A server is a worker, seen from inside.
type server struct{ shelf *shelf }

// serve answers one question.
func (s *server) serve() error {
	kind, data, file, err := s.receive(mostAsk)
	if err != nil {
		return err
	}
	var h head
	question, err := decoder.UnmarshalFirst(data, &h)
	if err != nil || kind != frameAsk || file == nil || jobs[h.Job] == nil {
		return errors.New("that is no question")
	}
	defer file.Close()
	r := &Room{File: file, Name: h.Name, size: h.Size, key: h.Key, shelf: s.shelf, root: exe.Root{Through: s.open}}
	answer, err := do(jobs[h.Job], r, question)
	a := answerHead{Failed: err != nil}
	if err != nil {
		a.Err = err.Error()
		a.Err = a.Err[:min(len(a.Err), mostShort/2)]
	}
	frame, err := frameOf(frameAnswer, a)
	if err != nil {
		return err
	}
	if uint64(len(frame)+len(answer)) > 1<<32-1 {
		return errors.New("the answer is too long")
	}
	binary.LittleEndian.PutUint32(frame[1:], uint32(len(frame)+len(answer)-frameHead))
	if err := errors.Join(write(frame), write(answer)); err != nil {
		return err
	}
	s.shelf.shed(h.Key)
	if h.Size+int64(len(answer)) > muchRead {
		debug.FreeOSMemory() // who has to wait for that would have to start another worker
	}
	return nil
}

// muchRead is after what size of a file its memory is given back at once.
const muchRead = 8 << 20

// do does a job.
func do(job func(*Room, []byte) ([]byte, error), r *Room, question []byte) (answer []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = nil, fmt.Errorf("the file makes no sense: %v", p)
		}
	}()
	return job(r, question)
}

// open asks for the file of a name.
func (s *server) open(name string) (*os.File, error) {
	if err := s.send(frameOpen, name); err != nil {
		return nil, err
	}
	kind, data, file, err := s.receive(mostShort)
	if err != nil || kind != frameOpened {
		os.Exit(1)
	}
	var why string
	if err := decode(data, &why); err != nil || file == nil {
		return nil, errors.New(why)
	}
	return file, nil
}

func (s *server) send(kind byte, parts ...any) error {
	frame, err := frameOf(kind, parts...)
	if err != nil {
		return err
	}
	return write(frame)
}

// write writes to the socket. It blocks, as there is nothing else to do.
func write(data []byte) error {
	for len(data) > 0 {
		n, err := unix.Write(socketFD, data[:min(len(data), 1<<30)])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// receive reads a frame, and the file that comes with it, if one does.
func (s *server) receive(most int) (kind byte, data []byte, file *os.File, err error) {
	var first [frameHead]byte
	oob := make([]byte, unix.CmsgSpace(4))
	var n, got int
	for {
		n, got, _, _, err = unix.Recvmsg(socketFD, first[:], oob, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			break
		}
	}
	if err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		return 0, nil, nil, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:got])
	if err != nil {
		return 0, nil, nil, err
	}
	for i := range messages {
		if fds, err := unix.ParseUnixRights(&messages[i]); err == nil && len(fds) == 1 {
			file = os.NewFile(uintptr(fds[0]), "handed")
		}
	}
	if err := read(first[n:]); err != nil {
		return 0, nil, file, err
	}
	size := int(binary.LittleEndian.Uint32(first[1:]))
	if size > most {
		return 0, nil, file, errors.New("that is too long")
	}
	data = make([]byte, size)
	return first[0], data, file, read(data)
}

// read fills data from the socket.
func read(data []byte) error {
	for len(data) > 0 {
		n, err := unix.Read(socketFD, data)
		if err == unix.EINTR {
			continue
		}
		if err == nil && n == 0 {
			err = io.EOF
		}
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
