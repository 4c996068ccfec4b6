package remote

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"dscope.dev/engine/trace"
)

// What is said is the other side of a stream: what it says, whatever is said to it.
type said struct {
	io.Reader
}

func (s *said) Write(b []byte) (int, error) { return len(b), nil }
func (s *said) Close() error                { return nil }

func hello() []byte {
	var b bytes.Buffer
	greet(&b, Greeting{})
	return b.Bytes()
}

// FuzzServe feeds a server bytes after the greeting.
func FuzzServe(f *testing.F) {
	for _, b := range asked(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &Server{Backend: &fake{left: make(chan error, 1000)}}
		_ = s.Serve(context.Background(), &said{Reader: io.MultiReader(bytes.NewReader(hello()), bytes.NewReader(b))})
	})
}

// FuzzAnswer feeds a client an answer to each of its calls.
func FuzzAnswer(f *testing.F) {
	for _, a := range []answer{{}, {Noted: true}, {Run: 1}, {Count: 1}, *failed(errors.New("x"))} {
		var b bytes.Buffer
		if err := (&line{ReadWriteCloser: &sink{&b}}).send(&a); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var out answer
		l := &line{ReadWriteCloser: &said{Reader: bytes.NewReader(b)}}
		if l.receive(&out, mostAnswer) != nil {
			return
		}
		if out.Err != nil {
			_ = out.Err.Err().Error()
		}
		for _, d := range out.List {
			_ = misplaced(d)
		}
	})
}

type sink struct{ *bytes.Buffer }

func (*sink) Close() error { return nil }

// asked returns what a client says in some calls.
func asked(f *testing.F) (list [][]byte) {
	for _, a := range []ask{{Op: opCheck, Script: trace.Script{Text: "BEGIN"}}, {Op: opRun}, {Op: opProbes}, {Op: opCommand}, {Op: "other"}} {
		var body bytes.Buffer
		if err := (&line{ReadWriteCloser: &sink{&body}}).send(&a); err != nil {
			f.Fatal(err)
		}
		// Frames of yamux: stream 1 is opened, has data, and is closed.
		frame := func(kind byte, flags uint16, n int) []byte {
			b := []byte{0, kind}
			b = binary.BigEndian.AppendUint16(b, flags)
			b = binary.BigEndian.AppendUint32(b, 1)
			return binary.BigEndian.AppendUint32(b, uint32(n))
		}
		b := frame(1, 1, 0)
		b = append(append(b, frame(0, 0, body.Len())...), body.Bytes()...)
		list = append(list, append(b, frame(1, 4, 0)...))
	}
	return list
}
