package ui

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/themes"
)

// Whether a terminal is light is known to it alone. The environment may say so, and it can be
// asked (OSC 11); the question goes out behind the first picture, and whenever an answer
// comes, if one does, the theme follows. A theme that somebody has chosen stays.

// backgroundMsg is the terminal's answer.
type backgroundMsg struct{ light bool }

// lightByEnv reports whether COLORFGBG, which some terminals set, says that the background is
// light: the last of its numbers is one of 16 colours.
func lightByEnv(env func(string) string) bool {
	value := env("COLORFGBG")
	n, err := strconv.Atoi(value[strings.LastIndexByte(value, ';')+1:])
	return err == nil && (n == 7 || n >= 9 && n <= 15)
}

// background is the question, and openingOf what an answer begins with.
const (
	background = "\x1b]11;?\x1b\\"
	openingOf  = "\x1b]11;"
)

// answersColours reports whether a terminal may be asked: not those that would show the
// question.
func answersColours(env func(string) string) bool {
	term := env("TERM")
	for _, name := range []string{"linux", "dumb", "vt", "cons", "eterm"} {
		if strings.HasPrefix(term, name) {
			return false
		}
	}
	return term != "" && (!strings.HasPrefix(term, "screen") || env("TMUX") != "")
}

// answers is the terminal's input, without the answer to what it was asked.
type answers struct {
	*os.File
	tell func(backgroundMsg)
	done atomic.Bool // it has answered, or was not asked
	held []byte      // the beginning of what may be an answer
}

// mostAnswer is how long an answer can be. What is longer is none.
const mostAnswer = 64

// Read reads what is typed. It may return nothing where there was nothing but an answer.
func (a *answers) Read(b []byte) (int, error) {
	if a.done.Load() && len(a.held) == 0 || len(b) <= 2*mostAnswer {
		return a.File.Read(b)
	}
	n, err := a.File.Read(b[:len(b)-mostAnswer])
	data := append(a.held, b[:n]...)
	a.held = nil
	if err == nil && !a.done.Load() {
		data = a.sift(data)
	}
	return copy(b, data), err
}

// sift takes an answer out of what was read, or holds back what may become one.
func (a *answers) sift(data []byte) []byte {
	at := bytes.Index(data, []byte(openingOf))
	if at < 0 {
		for n := len(openingOf) - 1; n >= 2; n-- { // esc alone is a key
			if bytes.HasSuffix(data, []byte(openingOf[:n])) {
				at := len(data) - n
				a.held = bytes.Clone(data[at:])
				return data[:at]
			}
		}
		return data
	}
	rest := data[at+len(openingOf):]
	end := bytes.IndexAny(rest, "\a\x1b")
	switch {
	case end < 0 && len(rest) < mostAnswer-len(openingOf), end >= 0 && end == len(rest)-1 && rest[end] == '\x1b':
		a.held = bytes.Clone(data[at:])
		return data[:at]
	case end < 0:
		return data
	}
	a.done.Store(true)
	if light, ok := isLight(string(rest[:end])); ok {
		a.tell(backgroundMsg{light})
	}
	if rest[end] == '\x1b' {
		end++ // the backslash of ST
	}
	return append(bytes.Clone(data[:at]), rest[end+1:]...)
}

// isLight reads a colour as terminals tell it: rgb:ffff/ffff/ffff, of one to four digits.
func isLight(text string) (light, ok bool) {
	text, ok = strings.CutPrefix(text, "rgb:")
	parts := strings.Split(text, "/")
	if !ok || len(parts) != 3 {
		return false, false
	}
	var sum float64
	for i, weight := range []float64{0.299, 0.587, 0.114} {
		n, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil || len(parts[i]) > 4 {
			return false, false
		}
		sum += weight * float64(n) / float64(uint64(1)<<(4*len(parts[i]))-1)
	}
	return sum > 0.5, true
}

// suits reports whether the theme is to suit the terminal: nobody has chosen one.
func (o *Options) suits() bool { return o.themeName() == "" && o.Depth != themes.NoColor }

// suit takes the theme that suits the terminal, now that it has answered.
func (m *Model) suit(msg backgroundMsg) tea.Cmd {
	if !m.memory.suits || msg.light == m.opts.Light {
		return nil
	}
	m.opts.Light = msg.light
	if t, err := themes.Load("", m.opts.screen()); err == nil {
		m.setTheme(t)
	}
	return nil
}
