package structured

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// A node is a value with a name: a text, a number, an object of named values, or
// a list of values whose names are not written.
type node struct {
	kind kind
	name string
	text string // of a number, its digits
	sub  []node
}

// A kind says what a node is.
type kind uint8

const (
	none kind = iota
	textNode
	numberNode
	objectNode
	listNode
)

func str(name, s string) node { return node{kind: textNode, name: name, text: s} }

func number(name string, n int64) node {
	return node{kind: numberNode, name: name, text: strconv.FormatInt(n, 10)}
}

func unsigned(name string, n uint64) node {
	return node{kind: numberNode, name: name, text: strconv.FormatUint(n, 10)}
}

func object(name string, sub ...node) node { return node{kind: objectNode, name: name, sub: sub} }

func list(name string, sub ...node) node { return node{kind: listNode, name: name, sub: sub} }

// firing makes the element of a firing in FreeBSD's schema, or none if its
// clause has actions and all of them print nothing.
func (p *Printer) firing(e *trace.Event) node {
	var out []node
	for i := range e.Items {
		out = append(out, output(&e.Items[i])...)
	}
	if len(out) == 0 && len(e.Items) > 0 {
		return node{}
	}
	n := p.head(e.CPU, e.Probe)
	if e.Host != "" {
		n = append(n, str("host", e.Host))
	}
	return object("probes", append(n, list("output", out...))...)
}

// head is what every element begins with.
func (p *Printer) head(cpu int, probe trace.Probe) []node {
	return []node{
		number("timestamp", p.o.Now().UnixNano()), number("cpu", int64(cpu)), unsigned("id", uint64(probe.ID)),
		str("provider", probe.Provider), str("module", probe.Module),
		str("function", probe.Function), str("name", probe.Name),
	}
}

// pseudo is the head of an element that no probe of the script stands behind.
func (p *Printer) pseudo(name string) []node {
	n := p.head(-1, trace.Probe{Provider: "dtrace", Module: "INTERNAL", Function: "INTERNAL", Name: name})
	n[2] = number("id", -1)
	return n
}

func (p *Printer) drop(e *trace.Event) node {
	d := e.Drop
	return object("probes", append(p.pseudo("DROP"),
		unsigned("count", d.Count), unsigned("total", p.total(d)), number("kind", int64(d.Kind)),
		str("msg", text.Drop(d)+"\n"))...)
}

// total counts all drops of a kind on a CPU up to and with d.
func (p *Printer) total(d trace.Drop) uint64 {
	k := dropKey{d.Kind, d.CPU}
	p.drops[k] += d.Count
	return p.drops[k]
}

func (p *Printer) fault(e *trace.Event) node {
	n := append(p.pseudo("ERROR"), faultFields(e)...)
	return object("probes", append(n, str("msg", text.Fault(e)+"\n"))...)
}

// faultFields are the particulars of a fault, which both schemas tell.
func faultFields(e *trace.Event) []node {
	f := &e.Fault
	n := []node{
		unsigned("epid", uint64(f.EPID)), number("action", int64(f.Action)), number("line", int64(f.Line)),
		number("fault", int64(f.Kind)), str("reason", f.Kind.String()), address("address", f.Addr),
	}
	if f.File != "" {
		n = append(n, own("file", f.File))
	}
	return n
}

func address(name string, a uint64) node { return str(name, "0x"+strconv.FormatUint(a, 16)) }

// output makes what one action printed: of a printf(), its text and then each of
// its arguments.
func output(it *trace.Item) []node {
	switch it.Kind {
	case trace.ValueItem:
		return []node{object("", value("value", &it.Value))}
	case trace.PrintfItem:
		out := []node{object("", str("message", it.Text))}
		for i := range it.Rest().Args {
			out = append(out, object("", value("value", &it.Rest().Args[i])))
		}
		return out
	case trace.PrintaItem:
		return append([]node{object("", str("message", it.Text))}, tables(it.Rest().Tables)...)
	case trace.TablesItem:
		return tables(it.Rest().Tables)
	case trace.StackItem:
		return []node{object("", frames(&it.Value))}
	case trace.SymItem:
		return []node{object("", symbol(it)...)}
	case trace.BytesItem:
		return []node{object("", str("tracemem", hex.EncodeToString([]byte(it.Value.Str))))}
	}
	return effect(it)
}

