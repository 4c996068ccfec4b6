package ui

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A screen is a canvas whose terminal is a pipe.
type screen struct {
	*canvas
	t    *testing.T
	read *os.File
	got  *bufio.Reader // of read
}

func newScreen(t *testing.T) screen {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := newCanvas(w)
	t.Cleanup(func() {
		c.stop()
		w.Close()
		r.Close()
	})
	return screen{c, t, r, bufio.NewReader(r)}
}

// gets waits until the terminal has been sent text, and returns all that came up to its end:
// behind it the next picture may follow already.
func (s screen) gets(text string) string {
	s.t.Helper()
	s.read.SetReadDeadline(time.Now().Add(20 * time.Second))
	var got []byte
	for !bytes.HasSuffix(got, []byte(text)) {
		b, err := s.got.ReadByte()
		if err != nil {
			s.t.Fatalf("%v; the terminal got %q, and never %q", err, got, text)
		}
		got = append(got, b)
	}
	return string(got)
}

// TestCanvas draws what is new in each picture, all of it after something else was written,
// and nothing outside the alternate screen.
func TestCanvas(t *testing.T) {
	s := newScreen(t)
	s.show("before")
	io.WriteString(s, "\x1b[?1049h")
	if got := s.gets("\x1b[J\x1b[1;1H\x1b[Kbefore\x1b[1;1H"); !strings.HasPrefix(got, "\x1b[?1049h") {
		t.Errorf("drawn too early: %q", got)
	}
	s.show("one\ntwo\nthree")
	s.gets("\x1b[1;1H\x1b[J\x1b[1;1H\x1b[Kone\x1b[2;1H\x1b[Ktwo\x1b[3;1H\x1b[Kthree\x1b[3;1H")
	s.show("one\n2\nthree")
	if got, want := s.gets("\x1b[3;1H"), "\x1b[2;1H\x1b[K2\x1b[3;1H"; got != want {
		t.Errorf("of one line that is new %q is drawn, want %q", got, want)
	}
	io.WriteString(s, "\x1b[2J")
	if got := s.gets("three\x1b[3;1H"); !strings.Contains(got, "one") || !strings.Contains(got, "three") {
		t.Errorf("what was wiped is not drawn again: %q", got)
	}
	s.forget()
	s.gets("three\x1b[3;1H")
	io.WriteString(s, "\x1b[?1049l")
	s.show("after")
	io.WriteString(s, "end")
	if got := s.gets("end"); strings.Contains(got, "after") {
		t.Errorf("drawn where nothing may be: %q", got)
	}
}

// TestCanvasRests asks for the next picture when the last has stood long enough, if one
// would have been made before.
func TestCanvasRests(t *testing.T) {
	s := newScreen(t)
	asked := make(chan struct{}, 1)
	s.ask = func() { asked <- struct{}{} }
	if !s.ready() {
		t.Error("there is no picture yet, and none may be drawn")
	}
	go io.Copy(io.Discard, s.read)
	io.WriteString(s, "\x1b[?1049h")
	end := time.After(20 * time.Second)
	for n := 0; ; n++ {
		select {
		case <-asked:
			return
		case <-end:
			t.Fatal("nobody asks for the next picture")
		default:
			if s.ready() {
				s.show(strconv.Itoa(n))
			}
		}
	}
}

// TestCanvasStalled writes while a picture waits for its terminal: whoever writes does not
// wait, and what was written comes behind the picture, in order.
func TestCanvasStalled(t *testing.T) {
	s := newScreen(t)
	s.show(strings.Repeat("x", 1<<20)) // more than a pipe holds; the first that is drawn
	io.WriteString(s, altOn)
	for deadline := time.Now().Add(20 * time.Second); !s.writes(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the picture is not being written")
		}
	}
	io.WriteString(s, "first")
	io.WriteString(s, "second")
	if got := s.gets("firstsecond"); strings.Count(got, "x") != 1<<20 {
		t.Errorf("the picture did not come whole: %d", len(got))
	}
	s.show("now")
	s.gets("\x1b[Know\x1b[1;1H")
}

func (c *canvas) writes() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy
}

// TestCanvasCuts has lines end at the edge of the alternate screen, and nowhere else.
func TestCanvasCuts(t *testing.T) {
	s := newScreen(t)
	io.WriteString(s, altOn)
	s.gets(altOn + wrapOff)
	io.WriteString(s, altOff)
	s.gets(wrapOn + altOff)
}
