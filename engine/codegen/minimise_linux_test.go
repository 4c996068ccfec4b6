package codegen_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cilium/ebpf"

	"dscope.dev/engine/codegen"
)

// patience bounds how long a failing script is made smaller.
const patience = 20 * time.Second

// minimise makes the script smaller as long as it fails in the same way.
func (c *testCase) minimise(m *machine, bad *finding) *testCase {
	if c.plain != "" {
		return c // of two spellings it would have to lack the same
	}
	until := time.Now().Add(patience)
	for best := c; ; {
		i := slices.IndexFunc(smaller(best.text), func(text string) bool {
			next := &testCase{text: text, shots: c.shots, opts: c.opts}
			f, err := next.run(m)
			same := err == nil && f != nil && f.kind == bad.kind
			if same {
				best = next
			}
			return same || time.Now().After(until)
		})
		if i < 0 || time.Now().After(until) {
			return best
		}
	}
}

// smaller returns scripts that lack something of text. Most are no scripts.
func smaller(text string) []string {
	var list []string
	lines := strings.SplitAfter(text, "\n")
	from := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "{") }) - 1
	for i, l := range lines {
		if strings.HasPrefix(l, "}") {
			list = append(list, strings.Join(lines[:from], "")+strings.Join(lines[i+1:], ""))
			from = i + 1
		}
	}
	for i, l := range lines {
		if strings.HasPrefix(l, "\t") && !strings.HasPrefix(lines[i-1]+lines[i+1], "{\n}") {
			list = append(list, strings.Join(lines[:i], "")+strings.Join(lines[i+1:], ""))
		}
	}
	return append(list, shorter(text)...)
}

// shorter replaces what is in brackets, with the name before it or without, by
// a constant or by one of its operands.
func shorter(text string) []string {
	var list []string
	var open []int
	for i := range len(text) {
		switch text[i] {
		case '(':
			open = append(open, i)
		case ')':
			if len(open) == 0 {
				continue
			}
			from := open[len(open)-1]
			open = open[:len(open)-1]
			name := from
			for name > 0 && strings.IndexByte("abcdefghijklmnopqrstuvwxyz_", text[name-1]) >= 0 {
				name--
			}
			for _, by := range []string{"1", `""`} {
				if i+1-name > len(by)+2 {
					list = append(list, text[:name]+by+text[i+1:])
				}
			}
			for _, part := range operands(text[from+1 : i]) {
				list = append(list, text[:name]+part+text[i+1:])
			}
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(a) - len(b) })
	return list
}

// operands returns the parts of x that are in brackets at its top level.
func operands(x string) []string {
	var list []string
	depth, from := 0, 0
	for i := range len(x) {
		switch x[i] {
		case '(':
			if depth == 0 {
				from = i
			}
			depth++
		case ')':
			if depth--; depth == 0 && i+1-from < len(x) {
				list = append(list, x[from:i+1])
			}
		}
	}
	return list
}

// explain says all about a case that fails.
func (c *testCase) explain(m *machine) string {
	bad, err := c.run(m)
	if err != nil || bad == nil {
		return fmt.Sprintf("which does not fail again: %v", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", bad)
	p, _ := m.check(c.text, c.macros)
	if o, _, err := m.compile(p, bad.level, c.opts); err == nil {
		for _, fn := range o.IR.Funcs {
			fmt.Fprintf(&b, "%s\n", fn)
		}
		if *listing {
			fmt.Fprintf(&b, "%s\n", o.Listing())
		}
	}
	fmt.Fprintf(&b, "strsize %d\n", c.opts.StrSize)
	for i, s := range c.shots {
		fmt.Fprintf(&b, "shot %d: %s %d tid %d cpu %d args %#x\n", i, s.Hook, s.Site, s.TID, s.CPU, s.Args)
	}
	return b.String()
}

// refusal shortens what the verifier said.
func refusal(err error, o *codegen.Object) error {
	var ve *ebpf.VerifierError
	if !errors.As(err, &ve) {
		return err
	}
	at, why := codegen.VerifierPlace(ve, o)
	log := ve.Log[max(0, len(ve.Log)-12):]
	return fmt.Errorf("%v: %s\n%s%.0w", at, why, strings.Join(log, "\n"), err)
}
