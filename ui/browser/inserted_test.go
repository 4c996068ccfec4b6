package browser

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"dscope.dev/dlang/golden"
	"dscope.dev/engine/trace"
)

// TestInserted shows what is inserted for each kind of probe. That it compiles is tested
// where there is a compiler, from the same archives: by TestInsertedCompiles of the command.
func TestInserted(t *testing.T) {
	golden.Run(t, "../../testdata/inserted/*.txtar", map[string]func([]byte) []byte{"script.d": script, "refused": refused})
}

// script prints the clauses that are inserted for the lines of an input:
//
//	latency PROBE
//	argument PROBE NUMBER NAME TYPE
func script(input []byte) []byte {
	text, _ := insertedFor(input)
	return []byte(strings.Join(text, "\n\n"))
}

// refused prints why nothing is.
func refused(input []byte) []byte {
	_, why := insertedFor(input)
	return []byte(strings.Join(why, "\n"))
}

func insertedFor(input []byte) (text, why []string) {
	for line := range bytes.Lines(bytes.TrimSpace(input)) {
		w := strings.Fields(string(line))
		p := probe(w[1])
		var clause, no string
		switch w[0] {
		case "latency":
			clause, no = pressed(p, nil, (*Model).measure)
		case "argument":
			n, _ := strconv.Atoi(w[2])
			args := make([]trace.Arg, n+1)
			args[n] = trace.Arg{Name: w[3], Type: strings.Join(w[4:], " ")}
			clause, no = pressed(p, args, func(m *Model) tea.Cmd {
				m.choice = choice{open: true, probe: p, at: n}
				return m.takeArgument()
			})
		default:
			no = fmt.Sprintf("no such line: %s", line)
		}
		if clause != "" {
			text = append(text, clause)
		}
		if no != "" {
			why = append(why, no)
		}
	}
	return text, why
}

// pressed returns what an act inserts while the cursor is on a probe, or why nothing. What
// has an entry has a return beside it, as in any real catalog; process 77 is $target.
func pressed(p trace.Probe, args []trace.Arg, act func(*Model) tea.Cmd) (text, why string) {
	probes := []trace.Probe{p}
	if p.Name == "entry" {
		end := p
		end.Name = "return"
		probes = append(probes, end)
	}
	c := NewCatalog(probes, nil)
	m := &Model{target: trace.Process{PID: 77}, scope: &scope{process: trace.Process{PID: 77}}, info: map[trace.Probe]infoMsg{p: {info: trace.ProbeInfo{Args: args}}}}
	m.view = view{catalog: c, tree: []row{{span: span{0, 1}, level: nameLevel, leaf: true}}}
	if cmd := act(m); cmd != nil {
		return cmd().(InsertMsg).Pattern, ""
	}
	return "", m.why
}
