package agg_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
)

// The archives are little scripts, one statement a line:
//
//	agg NAME FUNC [PARAM…] [/ TYPE…]   an aggregation; types are int, long, short, char, string
//	add NAME [KEY…] : VALUE…           values, each N, N*INCREMENT or FROM..TO[/STEP]
//	clear NAME, trunc NAME N, normalize NAME N, denormalize NAME
//	order [key] [rev] [keypos=N] [pos=N]
//	printa NAME…                       as printa() without a format does
//	end                                as at the end of a run
func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/agg/*.txtar", map[string]func([]byte) []byte{"text": func(input []byte) []byte {
		s := newScript(t)
		for line := range strings.Lines(string(input)) {
			s.line(strings.TrimSpace(line))
		}
		return s.out.Bytes()
	}})
}

type script struct {
	t      *testing.T
	rand   *rand.Rand
	aggs   []*check.Agg
	keys   []lower.KeyLayout
	totals *agg.Totals
	order  agg.Order
	out    bytes.Buffer
	text   *text.Printer
}

func newScript(t *testing.T) *script {
	s := &script{t: t, rand: rand.New(rand.NewPCG(7, 8))}
	s.text = text.New(&s.out, &s.out, text.Options{Quiet: true})
	return s
}

func (s *script) line(line string) {
	f := strings.Fields(line)
	if len(f) == 0 {
		return
	}
	if f[0] != "agg" && s.totals == nil {
		s.totals = agg.NewTotals(s.keys, 0)
	}
	switch f[0] {
	case "agg":
		s.declare(f[1:])
	case "add":
		s.add(f[1:])
	case "clear":
		s.totals.Clear(s.index(f[1]))
	case "trunc":
		s.totals.Trunc(s.index(f[1]), s.int(f[2]))
	case "normalize":
		s.totals.Normalize(s.index(f[1]), uint64(s.int(f[2])))
	case "denormalize":
		s.totals.Denormalize(s.index(f[1]))
	case "order":
		s.setOrder(f[1:])
	case "printa":
		var list []int
		for _, name := range f[1:] {
			list = append(list, s.index(name))
		}
		item := trace.Item{Kind: trace.TablesItem, Rare: &trace.Rare{Tables: s.totals.Printa(list, s.order), Names: f[1:]}}
		s.text.Events([]trace.Event{{Items: []trace.Item{item}}})
	case "end":
		s.text.End(s.totals.Tables(s.order))
	default:
		s.t.Fatalf("unknown statement %q", line)
	}
}

func (s *script) int(text string) int64 {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *script) index(name string) int {
	for i, a := range s.aggs {
		if a.Name == name {
			return i
		}
	}
	s.t.Fatalf("no aggregation %s", name)
	return 0
}

var keyTypes = map[string]types.Type{
	"int": types.IntType, "long": types.Long, "short": types.Short, "char": types.Char, "string": types.StrType,
}

const strSize = 24

func (s *script) declare(f []string) {
	a := &check.Agg{Index: len(s.aggs), Name: f[0], Func: f[1]}
	layout := lower.KeyLayout{Agg: a}
	off, inTypes := 0, false
	for _, word := range f[2:] {
		switch {
		case word == "/":
			inTypes = true
		case !inTypes:
			a.Params = append(a.Params, s.int(word))
		default:
			typ := keyTypes[word]
			a.Keys = append(a.Keys, check.AggKey{Type: typ})
			d := lower.Datum{Off: off, Size: max(typ.Size(), 1), Type: typ}
			if word == "string" {
				d.Size, d.Enc = strSize, lower.EncString
			}
			layout.Data = append(layout.Data, d)
			off += (d.Size + 7) &^ 7
		}
	}
	s.aggs = append(s.aggs, a)
	s.keys = append(s.keys, layout)
}

// add spreads values over the cells of a few CPUs.
func (s *script) add(f []string) {
	i := s.index(f[0])
	a, layout := s.aggs[i], s.keys[i]
	key := make([]byte, 8*16)
	n := 1
	for _, d := range layout.Data {
		if d.Enc == lower.EncString {
			copy(key[d.Off:], strings.Trim(f[n], `"`))
		} else {
			v := s.int(f[n])
			for j := range d.Size {
				key[d.Off+j] = byte(v >> (8 * j))
			}
		}
		n++
	}
	if f[n] != ":" {
		s.t.Fatalf("%s has %d keys: %v", a.Name, len(layout.Data), f)
	}
	words := agg.Words(a.Func, a.Params)
	cells := make([]uint64, 3*words)
	fn, _ := agg.Func(a.Func)
	for _, word := range f[n+1:] {
		for _, v := range s.values(word) {
			at := s.rand.IntN(3) * words
			agg.Count(fn, a.Params, cells[at:at+words], v[0], v[1])
		}
	}
	if ok, err := s.totals.Add(i, key, cells, nil); !ok || err != nil {
		s.t.Fatal(ok, err)
	}
}

// values reads N, N*INCREMENT or FROM..TO[/STEP].
func (s *script) values(word string) (list [][2]int64) {
	if from, rest, ok := strings.Cut(word, ".."); ok {
		to, step, stepped := strings.Cut(rest, "/")
		by := int64(1)
		if stepped {
			by = s.int(step)
		}
		for v := s.int(from); v <= s.int(to); v += by {
			list = append(list, [2]int64{v, 1})
		}
		return list
	}
	v, incr, ok := strings.Cut(word, "*")
	if !ok {
		incr = "1"
	}
	return [][2]int64{{s.int(v), s.int(incr)}}
}

func (s *script) setOrder(f []string) {
	s.order = agg.Order{}
	for _, word := range f {
		name, n, _ := strings.Cut(word, "=")
		switch name {
		case "key":
			s.order.Key = true
		case "rev":
			s.order.Rev = true
		case "keypos":
			s.order.KeyPos = int(s.int(n))
		case "pos":
			s.order.Pos = int(s.int(n))
		default:
			panic(fmt.Sprintf("unknown order %s", word))
		}
	}
}
