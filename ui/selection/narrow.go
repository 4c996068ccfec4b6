package selection

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"dscope.dev/dlang/narrow"
	"dscope.dev/engine/trace"
	"dscope.dev/ui/datum"
	"dscope.dev/ui/difference"
)

// Literal returns a value as D writes it, or why it cannot.
func Literal(v trace.Value) (string, error) {
	switch {
	case v.Kind == trace.IntValue:
		return strconv.FormatInt(v.Int, 10), nil
	case v.Kind == trace.UintValue:
		return strconv.FormatUint(uint64(v.Int), 10), nil
	case v.Kind == trace.StringValue, v.Kind == trace.BytesValue && v.Size == 1:
		return narrow.Text(v.Str), nil
	case datum.HasFrames(v):
		return "", errors.New("a stack cannot be asked for in D: narrow by something that goes with it")
	case v.Kind == trace.SymValue:
		return "", errors.New("the name of a symbol cannot be asked for in D: narrow by something that goes with it")
	case v.Kind == trace.NoValue:
		return "", errors.New("the value is not known")
	}
	return "", errors.New("such bytes cannot be compared in D: narrow by something that goes with it")
}

// Changes returns what keeps no more than the selection, for each place that fills the
// aggregation, and what of the selection cannot be asked for.
func (s *Selection) Changes(origins []trace.Origin) (changes []narrow.Change, left string, err error) {
	if len(origins) == 0 {
		return nil, "", errors.New("it is not known where the script fills the aggregation")
	}
	for i := range origins {
		o := &origins[i]
		cond, err := s.condition(o)
		if err != nil {
			return nil, "", err
		}
		changes = append(changes, narrow.Change{From: o.From, To: o.To, Cond: cond})
	}
	if s.Time {
		left = "when it was cannot be asked for, and is left out"
	}
	if slices.ContainsFunc(changes, func(c narrow.Change) bool { return c.Cond == "" }) {
		return nil, "", errors.New("the script takes in no more than that, but for when it was, which cannot be asked for: select buckets or keys")
	}
	return changes, left, inScript(origins)
}

// inScript says why the places are not those of the script.
func inScript(origins []trace.Origin) error {
	for i := range origins {
		if f := origins[i].File; f != "" {
			return fmt.Errorf("the aggregation is filled in %s, line %d, which is not the script", f, origins[i].Line)
		}
	}
	return nil
}

// condition returns what the selection is in the words of a place.
func (s *Selection) condition(o *trace.Origin) (string, error) {
	var parts []string
	if s.Rows != nil {
		keys, err := s.keysOf(o)
		if err != nil {
			return "", err
		}
		parts = append(parts, keys)
	}
	if s.Buckets {
		parts = append(parts, narrow.Between(o.Arg, s.Low, s.High))
	}
	return narrow.All(parts...), nil
}

// mostKeys is how many keys a predicate names at most: people have to read it.
const mostKeys = 32

// keysOf returns that the keys are one of those selected.
func (s *Selection) keysOf(o *trace.Origin) (string, error) {
	if n := len(s.Rows); n > mostKeys {
		return "", fmt.Errorf("%d keys are too many to ask for in D: select or filter at most %d", n, mostKeys)
	}
	var rows []string
	for _, row := range s.Rows {
		if len(row) != len(o.Keys) {
			return "", errors.New("the keys of the aggregation are not those of its place in the script")
		}
		var parts []string
		for i, v := range row {
			text, err := Literal(v)
			if err != nil {
				return "", fmt.Errorf("%s: %w", o.Keys[i], err)
			}
			if text != o.Keys[i] { // the key is no constant
				parts = append(parts, narrow.Is(o.Keys[i], text))
			}
		}
		rows = append(rows, narrow.All(parts...))
	}
	if slices.Contains(rows, "") { // a row that is all there is
		return "", nil
	}
	return narrow.Any(rows...), nil
}

// To returns what keeps no more than one value of a dimension: those firings that have
// it, or, where it is rarer inside, those that have not.
func To(f *difference.Finding, v *difference.Value, origins []trace.Origin) (changes []narrow.Change, left string, err error) {
	cond, err := conditionOf(f, v)
	if err != nil {
		return nil, "", err
	}
	var with []trace.Origin
	for _, o := range origins {
		own := slices.ContainsFunc(o.Dims, func(d trace.Dimension) bool { return d.Expr == f.Dim.Expr })
		if own || f.Own {
			with = append(with, o)
			changes = append(changes, narrow.Change{From: o.From, To: o.To, Cond: cond})
		}
	}
	if len(with) < len(origins) {
		left = fmt.Sprintf("%d of %d places that fill it know %s; the others stay", len(with), len(origins), f.Dim.Name)
	}
	if len(changes) == 0 {
		return nil, "", fmt.Errorf("no place that fills the aggregation knows %s", f.Dim.Name)
	}
	return changes, left, inScript(with)
}

func conditionOf(f *difference.Finding, v *difference.Value) (string, error) {
	if f.Part == difference.Range {
		between := narrow.Between(f.Dim.Expr, v.Low, v.High)
		if v.Value.Kind == trace.UintValue {
			between = narrow.Above(f.Dim.Expr, uint64(v.Low), uint64(v.High))
		}
		if v.More() {
			return between, nil
		}
		return "!(" + between + ")", nil
	}
	text, err := Literal(v.Value)
	switch {
	case err != nil:
		return "", err
	case v.More():
		return narrow.Is(f.Dim.Expr, text), nil
	}
	return narrow.IsNot(f.Dim.Expr, text), nil
}
