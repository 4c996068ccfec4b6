package document

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/shlex"
)

// A Call is what a script is run with besides its text, as dtrace(1) takes it on its command
// line: options, a process, arguments.
type Call struct {
	Line    string   // as it was typed
	Args    []string // $1, $2, …
	Options []string // as -x has them: name or name=value
	Target  int      // the process that $target is; 0 if the line names none
}

// ParseCall reads a line such as
//
//	-x bufsize=8m -w -p 123 'first argument' 2
//
// with the quotes of a shell. What has no place there is an error that says what to do.
func ParseCall(line string) (Call, error) {
	c := Call{Line: strings.TrimSpace(line)}
	words, err := shlex.Split(line)
	if err != nil {
		return c, fmt.Errorf("a quote has no end: %w", err)
	}
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		if len(w) < 2 || w[0] != '-' || w[1] >= '0' && w[1] <= '9' {
			c.Args = append(c.Args, w)
			continue
		}
		if w == "--" {
			c.Args = append(c.Args, words...)
			break
		}
		var value string
		take := func() error {
			switch value = w[2:]; {
			case value != "":
			case len(words) == 0:
				return fmt.Errorf("%s has no value", w)
			default:
				value, words = words[0], words[1:]
			}
			return nil
		}
		switch w[1] {
		case 'x':
			if err := take(); err != nil {
				return c, err
			}
			c.Options = append(c.Options, value)
		case 'b':
			if err := take(); err != nil {
				return c, err
			}
			c.Options = append(c.Options, "bufsize="+value)
		case 'w', 'Z', 'F', 'q':
			for _, flag := range w[1:] {
				name := map[rune]string{'w': "destructive", 'Z': "zdefs", 'F': "flowindent", 'q': "quiet"}[flag]
				if name == "" {
					return c, fmt.Errorf("-%c is not known here: -x, -b, -w, -Z, -F, -q, -p and arguments are", flag)
				}
				c.Options = append(c.Options, name)
			}
		case 'p':
			if err := take(); err != nil {
				return c, err
			}
			if c.Target, err = strconv.Atoi(value); err != nil || c.Target <= 0 {
				return c, fmt.Errorf("-p %s: a process is a number", value)
			}
		case 'c':
			return c, errors.New("-c starts no command here: start it, and choose it among the processes of the probes, or run dscope trace -c")
		default:
			return c, fmt.Errorf("%s is not known here: -x, -b, -w, -Z, -F, -q, -p and arguments are", w)
		}
	}
	return c, nil
}
