package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/google/pprof/profile"

	"dscope.dev/dlang/unit"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// writeProfile writes the stacks of an aggregation as a profile of pprof, compressed. A row
// is a sample: its value is the value, its stacks the locations, and its other keys are
// labels by which pprof can filter (-tagfocus) and group (-tagroot).
func writeProfile(out io.Writer, tables []trace.Table, s *state) error {
	t, err := stacked(tables, "pprof")
	if err != nil {
		return err
	}
	kind := &profile.ValueType{Type: t.Func.String(), Unit: sampleUnit(t)}
	m := &profiler{locations: map[place]*profile.Location{}, functions: map[function]*profile.Function{}, mappings: map[string]*profile.Mapping{}}
	m.p = &profile.Profile{
		SampleType: []*profile.ValueType{kind}, DefaultSampleType: kind.Type, PeriodType: &profile.ValueType{},
		TimeNanos: s.began.UnixNano(), DurationNanos: s.last.Elapsed.Nanoseconds(),
		Comments: []string{"@" + t.Name + " of dscope"},
	}
	if s.began.IsZero() {
		m.p.TimeNanos = 0
	}
	names, negative := keyNames(t), 0
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Value < 0 {
			negative++
			continue
		}
		m.add(r, spell.Shown(t, r), names)
	}
	s.below(negative)
	if err := m.p.CheckValid(); err != nil {
		return fmt.Errorf("internal error: the profile is not sound: %w", err)
	}
	return m.p.Write(out)
}

// sampleUnit is in what an aggregation counts: sum() in what goes in, if that is a time.
func sampleUnit(t *trace.Table) string {
	if t.Func.Counts() || t.Func.IsHistogram() {
		return "count"
	}
	var args []string
	for _, o := range t.Origins {
		args = append(args, o.Arg)
	}
	switch unit.Agreed(args) {
	case unit.Nanoseconds:
		return "nanoseconds"
	case unit.Microseconds:
		return "microseconds"
	case unit.Milliseconds:
		return "milliseconds"
	case unit.Seconds:
		return "seconds"
	}
	return "count" // of whatever the script adds up
}

// A profiler makes one profile.
type profiler struct {
	p         *profile.Profile
	locations map[place]*profile.Location
	functions map[function]*profile.Function
	mappings  map[string]*profile.Mapping
}

// A place is what makes two frames one location.
type place struct {
	frame  trace.Frame
	kernel bool
}

type function struct{ name, file string }

func (m *profiler) add(r *trace.Row, value int64, names []string) {
	sample := &profile.Sample{Value: []int64{value}, Label: map[string][]string{}, NumLabel: map[string][]int64{}}
	for i := range r.Keys {
		switch v := &r.Keys[i]; {
		case isStack(v):
		case v.Kind == trace.IntValue, v.Kind == trace.UintValue && v.Int >= 0:
			sample.NumLabel[names[i]] = []int64{v.Int}
		default:
			sample.Label[names[i]] = []string{valid(keyText(v))}
		}
	}
	frames := path(r)
	for i := len(frames) - 1; i >= 0; i-- { // pprof has the innermost first
		sample.Location = append(sample.Location, m.location(frames[i]))
	}
	m.p.Sample = append(m.p.Sample, sample)
}

func (m *profiler) location(l level) *profile.Location {
	key := place{*l.Frame, l.kernel}
	loc := m.locations[key]
	if loc != nil {
		return loc
	}
	loc = &profile.Location{ID: uint64(len(m.p.Location) + 1), Address: l.Addr, Line: []profile.Line{{Function: m.function(l)}}}
	if l.Script {
		loc.Line[0].Line = int64(l.Offset)
	} else if l.Module != "" {
		loc.Mapping = m.mapping(l.Module)
	}
	m.locations[key] = loc
	m.p.Location = append(m.p.Location, loc)
	return loc
}

// function returns that of a frame: one without a symbol is called as the frame is.
func (m *profiler) function(l level) *profile.Function {
	key := function{name: valid(safe(l.Symbol))}
	switch {
	case l.Symbol == "":
		key.name = valid(safe(l.function()))
	case l.Script:
		key.file = valid(safe(l.Module))
	case l.Inlined:
		key.name += " [inlined]"
	}
	f := m.functions[key]
	if f == nil {
		f = &profile.Function{ID: uint64(len(m.p.Function) + 1), Name: key.name, SystemName: key.name, Filename: key.file}
		m.functions[key] = f
		m.p.Function = append(m.p.Function, f)
	}
	return f
}

// mapping stands for a module. That it has functions keeps pprof from looking for symbols
// itself.
func (m *profiler) mapping(module string) *profile.Mapping {
	p := m.mappings[module]
	if p == nil {
		p = &profile.Mapping{ID: uint64(len(m.p.Mapping) + 1), File: valid(safe(module)), HasFunctions: true}
		m.mappings[module] = p
		m.p.Mapping = append(m.p.Mapping, p)
	}
	return p
}

// valid makes a text one of protobuf: UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "�") }