// effect makes what an action did beside printing a value.
func effect(it *trace.Item) []node {
	switch it.Kind {
	case trace.PrintItem:
		return []node{object("", str("print", it.Text))}
	case trace.SystemItem:
		return []node{object("", str("system", it.Text), str("output", it.Rest().Output))}
	case trace.FreopenItem:
		return []node{object("", str("freopen", it.Text))}
	case trace.FtruncateItem:
		return []node{object("", str("ftruncate", ""))}
	case trace.WarnItem:
		return []node{object("", str("warning", it.Text))}
	case trace.PcapItem:
		if it.Rest().Packet != nil {
			return []node{object("", str("pcap", hex.EncodeToString([]byte(it.Rest().Packet.Data))),
				unsigned("length", uint64(it.Rest().Packet.Length)))}
		}
	}
	return nil
}

func tables(list []trace.Table) []node {
	var out []node
	for i := range list {
		out = append(out, object("", table(&list[i])...))
	}
	return out
}

// table makes an aggregation of FreeBSD's schema.
func table(t *trace.Table) []node {
	var rows []node
	for i := range t.Rows {
		r := &t.Rows[i]
		rows = append(rows, object("", keys(r), result(t, r)))
	}
	return []node{list("aggregation-data", rows...), str("aggregation-name", t.Name)}
}

func keys(r *trace.Row) node {
	var out []node
	for i := range r.Keys {
		out = append(out, value("key", &r.Keys[i]))
	}
	return list("keys", out...)
}

// result is the value of a row under the name of its function, or its buckets.
func result(t *trace.Table, r *trace.Row) node {
	if !t.Func.IsHistogram() {
		return shown(t.Func.String(), t, r)
	}
	var out []node
	for _, b := range r.Buckets {
		out = append(out, object("", label("value", b.Label), number("count", spell.Bucketed(b.Count, t.Normal))))
	}
	return list("buckets", out...)
}

func shown(name string, t *trace.Table, r *trace.Row) node {
	n := spell.Shown(t, r)
	if t.Func == trace.Stddev {
		return unsigned(name, uint64(n))
	}
	return number(name, n)
}

// label is what stands before a bucket: a number, but for "< 0" and its like.
func label(name, s string) node {
	if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		return node{kind: numberNode, name: name, text: s}
	}
	return str(name, s)
}

// value makes a traced value.
func value(name string, v *trace.Value) node {
	switch v.Kind {
	case trace.IntValue:
		return number(name, v.Int)
	case trace.UintValue:
		return unsigned(name, uint64(v.Int))
	case trace.BytesValue:
		return str(name, hex.EncodeToString([]byte(v.Str)))
	case trace.StackValue, trace.UstackValue:
		return object(name, frames(v))
	}
	return str(name, v.Str)
}

// frames makes a stack, innermost frame first.
func frames(v *trace.Value) node {
	name := "stack-frames"
	if v.Kind == trace.UstackValue {
		name = "ustack-frames"
	}
	var out []node
	for _, f := range v.Frames {
		out = append(out, object("", append([]node{str("symbol", f.String())}, place(f)...)...))
	}
	return list(name, out...)
}

// place tells where an address lies, as far as it is known.
func place(f trace.Frame) []node {
	var out []node
	if f.Module != "" {
		out = append(out, str("module", f.Module))
	}
	if f.Symbol == "" {
		return append(out, address("offset", f.Addr))
	}
	out = append(out, str("name", f.Symbol))
	if f.Script && f.Offset != 0 {
		return append(out, number("line", int64(f.Offset)))
	}
	if f.Offset != 0 {
		out = append(out, address("offset", f.Offset))
	}
	return out
}

// symbol makes what sym() and its like print, under the name of the action.
func symbol(it *trace.Item) []node {
	name := it.Text
	if name == "" {
		name = "sym"
	}
	out := []node{str(name, it.Value.Str)}
	if name != "sym" && name != "usym" || len(it.Value.Frames) == 0 {
		return out
	}
	for _, n := range place(it.Value.Frames[0]) {
		if n.name == "module" {
			n.name = "object"
		}
		out = append(out, n)
	}
	return out
}

// spelled returns s as valid UTF-8, with the bytes that are not spelled.
func spelled(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b []byte
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			const digits = "0123456789abcdef"
			b = append(b, '\\', 'x', digits[s[i]>>4], digits[s[i]&15])
		} else {
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return string(b)
}
