package structured

import (
	"encoding/base64"
	"time"
	"unicode/utf8"

	"dscope.dev/engine/text"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/trace/spell"
)

// lineOf makes the object of an event in our own schema.
func lineOf(e *trace.Event) node {
	probe := []node{
		stamp(e.Time), number("cpu", int64(e.CPU)), unsigned("id", uint64(e.Probe.ID)),
		own("provider", e.Probe.Provider), own("module", e.Probe.Module),
		own("function", e.Probe.Function), own("name", e.Probe.Name), unsigned("clause", uint64(e.Clause)),
	}
	if e.Host != "" {
		probe = append([]node{own("host", e.Host)}, probe...)
	}
	switch e.Kind {
	case trace.DropEvent:
		d := e.Drop
		n := []node{str("type", "drop")}
		if e.Host != "" {
			n = append(n, own("host", e.Host))
		}
		n = append(n, stamp(e.Time), number("cpu", int64(d.CPU)), str("kind", spell.DropTag(d.Kind)),
			unsigned("count", d.Count))
		if d.Where != "" {
			n = append(n, own("where", d.Where))
		}
		return object("", append(n, own("message", text.Drop(d)))...)
	case trace.FaultEvent:
		n := append([]node{str("type", "error")}, probe...)
		return object("", append(append(n, faultFields(e)...), own("message", text.Fault(e)))...)
	case trace.NoticeEvent:
		return object("", str("type", "notice"), stamp(e.Time), own("message", e.Notice()))
	case trace.ExitEvent:
		return object("", str("type", "exit"), stamp(e.Time), number("status", int64(e.Exit)))
	}
	var out []node
	for i := range e.Items {
		out = append(out, ownOutput(&e.Items[i])...)
	}
	return object("", append(append([]node{str("type", "event")}, probe...), list("output", out...))...)
}

// ownOutput makes what one action printed. A printf() and its arguments are one
// object here, and so are all aggregations of a printa().
func ownOutput(it *trace.Item) []node {
	switch it.Kind {
	case trace.PrintfItem:
		var args []node
		for i := range it.Rest().Args {
			args = append(args, ownValue("", &it.Rest().Args[i]))
		}
		return []node{object("", own("message", it.Text), list("args", args...))}
	case trace.PrintaItem:
		return []node{object("", own("message", it.Text), list("aggregations", ownTables(it.Rest().Tables)...))}
	case trace.TablesItem:
		return []node{object("", list("aggregations", ownTables(it.Rest().Tables)...))}
	case trace.ValueItem:
		return []node{object("", ownValue("value", &it.Value))}
	case trace.BytesItem:
		return []node{object("", ownValue("bytes", &it.Value))}
	case trace.PcapItem:
		if p := it.Rest().Packet; p != nil {
			return []node{object("", object("packet", base64Of(p.Data)), stamp(p.Time),
				unsigned("link", uint64(p.Proto)), unsigned("length", uint64(p.Length)))}
		}
	case trace.SystemItem:
		return []node{object("", own("system", it.Text), own("output", it.Rest().Output))}
	}
	return output(it)
}

func ownTables(list []trace.Table) []node {
	var out []node
	for i := range list {
		out = append(out, object("", ownTable(&list[i])...))
	}
	return out
}

// ownTable makes an aggregation: every row with its keys, and either a value or
// buckets with the bounds of each.
func ownTable(t *trace.Table) []node {
	var types, rows []node
	for _, s := range t.KeyTypes {
		types = append(types, own("", s))
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		var key []node
		for k := range r.Keys {
			key = append(key, ownValue("", &r.Keys[k]))
		}
		row := []node{list("keys", key...)}
		if t.Func.IsHistogram() {
			row = append(row, ownBuckets(r))
		} else {
			row = append(row, shown("value", t, r))
		}
		if r.Count > 0 && t.Func != trace.Count {
			row = append(row, unsigned("count", r.Count))
		}
		rows = append(rows, object("", row...))
	}
	out := []node{own("name", t.Name), str("function", t.Func.String()), list("types", types...)}
	if len(t.Origins) > 0 {
		out = append(out, list("origins", origins(t.Origins)...))
	}
	return append(out, unsigned("normal", max(t.Normal, 1)), list("data", rows...))
}

// origins makes the places of the script that fill an aggregation.
func origins(places []trace.Origin) []node {
	var out []node
	for i := range places {
		o := &places[i]
		var keys []node
		for _, k := range o.Keys {
			keys = append(keys, own("", k))
		}
		n := []node{unsigned("clause", uint64(o.Clause)), number("line", int64(o.Line)), list("keys", keys...)}
		if o.File != "" {
			n = append(n, own("file", o.File))
		}
		if o.Arg != "" {
			n = append(n, own("argument", o.Arg))
		}
		out = append(out, object("", n...))
	}
	return out
}

// ownBuckets makes the buckets of a histogram; what normalize() divides by is for
// the reader to apply.
func ownBuckets(r *trace.Row) node {
	var out []node
	for _, b := range r.Buckets {
		out = append(out, object("", number("low", b.Low), number("high", b.High), number("count", b.Count)))
	}
	return list("buckets", out...)
}

// ownValue makes a traced value. Nothing of it is lost: bytes that no text could
// hold are in base 64.
func ownValue(name string, v *trace.Value) node {
	switch v.Kind {
	case trace.BytesValue:
		return object(name, base64Of(v.Str))
	case trace.StringValue, trace.SymValue:
		return own(name, v.Str)
	}
	return value(name, v)
}

// own makes a text, or its bytes if it is none.
func own(name, s string) node {
	if utf8.ValidString(s) {
		return str(name, s)
	}
	return object(name, base64Of(s))
}

func base64Of(s string) node { return str("base64", base64.StdEncoding.EncodeToString([]byte(s))) }

func stamp(t time.Time) node { return number("time", t.UnixNano()) }

// endOf makes the last object: how the run ended.
func endOf(s trace.Status) node {
	n := []node{str("type", "end"), str("state", s.State.String()), number("elapsed", int64(s.Elapsed)),
		unsigned("events", s.Events), number("probes", int64(s.Probes)), number("exit", int64(s.Exit))}
	if s.Err != nil {
		n = append(n, own("error", s.Err.Error()))
	}
	return object("", n...)
}
