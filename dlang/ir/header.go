package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// entry reads one line of the tables that a program begins with.
func (p *parser) entry(words []string) error {
	o := &p.prog.Options
	switch words[0] {
	case "options":
		return fields(words[1:], map[string]field{
			"strsize": integer(&o.StrSize), "stackframes": integer(&o.StackFrames), "ustackframes": integer(&o.UstackFrames),
			"temporal": flag(&o.Temporal),
			"nspec":    integer(&o.Specs), "specsize": integer(&o.SpecSize),
		})
	case "var":
		return p.variable(words)
	case "agg":
		return p.aggregation(words)
	case "record":
		return p.record(words)
	case "string":
		if len(words) != 3 || words[1] != strconv.Itoa(len(p.prog.Strings)) {
			return fmt.Errorf("strings are numbered from 0, one text each")
		}
		s, err := strconv.Unquote(words[2])
		if err != nil {
			return fmt.Errorf("bad string %s", words[2])
		}
		p.prog.Strings = append(p.prog.Strings, s)
		return nil
	}
	return fmt.Errorf("stray %q", words[0])
}

// A field takes what stands behind the = of a word.
type field func(val string) error

func integer(dst *int) field {
	return func(val string) (err error) {
		*dst, err = strconv.Atoi(val)
		return err
	}
}

func flag(dst *bool) field { return func(string) error { *dst = true; return nil } }

func text(dst *string) field { return func(val string) error { *dst = val; return nil } }

// fields reads name=value words, and words that stand alone.
func fields(words []string, into map[string]field) error {
	for _, w := range words {
		name, val, _ := strings.Cut(w, "=")
		set := into[name]
		if set == nil {
			return fmt.Errorf("stray %q", w)
		}
		if err := set(val); err != nil {
			return fmt.Errorf("%q: %w", w, err)
		}
	}
	return nil
}

// pairs reads a list of numbers joined by +: 8+4,12+4.
func pairs(s string, each func(a, b int)) error {
	for _, part := range strings.Split(s, ",") {
		x, y, _ := strings.Cut(part, "+")
		a, err := strconv.Atoi(x)
		b, err2 := strconv.Atoi(y)
		if err != nil || err2 != nil {
			return fmt.Errorf("bad pair %q", part)
		}
		each(a, b)
	}
	return nil
}

func numbered(words []string, n, least int, what string) error {
	if len(words) < least || words[1] != strconv.Itoa(n) {
		return fmt.Errorf("%s are numbered from 0", what)
	}
	return nil
}

func (p *parser) variable(words []string) error {
	if err := numbered(words, len(p.prog.Vars), 4, "variables"); err != nil {
		return err
	}
	kind := slices.Index(varKinds[:], words[3])
	if kind < 0 {
		return fmt.Errorf("no kind of variable is called %q", words[3])
	}
	v := Var{Name: words[2], Kind: VarKind(kind)}
	if err := fields(words[4:], map[string]field{"offset": integer(&v.Offset), "size": integer(&v.Size), "key": integer(&v.Key), "lasts": flag(&v.Lasts)}); err != nil {
		return err
	}
	p.prog.Vars = append(p.prog.Vars, v)
	return nil
}

func (p *parser) aggregation(words []string) error {
	if err := numbered(words, len(p.prog.Aggs), 3, "aggregations"); err != nil {
		return err
	}
	name, ok := strings.CutPrefix(words[2], "@")
	if !ok {
		return fmt.Errorf("the name of an aggregation begins with @")
	}
	a := Agg{Name: name}
	stack := func(user bool) field {
		return func(s string) error {
			return pairs(s, func(off, depth int) { a.Stacks = append(a.Stacks, StackKey{off, user, depth}) })
		}
	}
	err := fields(words[3:], map[string]field{
		"func": text(&a.Func), "key": integer(&a.Key), "words": integer(&a.Words), "shared": flag(&a.Shared),
		"touch": flag(&a.Touch), "pool": integer(&a.Pool), "parts": flag(&a.Parts), "tail": flag(&a.Tail), "short": integer(&a.Short),
		"in":    func(s string) error { return pairs(s, func(in, at int) { a.In, a.At = in+1, at }) },
		"stack": stack(false), "ustack": stack(true),
	})
	p.prog.Aggs = append(p.prog.Aggs, a)
	return err
}

func (p *parser) record(words []string) error {
	if err := numbered(words, len(p.prog.Records), 2, "records"); err != nil {
		return err
	}
	var r Record
	err := fields(words[2:], map[string]field{
		"clause": integer(&r.Clause), "unit": integer(&r.Unit), "size": integer(&r.Size), "exits": flag(&r.Exits),
		"fields": func(s string) error {
			return pairs(s, func(off, size int) { r.Fields = append(r.Fields, RecordField{off, size}) })
		},
	})
	p.prog.Records = append(p.prog.Records, r)
	return err
}
