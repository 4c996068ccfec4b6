package syscall

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// The table is data and not constants of the compiler's own machine, so that
// the calls of both machines can be checked and tested on any.
//
//go:embed calls.txt
var callsText string

// A call is one system call.
type call struct {
	name   string
	number uint32
	params string // as parseParams reads it
}

// A param is one argument, its type as C spells it.
type param struct{ typ, name string }

// readTable returns the calls of a machine by name, and their names in order.
func readTable(arch string) (calls map[string]call, order []string, err error) {
	column := 1
	switch arch {
	case "amd64":
	case "arm64":
		column = 2
	default:
		return nil, nil, fmt.Errorf("the system calls of %s are not known; dscope traces amd64 and arm64", arch)
	}
	calls = make(map[string]call, 400)
	for line := range strings.Lines(callsText) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, " ", 4)
		if len(f) < 3 {
			return nil, nil, fmt.Errorf("table of system calls: %q has too few columns", line)
		}
		if f[column] == "-" {
			continue
		}
		n, err := strconv.ParseUint(f[column], 10, 32)
		if err != nil {
			return nil, nil, fmt.Errorf("table of system calls: %q: %w", line, err)
		}
		c := call{name: f[0], number: uint32(n)}
		if len(f) == 4 {
			c.params = f[3]
		}
		calls[c.name] = c
		order = append(order, c.name)
	}
	return calls, order, nil
}

// parseParams reads "unsigned int fd, char * buf".
func parseParams(text string) (list []param) {
	if text == "" {
		return nil
	}
	for decl := range strings.SplitSeq(text, ", ") {
		i := strings.LastIndexByte(decl, ' ')
		list = append(list, param{strings.TrimSpace(decl[:i]), decl[i+1:]})
	}
	return list
}
