package ui

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/ui/ink"
)

// A canvas stands between Bubble Tea and the terminal, and draws the pictures.
//
// Bubble Tea's own renderer looks sixty times a second whether there is anything to draw:
// that alone takes an idle workbench more than half a per cent of a CPU, and each picture
// waits for the next of those moments. A canvas sleeps until it is given a picture, draws
// what is new in it at once, and then rests for as long as a frame lasts, so that many
// messages are one frame. A terminal that stalls holds up the drawing and nothing else.
//
// All else (the alternate screen, the mouse, the mode of the terminal) stays with Bubble
// Tea. What that writes is passed on, and the whole picture is drawn after it, since it may
// have been written over.
type canvas struct {
	tty  *os.File
	pen  *os.File      // what is written to; the terminal too
	wake chan struct{} // holds one
	quit chan struct{}
	over *giving

	out sync.Mutex // of writing; taken before mu
	mu  sync.Mutex // of what follows
	on  bool       // the alternate screen is shown, which is where pictures are drawn
	now string     // the picture
	was []string   // the lines that are on the terminal; nil if that is not known

	busy  bool   // a picture is being written, for which the terminal may take its time
	queue []byte // what came meanwhile, and is to be passed on behind it

	question string // goes out behind the first picture; "" once it has

	rests bool   // a picture has been drawn just now
	late  bool   // and the next is to be made when that is over
	waits bool   // the next picture waits a breath for more that it may show
	ask   func() // for it; set before anything is shown
}

// frame is how long a picture stands at least.
const frame = time.Second / 60

// breath is how long the picture of what a run says waits: it says several things at a time.
const breath = 5 * time.Millisecond

// renderFPS is how often Bubble Tea's renderer looks whether it has to draw. It never has.
const renderFPS = 1

// newCanvas returns a canvas on a terminal, until it is closed.
func newCanvas(tty *os.File) *canvas {
	c := &canvas{tty: tty, pen: penOf(tty), wake: make(chan struct{}, 1), quit: make(chan struct{}), over: &giving{}}
	go c.draw()
	return c
}

// stop ends the drawing.
func (c *canvas) stop() {
	close(c.quit)
	if c.pen != c.tty {
		c.pen.Close()
	}
}

// draw draws pictures as they come.
func (c *canvas) draw() {
	for {
		select {
		case <-c.quit:
			return
		case <-c.wake:
		}
		c.paint()
		time.Sleep(frame)
		c.mu.Lock()
		late := c.late
		c.rests, c.late = false, false
		c.mu.Unlock()
		if late {
			c.ask()
		}
	}
}

// ready reports whether a picture would be drawn at once. If not, one is asked for when it
// is time.
func (c *canvas) ready() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = c.rests
	return !c.rests && !c.waits
}

// breathe puts the next picture off a little, unless hurry comes first.
func (c *canvas) breathe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits || c.rests { // the picture behind a rest shows it
		return
	}
	c.waits = true
	time.AfterFunc(breath, func() {
		c.mu.Lock()
		waited := c.waits
		c.waits = false
		c.mu.Unlock()
		if waited {
			c.ask()
		}
	})
}

// hurry has the next picture wait for nothing.
func (c *canvas) hurry() {
	c.mu.Lock()
	c.waits = false
	c.mu.Unlock()
}

// show makes s the picture.
func (c *canvas) show(s string) {
	c.mu.Lock()
	same := s == c.now && c.was != nil
	c.now = s
	c.mu.Unlock()
	if !same {
		c.poke()
	}
}

// forget says that nothing is known of what is on the terminal.
func (c *canvas) forget() {
	c.mu.Lock()
	c.was = nil
	c.mu.Unlock()
	c.poke()
}

// poke has the picture drawn.
func (c *canvas) poke() {
	select {
	case c.wake <- struct{}{}:
	default: // it will be
	}
}

