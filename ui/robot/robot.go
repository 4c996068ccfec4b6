// Package robot is a user of the workbench: it plays keys to the real root
// model and looks at the frames that come out. One file of its is a
// demonstration, a regression test and a page of the manual.
//
// A script is lines:
//
//	open 120x40            the size of the screen, first
//	keys ctrl+r j enter    keys, named as the tables of keys spell them
//	type @a = count();     text, letter by letter
//	wait 2s                time passes
//	frame running          what the screen shows now is kept under a name
//	frames running         the same at 80x24, 120x40 and 200x60; then the size is as before
//	resize 80x24
//	click 40 3             left button; also wheel X Y LINES and drag X Y TO-X TO-Y
//	quit                   the program must have ended
//
// Time is virtual. The robot lives in a bubble of testing/synctest, where
// clocks move only when everything waits: a script of minutes plays in
// milliseconds, and two plays of one script over one recording give the same
// frames. Commands run beside the model as they do under Bubble Tea; their
// messages are delivered in the order in which the commands were issued.
package robot

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"dscope.dev/ui/keymap"
)

// A Frame is what the screen showed at one moment.
type Frame struct {
	Name string
	W, H int
	Text string // without colours and without blanks at the ends of lines
	View string // as it was drawn
}

// A Robot drives one model. Use it inside a bubble of testing/synctest.
type Robot struct {
	model  tea.Model
	w, h   int
	Frames []Frame
	Quit   bool // the model has asked to end

	mu     sync.Mutex
	issued int       // commands so far
	posted []message // by commands, not yet delivered
}

// A message is what a command returned.
type message struct {
	order int // of the command that returned it
	msg   tea.Msg
}

// Play plays a script to a model. It stops at the first line that goes wrong.
func Play(model tea.Model, script string) (*Robot, error) {
	r := &Robot{model: model}
	for n, line := range strings.Split(script, "\n") {
		line = strings.TrimRight(line, "\r")
		verb, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		if verb == "" || strings.HasPrefix(verb, "#") {
			continue
		}
		if err := r.do(verb, rest); err != nil {
			return r, fmt.Errorf("line %d: %s: %w", n+1, line, err)
		}
	}
	return r, nil
}

// Close makes the model leave if the script did not, so that nothing of it is
// left running when the bubble ends, and waits for commands that sleep.
func (r *Robot) Close() {
	for n := 0; n < 4 && !r.Quit; n++ {
		r.send(tea.KeyMsg{Type: tea.KeyCtrlC})
		r.wait(time.Second)
	}
	time.Sleep(patience)
}

// patience is longer than any command waits.
const patience = time.Minute

// do plays one line.
func (r *Robot) do(verb, rest string) error {
	if r.Quit && verb != "quit" {
		return fmt.Errorf("the program has ended")
	}
	switch verb {
	case "open", "resize":
		return r.size(verb, rest)
	case "keys":
		return r.keys(strings.Fields(rest))
	case "type":
		for _, c := range rest {
			r.send(tea.KeyMsg{Type: runeType(c), Runes: []rune{c}})
		}
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		r.wait(d)
	case "frame":
		return r.frame(rest)
	case "frames":
		return r.frames(rest)
	case "click", "wheel", "drag":
		return r.mouse(verb, strings.Fields(rest))
	case "quit":
		r.wait(time.Second)
		if !r.Quit {
			return fmt.Errorf("it has not ended")
		}
	default:
		return fmt.Errorf("no such command")
	}
	return nil
}

func runeType(c rune) tea.KeyType {
	if c == ' ' {
		return tea.KeySpace
	}
	return tea.KeyRunes
}

func (r *Robot) size(verb, rest string) error {
	if _, err := fmt.Sscanf(rest, "%dx%d", &r.w, &r.h); err != nil {
		return fmt.Errorf("want WIDTHxHEIGHT: %w", err)
	}
	if verb == "open" {
		r.run(r.model.Init())
	}
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	if r.w == 0 || r.h == 0 { // it is drawn all the same
		lines := strings.Split(r.model.View(), "\n")
		r.w, r.h = ansi.StringWidth(lines[0]), len(lines)
	}
	return nil
}

func (r *Robot) keys(names []string) error {
	for _, name := range names {
		msg, ok := keymap.ParseKey(name)
		if !ok {
			return fmt.Errorf("no key is called %s", name)
		}
		r.send(msg)
	}
	return nil
}

