package vim

import "strings"

// A command is what keys ask for in full.
type command struct {
	register rune   // 0 is the usual one
	count    int    // 0 is none
	op       string // operator; "" is none
	name     string // motion, object or act; in an operator that is doubled "line"
	arg      string // the character that f, r and some others take; what / was answered
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
	c.name = r.word(selected)
	if with, ok := shorthands[c.name]; ok && !selected {
		c.op, c.name = with[0], with[1]
		return c, complete
	}
	if isOperator(c.name) && !selected {
		c.op = c.name
		c.count = multiplied(c.count, r.count())
		c.name = r.word(true)
		if c.name == c.op || "g"+c.name == c.op {
			c.name = "line"
		}
	}
	if takesCharacter(c.name) {
		c.arg = character(r.key())
	}
	switch ranged := selected || c.op != ""; {
	case r.ended:
		return c, incomplete
	case takesCharacter(c.name) && c.arg == "":
		return c, unknown
	case isMotion(c.name), ranged && isObject(c.name), c.op != "" && c.name == "line":
		return c, complete
	case selected && isVisualAct(c.name), !ranged && isAct(c.name):
		return c, complete
	}
	return c, unknown
}

// multiplied returns what two counts make.
func multiplied(a, b int) int {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a*b, mostCounted)
}

// takesCharacter reports whether a command is followed by a character.
func takesCharacter(name string) bool { return len(name) == 1 && strings.Contains("fFtTrm'`q@", name) }

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
func (r *reader) word(objects bool) string {
	k := r.key()
	if same, ok := synonyms[k]; ok {
		k = same
	}
	switch k {
	case "g", "z", "Z", "ctrl+w", "]":
		return k + r.key()
	case "i", "a":
		if objects {
			return k + r.key()
		}
	}
	return k
}

// synonyms are keys that mean what others mean.
var synonyms = map[string]string{
	"left": "h", "backspace": "h", "ctrl+h": "h", "right": "l", "space": "l",
	"up": "k", "down": "j", "ctrl+n": "j", "ctrl+j": "j", "enter": "+", "ctrl+m": "+",
	"home": "0", "end": "$", "ctrl+home": "gg", "ctrl+end": "G", "ctrl+right": "W", "ctrl+left": "B",
	"delete": "x", "insert": "i", "pgup": "ctrl+b", "pgdown": "ctrl+f", "f15": "N",
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