// paint writes the lines of the picture that are not on the terminal yet.
func (c *canvas) paint() {
	c.out.Lock()
	defer c.out.Unlock()
	c.mu.Lock()
	if !c.on || c.over.begun.Load() {
		c.mu.Unlock()
		return
	}
	lines, was := strings.Split(c.now, "\n"), c.was
	c.was, c.rests, c.busy = lines, true, true
	c.mu.Unlock()
	defer c.passOn()
	var b []byte
	if len(was) != len(lines) {
		b, was = append(b, "\x1b[1;1H\x1b[J"...), nil
	}
	for y, line := range lines {
		if y < len(was) && was[y] == line {
			continue
		}
		b = appendGoto(b, y+1)
		b = append(b, "\x1b[K"...) // before the line: behind it the cursor may still be on its last cell
		b = ink.Pin(b, line)
	}
	if len(b) > 0 {
		if b = appendGoto(b, len(lines)); len(lines) > 1 { // before the size is known there is nothing to see
			b = append(b, c.question...)
			c.question = ""
		}
		c.pen.Write(b) // an error ends the reading of keys too
	}
}

// appendGoto appends what moves the cursor to the beginning of a line.
func appendGoto(b []byte, y int) []byte {
	return append(strconv.AppendInt(append(b, "\x1b["...), int64(y), 10), ";1H"...)
}

// What shows and hides the alternate screen. While it is shown no line goes on in the next:
// what a terminal draws wider than it was measured ends at the edge.
const (
	altOn, altOff   = "\x1b[?1049h", "\x1b[?1049l"
	wrapOff, wrapOn = "\x1b[?7l", "\x1b[?7h"
)

// Write passes on what Bubble Tea writes: at once, or behind the picture that is being
// written. It does not wait for that, since Bubble Tea takes no messages meanwhile, and what
// a run finds would be lost; but before another program has the terminal, or nobody, it does.
func (c *canvas) Write(b []byte) (int, error) {
	if !bytes.Contains(b, []byte(altOff)) && c.later(b) {
		return len(b), nil
	}
	c.out.Lock()
	defer c.out.Unlock()
	c.passOn()
	shown, hidden := bytes.Contains(b, []byte(altOn)), bytes.Contains(b, []byte(altOff))
	all := b
	switch {
	case shown:
		all = append(bytes.Clone(b), wrapOff...)
	case hidden:
		all = append([]byte(wrapOn), b...)
	}
	n, err := c.write(all)
	n = min(n, len(b))
	c.mu.Lock()
	if shown {
		c.on = true
	}
	if hidden {
		c.on = false
	}
	c.was = nil
	c.mu.Unlock()
	c.poke()
	return n, err
}

// later queues b if a picture is being written, and reports whether it has.
func (c *canvas) later(b []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.busy || c.over.begun.Load() {
		return false
	}
	c.queue, c.was = append(c.queue, b...), nil
	c.poke()
	return true
}

// passOn writes what has been queued; c.out is held.
func (c *canvas) passOn() {
	for {
		c.mu.Lock()
		b := c.queue
		c.queue = nil
		if len(b) == 0 {
			c.busy = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		c.write(b) // an error ends the reading of keys too
	}
}

// Read, Close and Fd make a canvas a terminal for Bubble Tea, which asks it for its size.
func (c *canvas) Read(b []byte) (int, error) { return c.tty.Read(b) }
func (c *canvas) Close() error               { return nil }
func (c *canvas) Fd() uintptr                { return c.tty.Fd() }

// A shown is a Model whose pictures go to a canvas.
type shown struct {
	Model
	on *canvas
}

// Update has everything drawn anew where the size has changed: terminals move lines then.
func (s shown) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case dueMsg:
		return s, nil
	case snapshotMsg, statusMsg, eventsMsg:
		s.on.breathe()
	default:
		s.on.hurry()
	}
	m, cmd := s.Model.Update(msg)
	s.Model = m.(Model)
	if _, resized := msg.(tea.WindowSizeMsg); resized {
		s.on.forget()
	}
	return s, cmd
}

// dueMsg says that it is time for the next picture.
type dueMsg struct{}

// View gives Bubble Tea nothing to draw. A picture takes longer to make than most messages
// to handle; so where many come none is made that would not be drawn.
func (s shown) View() string {
	if s.on.ready() {
		s.on.show(s.Model.View())
	}
	return ""
}