func (r *Robot) mouse(verb string, args []string) error {
	var n []int
	for _, a := range args {
		v, err := strconv.Atoi(a)
		if err != nil {
			return err
		}
		n = append(n, v)
	}
	event := func(x, y int, b tea.MouseButton, a tea.MouseAction) {
		r.send(tea.MouseMsg{X: x, Y: y, Button: b, Action: a})
	}
	switch {
	case verb == "click" && len(n) == 2:
		event(n[0], n[1], tea.MouseButtonLeft, tea.MouseActionPress)
		event(n[0], n[1], tea.MouseButtonNone, tea.MouseActionRelease)
	case verb == "wheel" && len(n) == 3:
		b := tea.MouseButtonWheelDown
		if n[2] < 0 {
			b = tea.MouseButtonWheelUp
		}
		for range max(n[2], -n[2]) {
			event(n[0], n[1], b, tea.MouseActionPress)
		}
	case verb == "drag" && len(n) == 4:
		event(n[0], n[1], tea.MouseButtonLeft, tea.MouseActionPress)
		event(n[2], n[3], tea.MouseButtonLeft, tea.MouseActionMotion)
		event(n[2], n[3], tea.MouseButtonNone, tea.MouseActionRelease)
	default:
		return fmt.Errorf("wrong number of arguments")
	}
	return nil
}

// frame keeps what the screen shows, after checking that it fits.
func (r *Robot) frame(name string) error {
	view := r.model.View()
	lines := strings.Split(view, "\n")
	if len(lines) != r.h {
		return fmt.Errorf("the frame has %d lines, the screen %d", len(lines), r.h)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != r.w {
			return fmt.Errorf("line %d of the frame is %d wide, the screen %d: %q", i+1, w, r.w, line)
		}
		lines[i] = strings.TrimRight(ansi.Strip(line), " ")
	}
	r.Frames = append(r.Frames, Frame{name, r.w, r.h, strings.Join(lines, "\n") + "\n", view})
	return nil
}

// frames keeps what the screen shows at the sizes that people have.
func (r *Robot) frames(name string) error {
	w, h := r.w, r.h
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		r.resize(size[0], size[1])
		if err := r.frame(name); err != nil {
			return err
		}
	}
	r.resize(w, h)
	return nil
}

func (r *Robot) resize(w, h int) {
	r.w, r.h = w, h
	r.send(tea.WindowSizeMsg{Width: w, Height: h})
}

// step is how finely time passes.
const step = 5 * time.Millisecond

// wait lets time pass, and the model take what comes meanwhile.
func (r *Robot) wait(d time.Duration) {
	for ; d > 0 && !r.Quit; d -= step {
		time.Sleep(min(step, d))
		r.settle()
	}
}

// send gives the model a message and waits until all is still.
func (r *Robot) send(msg tea.Msg) {
	r.deliver(msg)
	r.settle()
}

// settle delivers messages until no command returns one without time passing.
func (r *Robot) settle() {
	for {
		synctest.Wait()
		r.mu.Lock()
		posted := r.posted
		r.posted = nil
		r.mu.Unlock()
		if len(posted) == 0 {
			return
		}
		slices.SortStableFunc(posted, func(a, b message) int { return a.order - b.order })
		for _, p := range posted {
			r.deliver(p.msg)
		}
	}
}

// deliver does with a message what Bubble Tea does.
func (r *Robot) deliver(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
		return
	case tea.QuitMsg:
		r.Quit = true
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			r.run(cmd)
		}
		return
	}
	if cmds, ok := sequence(msg); ok {
		r.runInOrder(cmds)
		return
	}
	var cmd tea.Cmd
	r.model, cmd = r.model.Update(msg)
	_ = r.model.View() // a frame is drawn after each message
	r.run(cmd)
}

// sequence returns the commands of tea.Sequence, whose message has no name
// outside its package.
func sequence(msg tea.Msg) ([]tea.Cmd, bool) {
	v := reflect.ValueOf(msg)
	want := reflect.TypeFor[[]tea.Cmd]()
	if v.Kind() != reflect.Slice || !v.CanConvert(want) {
		return nil, false
	}
	return v.Convert(want).Interface().([]tea.Cmd), true
}

// run runs a command beside the model.
func (r *Robot) run(cmd tea.Cmd) {
	if cmd != nil {
		r.runInOrder([]tea.Cmd{cmd})
	}
}

// runInOrder runs commands one after the other beside the model.
func (r *Robot) runInOrder(cmds []tea.Cmd) {
	r.issued++
	order := r.issued
	go func() {
		for _, cmd := range cmds {
			if cmd == nil {
				continue
			}
			msg := cmd()
			r.mu.Lock()
			r.posted = append(r.posted, message{order, msg})
			r.mu.Unlock()
		}
	}()
}
