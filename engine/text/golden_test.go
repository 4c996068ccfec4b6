package text_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"dscope.dev/dlang/golden"
	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// The archives are runs, one statement a line; strings are quoted as in Go:
//
//	options [quiet] [terminal] [testing] [flowindent] [rawbytes] [tags] [reverse] [stackindent=N]
//	event CPU ID PROVIDER:MODULE:FUNCTION:NAME [CLAUSE]
//	  int SIZE N, uint SIZE N, string S, bytes S, printf S, stack FRAME…, sym S, tracemem S, setopt S
//	drop KIND COUNT CPU [WHERE]
//	fault KIND ADDR ACTION LINE      of the probe of the last event
//	table NAME FUNC NORMAL           the items of a printa, or what is left for the end
//	  row VALUE KEY…                 keys are N, S or stack:FRAME,FRAME
//	printa NAME…                     an item of the last event
//	break, end
func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/text/*.txtar", map[string]func([]byte) []byte{
		"stdout": func(in []byte) []byte { return play(t, in).out.Bytes() },
		"stderr": func(in []byte) []byte { return play(t, in).errs.Bytes() },
		"both": func(in []byte) []byte {
			return play(t, in).both.Bytes()
		},
	})
}

type player struct {
	t       *testing.T
	out     bytes.Buffer
	errs    bytes.Buffer
	both    bytes.Buffer
	o       text.Options
	p       *text.Printer
	pending []trace.Event
	tables  []trace.Table
}

// tee writes to a stream of its own and to the one of both.
type tee struct{ one, both *bytes.Buffer }

func (w tee) Write(b []byte) (int, error) {
	w.one.Write(b)
	return w.both.Write(b)
}

func play(t *testing.T, input []byte) *player {
	p := &player{t: t}
	for line := range strings.Lines(string(input)) {
		p.line(strings.TrimSpace(line))
	}
	p.flush()
	return p
}

func (p *player) printer() *text.Printer {
	if p.p == nil {
		p.p = text.New(tee{&p.out, &p.both}, tee{&p.errs, &p.both}, p.o)
	}
	return p.p
}

func (p *player) flush() {
	if err := p.printer().Events(p.pending); err != nil {
		p.t.Fatal(err)
	}
	p.pending = nil
}

func (p *player) line(line string) {
	word, rest, _ := strings.Cut(line, " ")
	f := strings.Fields(rest)
	switch word {
	case "":
	case "options":
		p.options(f)
	case "event":
		p.event(f)
	case "drop":
		p.drop(f)
	case "fault":
		p.fault(f)
	case "table":
		fn := map[string]trace.AggFunc{"count": trace.Count, "sum": trace.Sum, "stddev": trace.Stddev}[f[1]]
		p.tables = append(p.tables, trace.Table{Name: f[0], Func: fn, Normal: uint64(p.int(f[2]))})
	case "row":
		t := &p.tables[len(p.tables)-1]
		t.Rows = append(t.Rows, trace.Row{Value: p.int(f[0]), Keys: p.keys(f[1:])})
	case "break":
		p.flush()
		p.printer().Break()
	case "end":
		p.flush()
		p.printer().End(p.tables)
	default:
		e := &p.pending[len(p.pending)-1]
		e.Items = append(e.Items, p.item(word, rest, f))
	}
}

func (p *player) int(s string) int64 {
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		u, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			p.t.Fatal(err)
		}
		return int64(u)
	}
	return n
}

func (p *player) quoted(s string) string {
	q, err := strconv.Unquote(s)
	if err != nil {
		p.t.Fatalf("%s: %v", s, err)
	}
	return q
}

func (p *player) options(f []string) {
	for _, word := range f {
		name, n, _ := strings.Cut(word, "=")
		switch name {
		case "quiet":
			p.o.Quiet = true
		case "terminal":
			p.o.Terminal = true
		case "testing":
			p.o.Testing = true
		case "flowindent":
			p.o.FlowIndent = true
		case "rawbytes":
			p.o.RawBytes = true
		case "tags":
			p.o.Tags = true
		case "reverse":
			p.o.Reverse = true
		case "stackindent":
			p.o.StackIndent = int(p.int(n))
		default:
			p.t.Fatalf("unknown option %s", word)
		}
	}
}

func (p *player) event(f []string) {
	part := strings.Split(f[2], ":")
	e := trace.Event{CPU: int(p.int(f[0])), Probe: trace.Probe{ID: uint32(p.int(f[1])),
		Provider: part[0], Module: part[1], Function: part[2], Name: part[3]}}
	if len(f) > 3 {
		e.Clause = uint32(p.int(f[3]))
	}
	p.pending = append(p.pending, e)
}

func (p *player) drop(f []string) {
	for k := trace.DropPrincipal; k <= trace.DropReader; k++ {
		words := strings.TrimPrefix(spell.Drop(trace.Drop{Kind: k, CPU: -1, Count: 2}), "2 ")
		if strings.ReplaceAll(words, " ", "-") == f[0] {
			d := trace.Drop{Kind: k, Count: uint64(p.int(f[1])), CPU: int(p.int(f[2]))}
			if len(f) > 3 {
				d.Where = f[3]
			}
			p.pending = append(p.pending, trace.Event{Kind: trace.DropEvent, Drop: d})
			return
		}
	}
	p.t.Fatalf("no drop is called %s", f[0])
}

func (p *player) fault(f []string) {
	e := trace.Event{Kind: trace.FaultEvent}
	if n := len(p.pending); n > 0 {
		e.Probe = p.pending[n-1].Probe
	}
	e.Fault = trace.Fault{Addr: uint64(p.int(f[1])), EPID: 1, Action: int(p.int(f[2])), Line: int(p.int(f[3]))}
	for k := trace.FaultUnknown; k <= trace.FaultBadIndex; k++ {
		if strings.ReplaceAll(k.String(), " ", "-") == f[0] {
			e.Fault.Kind = k
		}
	}
	p.pending = append(p.pending, e)
}

func (p *player) item(word, rest string, f []string) trace.Item {
	switch word {
	case "int":
		return trace.Item{Value: trace.Value{Kind: trace.IntValue, Size: uint8(p.int(f[0])), Int: p.int(f[1])}}
	case "uint":
		return trace.Item{Value: trace.Value{Kind: trace.UintValue, Size: uint8(p.int(f[0])), Int: p.int(f[1])}}
	case "string":
		return trace.Item{Value: trace.Value{Kind: trace.StringValue, Str: p.quoted(rest)}}
	case "bytes":
		return trace.Item{Value: trace.Value{Kind: trace.BytesValue, Str: p.quoted(rest)}}
	case "chars":
		return trace.Item{Value: trace.Value{Kind: trace.BytesValue, Size: 1, Str: p.quoted(rest)}}
	case "printf":
		return trace.Item{Kind: trace.PrintfItem, Text: p.quoted(rest)}
	case "stack":
		return trace.Item{Kind: trace.StackItem, Value: trace.Value{Kind: trace.StackValue, Frames: p.frames(f)}}
	case "sym":
		return trace.Item{Kind: trace.SymItem, Value: trace.Value{Kind: trace.SymValue, Str: p.quoted(rest)}}
	case "tracemem":
		return trace.Item{Kind: trace.BytesItem, Value: trace.Value{Kind: trace.BytesValue, Str: p.quoted(rest)}}
	case "setopt":
		return trace.Item{Kind: trace.SetoptItem, Text: rest}
	case "printa":
		it := trace.Item{Kind: trace.TablesItem, Rare: &trace.Rare{Names: f}}
		for _, name := range f {
			for _, t := range p.tables {
				if t.Name == name {
					it.Rare.Tables = append(it.Rare.Tables, t)
				}
			}
		}
		return it
	}
	p.t.Fatalf("unknown statement %q", word)
	return trace.Item{}
}

// frames reads module`symbol+0x12, or an address.
func (p *player) frames(f []string) (frames []trace.Frame) {
	for _, word := range f {
		if strings.HasPrefix(word, "0x") {
			frames = append(frames, trace.Frame{Addr: uint64(p.int(word))})
			continue
		}
		module, symbol, _ := strings.Cut(word, "`")
		symbol, off, _ := strings.Cut(symbol, "+")
		frame := trace.Frame{Module: module, Symbol: symbol}
		if off != "" {
			frame.Offset = uint64(p.int(off))
		}
		frames = append(frames, frame)
	}
	return frames
}

func (p *player) keys(f []string) (keys []trace.Value) {
	for _, word := range f {
		switch {
		case strings.HasPrefix(word, `"`):
			keys = append(keys, trace.Value{Kind: trace.StringValue, Str: p.quoted(word)})
		case strings.HasPrefix(word, "stack:"):
			keys = append(keys, trace.Value{Kind: trace.StackValue, Frames: p.frames(strings.Split(word[6:], ","))})
		case strings.HasPrefix(word, "bytes:"):
			keys = append(keys, trace.Value{Kind: trace.BytesValue, Str: p.quoted(word[6:])})
		default:
			keys = append(keys, trace.Value{Kind: trace.IntValue, Size: 4, Int: p.int(word)})
		}
	}
	return keys
}
