package export

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// stacked returns the aggregation whose stacks are written: the only one that has some, as
// long as its values add up.
func stacked(tables []trace.Table, format string) (*trace.Table, error) {
	var found, not []trace.Table
	for _, t := range tables {
		switch {
		case !slices.ContainsFunc(t.Rows, func(r trace.Row) bool { return hasStack(&r) }):
		case t.Func.AddsUp():
			found = append(found, t)
		default:
			not = append(not, t)
		}
	}
	switch {
	case len(found) == 1:
		return &found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("%s is of one aggregation, and several have stacks; choose one with -a: %s", format, called(found))
	case len(not) > 0:
		return nil, fmt.Errorf("%s wants values that add up, of count(), sum() or a histogram, which those of %s do not", format, called(not))
	}
	return nil, fmt.Errorf("%s is made of stacks, and no aggregation here has them as keys; a script that does: profile-97 { @[ustack()] = count(); }, or stack() for the kernel's", format)
}

func hasStack(r *trace.Row) bool {
	for i := range r.Keys {
		if isStack(&r.Keys[i]) {
			return true
		}
	}
	return false
}

// A level is a frame of a row's path, which goes from the outermost to the innermost: of the
// process, then of the kernel, which it has called.
type level struct {
	*trace.Frame
	kernel bool
}

// path returns the frames of a row, the outermost first.
func path(r *trace.Row) (out []level) {
	for _, kind := range [...]trace.ValueKind{trace.UstackValue, trace.StackValue} {
		for i := range r.Keys {
			v := &r.Keys[i]
			if v.Kind != kind {
				continue
			}
			for j := len(v.Frames) - 1; j >= 0; j-- {
				out = append(out, level{&v.Frames[j], kind == trace.StackValue})
			}
		}
	}
	return out
}

// function is what a frame is called, whatever the place within it; without a symbol by its
// place in the file of the module, which is the same wherever the file is mapped.
func (l level) function() string {
	f := *l.Frame
	switch {
	case f.Symbol != "":
		f.Offset, f.Inlined = 0, false
	case f.Module != "" && f.Offset != 0:
		f.Raw = true
	}
	return f.String()
}

// writeFolded writes a line for each path, as stackcollapse-*.pl and flamegraph.pl have them:
// names with semicolons between them, the outermost first, then the value. Keys that are no
// stack are its first frames. _[k] stands behind functions of the kernel and _[i] behind
// those that were put into others, by which flamegraph.pl chooses colours.
func writeFolded(out io.Writer, tables []trace.Table, s *state) error {
	t, err := stacked(tables, "folded")
	if err != nil {
		return err
	}
	sums, order, negative := map[string]int64{}, []string(nil), 0
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Value < 0 {
			negative++
			continue
		}
		line := folded(r)
		if _, seen := sums[line]; !seen {
			order = append(order, line)
		}
		sums[line] += spell.Shown(t, r)
	}
	s.below(negative)
	slices.Sort(order)
	b := bufio.NewWriter(out)
	for _, line := range order {
		if n := sums[line]; n > 0 {
			fmt.Fprintf(b, "%s %d\n", line, n)
		}
	}
	return b.Flush()
}

// below tells of rows that have no share of anything.
func (s *state) below(n int) {
	if n > 0 {
		s.o.say("%d keys have values below zero and are left out", n)
	}
}

// unfold are the characters that end a name, or a line, of a folded stack.
var unfold = strings.NewReplacer(";", ":", "\n", " ", "\r", " ", "\t", " ")

func folded(r *trace.Row) string {
	var names []string
	for i := range r.Keys {
		if v := &r.Keys[i]; !isStack(v) {
			names = append(names, unfold.Replace(keyText(v)))
		}
	}
	frames := path(r)
	for _, l := range frames {
		name := unfold.Replace(safe(l.function()))
		switch {
		case l.Inlined:
			name += "_[i]"
		case l.kernel:
			name += "_[k]"
		}
		names = append(names, name)
	}
	if len(frames) == 0 {
		names = append(names, "(no frames)")
	}
	return strings.Join(names, ";")
}
