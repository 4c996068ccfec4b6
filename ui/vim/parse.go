package vim

import (
	"strings"
)

// A command is what keys ask for in full.
type command struct {
	register rune   // 0 is the usual one
	count    int    // 0 is none
	op       string // operator; "" is none
	name     string // motion, object or act; in an operator that is doubled "line"
	arg      string // the character that f, r and some others take
}

// times returns the count, of which none is 1.
func (c command) times() int { return max(c.count, 1) }

// A state says what keys make so far.
type state uint8

const (
	incomplete state = iota
	complete
	unknown
)

// mostCounted bounds a count.
const mostCounted = 1_000_000

// parse reads the keys of a command. With a selection operators take no motion.
func parse(keys []string, selected bool) (c command, s state) {
	r := &reader{keys: keys}
	c.count = r.count()
	for r.peek() == `"` {
		r.key()
		name := r.key()
		if name == "" {
			return c, incomplete
		}
		if len(name) != 1 {
			return c, unknown
		}
		c.register = rune(name[0])
		c.count = multiplied(c.count, r.count())
	}
	word, ok := r.word(selected)
	if !ok {
		return c, incomplete
	}
	if isOperator(word) && !selected {
		c.op = word
		c.count = multiplied(c.count, r.count())
		if word, ok = r.word(true); !ok {
			return c, incomplete
		}
		if word == c.op || strings.HasPrefix(c.op, "g") && word == c.op[1:] {
			word = "line"
		}
	}
	c.name = word
	switch {
	case takesCharacter(word):
		if c.arg = character(r.key()); c.arg == "" {
			if len(r.keys) == 0 && !r.ended {
				return c, unknown
			}
			return c, incomplete
		}
	case c.op != "" && word == "line", isMotion(word):
	case c.op != "" || selected:
		if !isObject(word) && !(selected && isVisualAct(word)) {
			return c, unknown
		}
	case !isAct(word):
		return c, unknown
	}
	return c, complete
}

// multiplied returns what two counts make.
func multiplied(a, b int) int {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a*b, mostCounted)
}

// A reader takes keys one after the other.
type reader struct {
	keys  []string
	ended bool // somebody wanted more keys than there are
}

func (r *reader) peek() string {
	if len(r.keys) == 0 {
		return ""
	}
	return r.keys[0]
}

func (r *reader) key() string {
	k := r.peek()
	if k == "" {
		r.ended = true
		return ""
	}
	r.keys = r.keys[1:]
	return k
}

// count reads a number, which does not begin with 0: that is a motion.
func (r *reader) count() (n int) {
	for {
		k := r.peek()
		if len(k) != 1 || k < "0" || k > "9" || k == "0" && n == 0 {
			return n
		}
		r.key()
		n = min(n*10+int(k[0]-'0'), mostCounted)
	}
}

// word reads the name of a command; some are of two keys. objects says that i and a begin
// the names of text objects.
func (r *reader) word(objects bool) (string, bool) {
	k := r.key()
	if same, ok := synonyms[k]; ok {
		k = same
	}
	two := k == "g" || k == "z" || k == "Z" || k == "ctrl+w" || k == "[" || k == "]" || k == "q" || k == "@" || objects && (k == "i" || k == "a")
	if k == "" || !two {
		return k, k != ""
	}
	second := r.key()
	return k + second, second != ""
}

// synonyms are keys that mean what others mean.
var synonyms = map[string]string{
	"left": "h", "ctrl+h": "h", "right": "l", "up": "k", "down": "j", "ctrl+n": "j", "ctrl+j": "j",
	"home": "0", "end": "$", "delete": "x", "enter": "+", "ctrl+m": "+", "ctrl+home": "gg", "ctrl+end": "G",
	"pgup": "ctrl+b", "pgdown": "ctrl+f", "insert": "i", "f15": "N",
	"ctrl+right": "W", "ctrl+left": "B",
}

// character returns the character that a key types; "" for one that types none.
func character(key string) string {
	switch key {
	case "space":
		return " "
	case "tab":
		return "\t"
	case "enter":
		return "\n"
	}
	if len([]rune(key)) == 1 {
		return key
	}
	return ""
}

// typed returns the keys of a text.
func typed(s string) []string {
	var out []string
	for _, r := range s {
		switch r {
		case ' ':
			out = append(out, "space")
		case '\t':
			out = append(out, "tab")
		case '\n':
			out = append(out, "enter")
		default:
			out = append(out, string(r))
		}
	}
	return out
}
