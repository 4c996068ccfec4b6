package replay

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"time"
	"unicode/utf8"

	"dscope.dev/engine/trace"
)

// A record is one line of a recording after the first. Exactly one of its
// parts is set, beside At.
type record struct {
	Providers []wireProvider `json:"providers,omitempty"`
	Probes    []wireProbe    `json:"probes,omitempty"`
	Info      *wireInfo      `json:"info,omitempty"`
	Run       *wireRun       `json:"run,omitempty"`
	Origins   [][]wireOrigin `json:"origins,omitempty"` // of aggregations that follow, which give their numbers
	At        int64          `json:"at,omitempty"`      // ns since the run began
	Snapshot  *wireSnapshot  `json:"snap,omitempty"`
	Events    []wireEvent    `json:"events,omitempty"`
	Status    *wireStatus    `json:"status,omitempty"`
	End       bool           `json:"end,omitempty"` // the run ended here
}

// text is a string that need not be UTF-8: what a traced process held. As
// JSON it is a string, or {"b": base64} where a string would lose bytes.
type text string

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(map[string]string{"b": base64.StdEncoding.EncodeToString([]byte(t))})
}

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var bin struct {
			B []byte `json:"b"`
		}
		if err := json.Unmarshal(b, &bin); err != nil {
			return err
		}
		*t = text(bin.B)
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*t = text(s)
	return nil
}

// moment is a time as nanoseconds since 1970; 0 is the zero time.
type moment int64

func wireTime(t time.Time) moment {
	if t.IsZero() {
		return 0
	}
	return moment(t.UnixNano())
}

func (m moment) time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(m))
}

type (
	wireProvider struct {
		Name        text `json:"n"`
		Help        text `json:"h,omitempty"`
		Unavailable text `json:"u,omitempty"`
		Processes   bool `json:"p,omitempty"`
	}
	wireProbe struct {
		ID       uint32 `json:"i,omitempty"`
		Provider text   `json:"p,omitempty"`
		Module   text   `json:"m,omitempty"`
		Function text   `json:"f,omitempty"`
		Name     text   `json:"n,omitempty"`
	}
	wireArg struct {
		Name text `json:"n,omitempty"`
		Type text `json:"t,omitempty"`
	}
	wireInfo struct {
		Probe       wireProbe `json:"p"`
		Args        []wireArg `json:"a,omitempty"`
		Help        text      `json:"h,omitempty"`
		Hook        text      `json:"k,omitempty"`
		Unavailable text      `json:"u,omitempty"`
	}
	wireRun struct {
		Script text   `json:"script"`
		Start  moment `json:"start"`
	}
	wireFrame struct {
		Addr   uint64 `json:"a,omitempty"`
		Module text   `json:"m,omitempty"`
		Symbol text   `json:"s,omitempty"`
		Offset uint64 `json:"o,omitempty"`
		Raw    bool   `json:"r,omitempty"`
		Inline bool   `json:"i,omitempty"`
		Script bool   `json:"y,omitempty"`
	}
	wireValue struct {
		Kind   uint8       `json:"k,omitempty"`
		Size   uint8       `json:"z,omitempty"`
		Int    int64       `json:"i,omitempty"`
		Str    text        `json:"s,omitempty"`
		Frames []wireFrame `json:"f,omitempty"`
	}
	wireBucket struct {
		Label text  `json:"t,omitempty"`
		Low   int64 `json:"l,omitempty"`
		High  int64 `json:"h,omitempty"`
		Count int64 `json:"c,omitempty"`
	}
	wireRow struct {
		ID      text         `json:"id,omitempty"`
		Keys    []wireValue  `json:"k,omitempty"`
		Value   int64        `json:"v,omitempty"`
		Count   uint64       `json:"c,omitempty"`
		Buckets []wireBucket `json:"b,omitempty"`
		PerCPU  []wireShare  `json:"p,omitempty"`
	}
	wireShare struct {
		CPU     int          `json:"c,omitempty"`
		Value   int64        `json:"v,omitempty"`
		Buckets []wireBucket `json:"b,omitempty"`
	}
	wireTable struct {
		Name     text      `json:"n,omitempty"`
		Func     uint8     `json:"f,omitempty"`
		KeyTypes []text    `json:"t,omitempty"`
		Params   []int64   `json:"p,omitempty"`
		Normal   uint64    `json:"d,omitempty"`
		ByKey    bool      `json:"sk,omitempty"`
		KeyPos   int       `json:"sp,omitempty"`
		Rev      bool      `json:"sr,omitempty"`
		Rows     []wireRow `json:"r,omitempty"`
		Origins  int       `json:"o,omitempty"` // number of the list among those told of before, from 1
	}
	wireSnapshot struct {
		Seq      uint64        `json:"q,omitempty"`
		Time     moment        `json:"t,omitempty"`
		Elapsed  int64         `json:"e,omitempty"`
		Drops    uint64        `json:"d,omitempty"`
		Aggs     []wireTable   `json:"a,omitempty"`
		Examples *wireExamples `json:"x,omitempty"`
	}
	wireItem struct {
		Kind   uint8       `json:"k,omitempty"`
		Text   text        `json:"t,omitempty"`
		Value  *wireValue  `json:"v,omitempty"`
		Args   []wireValue `json:"g,omitempty"`
		Tables []wireTable `json:"a,omitempty"`
		Names  []text      `json:"n,omitempty"`
		Output text        `json:"o,omitempty"`
		Packet *wirePacket `json:"p,omitempty"`
	}
	wirePacket struct {
		Time   moment `json:"t,omitempty"`
		Proto  uint32 `json:"p,omitempty"`
		Length uint32 `json:"n,omitempty"`
		Data   text   `json:"d,omitempty"`
	}
	wireDrop struct {
		Kind  uint8  `json:"k,omitempty"`
		CPU   int    `json:"c,omitempty"`
		Count uint64 `json:"n,omitempty"`
		Where text   `json:"w,omitempty"`
		Cure  text   `json:"f,omitempty"`
	}
	wireFault struct {
		Kind   uint8  `json:"k,omitempty"`
		Addr   uint64 `json:"a,omitempty"`
		EPID   uint32 `json:"e,omitempty"`
		Action int    `json:"n,omitempty"`
		Line   int    `json:"l,omitempty"`
		PC     int    `json:"p,omitempty"`
		File   text   `json:"f,omitempty"`
	}
	wireEvent struct {
		Kind   uint8      `json:"k,omitempty"`
		Time   moment     `json:"t,omitempty"`
		CPU    int        `json:"c,omitempty"`
		Probe  *wireProbe `json:"p,omitempty"`
		Clause uint32     `json:"l,omitempty"`
		Items  []wireItem `json:"i,omitempty"`
		Drop   *wireDrop  `json:"d,omitempty"`
		Fault  *wireFault `json:"f,omitempty"`
		Exit   int        `json:"x,omitempty"`
	}
	wireStatus struct {
		State   uint8      `json:"s,omitempty"`
		Elapsed int64      `json:"e,omitempty"`
		Events  uint64     `json:"n,omitempty"`
		Rate    float64    `json:"r,omitempty"`
		Probes  int        `json:"p,omitempty"`
		Drops   []wireDrop `json:"d,omitempty"`
		Exit    int        `json:"x,omitempty"`
		Exited  bool       `json:"xd,omitempty"`
		Err     text       `json:"err,omitempty"`
		Hooks   []text     `json:"h,omitempty"`
		Missing []text     `json:"m,omitempty"`
		Cost    *wireCost  `json:"c,omitempty"`
		Dear    *wireDear  `json:"a,omitempty"`
		Before  *wireGuess `json:"b,omitempty"`
	}
	wireGuess struct {
		Cost  *wireCost `json:"c,omitempty"`
		CPUs  int       `json:"n,omitempty"`
		Least bool      `json:"a,omitempty"`
		Limit float64   `json:"l,omitempty"`
	}
	wireDear struct {
		Share float64 `json:"s,omitempty"`
		Limit float64 `json:"l,omitempty"`
	}
	wireCost struct {
		Window  int64            `json:"w,omitempty"`
		Share   float64          `json:"s,omitempty"`
		Hits    float64          `json:"h,omitempty"`
		Clauses []wireClauseCost `json:"c,omitempty"`
	}
	wireClauseCost struct {
		Clause uint32  `json:"c,omitempty"`
		Hits   float64 `json:"h,omitempty"`
		Nanos  float64 `json:"n,omitempty"`
		Share  float64 `json:"s,omitempty"`
	}
)

// each converts a slice; an empty one stays nil, as JSON leaves it out.
func each[A, B any](list []A, f func(A) B) []B {
	if len(list) == 0 {
		return nil
	}
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

func toText(s string) text   { return text(s) }
func fromText(t text) string { return string(t) }
func fromFrame(f wireFrame) trace.Frame {
	return trace.Frame{Addr: f.Addr, Module: string(f.Module), Symbol: string(f.Symbol), Offset: f.Offset, Raw: f.Raw, Inlined: f.Inline, Script: f.Script}
}

func toFrame(f trace.Frame) wireFrame {
	return wireFrame{f.Addr, text(f.Module), text(f.Symbol), f.Offset, f.Raw, f.Inlined, f.Script}
}

func toProbe(p trace.Probe) wireProbe {
	return wireProbe{p.ID, text(p.Provider), text(p.Module), text(p.Function), text(p.Name)}
}

func (p wireProbe) probe() trace.Probe {
	return trace.Probe{ID: p.ID, Provider: string(p.Provider), Module: string(p.Module), Function: string(p.Function), Name: string(p.Name)}
}

func toInfo(i trace.ProbeInfo) wireInfo {
	return wireInfo{
		Probe: toProbe(i.Probe), Help: text(i.Help), Hook: text(i.Hook), Unavailable: text(i.Unavailable),
		Args: each(i.Args, func(a trace.Arg) wireArg { return wireArg{text(a.Name), text(a.Type)} }),
	}
}

func (i wireInfo) info() trace.ProbeInfo {
	return trace.ProbeInfo{
		Probe: i.Probe.probe(), Help: string(i.Help), Hook: string(i.Hook), Unavailable: string(i.Unavailable),
		Args: each(i.Args, func(a wireArg) trace.Arg { return trace.Arg{Name: string(a.Name), Type: string(a.Type)} }),
	}
}

func toValue(v trace.Value) wireValue {
	return wireValue{uint8(v.Kind), v.Size, v.Int, text(v.Str), each(v.Frames, toFrame)}
}

func (v wireValue) value() trace.Value {
	return trace.Value{Kind: trace.ValueKind(v.Kind), Size: v.Size, Int: v.Int, Str: string(v.Str), Frames: each(v.Frames, fromFrame)}
}

func toTable(t trace.Table) wireTable {
	return wireTable{
		Name: text(t.Name), Func: uint8(t.Func), KeyTypes: each(t.KeyTypes, toText), Params: t.Params, Normal: t.Normal,
		ByKey: t.Sorted.ByKey, KeyPos: t.Sorted.KeyPos, Rev: t.Sorted.Rev,
		Rows: each(t.Rows, func(r trace.Row) wireRow {
			return wireRow{text(r.ID), each(r.Keys, toValue), r.Value, r.Count, each(r.Buckets, toBucket),
				each(r.PerCPU, func(s trace.Share) wireShare { return wireShare{s.CPU, s.Value, each(s.Buckets, toBucket)} })}
		}),
	}
}

func toBucket(b trace.Bucket) wireBucket { return wireBucket{text(b.Label), b.Low, b.High, b.Count} }

func (b wireBucket) bucket() trace.Bucket {
	return trace.Bucket{Label: string(b.Label), Low: b.Low, High: b.High, Count: b.Count}
}

func (s wireShare) share() trace.Share {
	return trace.Share{CPU: s.CPU, Value: s.Value, Buckets: each(s.Buckets, wireBucket.bucket)}
}

func (t wireTable) table() trace.Table {
	return trace.Table{
		Name: string(t.Name), Func: trace.AggFunc(t.Func), KeyTypes: each(t.KeyTypes, fromText), Params: t.Params, Normal: t.Normal,
		Sorted: trace.Sorted{ByKey: t.ByKey, KeyPos: t.KeyPos, Rev: t.Rev},
		Rows: each(t.Rows, func(r wireRow) trace.Row {
			return trace.Row{ID: string(r.ID), Keys: each(r.Keys, wireValue.value), Value: r.Value, Count: r.Count,
				Buckets: each(r.Buckets, wireBucket.bucket), PerCPU: each(r.PerCPU, wireShare.share)}
		}),
	}
}

func toSnapshot(s trace.Snapshot) *wireSnapshot {
	return &wireSnapshot{s.Seq, wireTime(s.Time), int64(s.Elapsed), s.Drops, each(s.Aggs, toTable), toExamples(s.Examples)}
}

func (s *wireSnapshot) snapshot() trace.Snapshot {
	return trace.Snapshot{
		Seq: s.Seq, Time: s.Time.time(), Elapsed: time.Duration(s.Elapsed), Drops: s.Drops,
		Aggs: each(s.Aggs, wireTable.table), Examples: s.Examples.examples(),
	}
}

func toDrop(d trace.Drop) wireDrop {
	return wireDrop{uint8(d.Kind), d.CPU, d.Count, text(d.Where), text(d.Cure)}
}

func (d wireDrop) drop() trace.Drop {
	return trace.Drop{Kind: trace.DropKind(d.Kind), CPU: d.CPU, Count: d.Count, Where: string(d.Where), Cure: string(d.Cure)}
}

func toItem(it trace.Item) wireItem {
	rare := it.Rest()
	w := wireItem{Kind: uint8(it.Kind), Text: text(it.Text), Args: each(rare.Args, toValue), Tables: each(rare.Tables, toTable), Names: each(rare.Names, toText), Output: text(rare.Output)}
	if p := rare.Packet; p != nil {
		w.Packet = &wirePacket{wireTime(p.Time), p.Proto, p.Length, text(p.Data)}
	}
	if v := toValue(it.Value); v.Kind != 0 || v.Size != 0 || v.Int != 0 || v.Str != "" || v.Frames != nil {
		w.Value = &v
	}
	return w
}

func (it wireItem) item() trace.Item {
	out := trace.Item{Kind: trace.ItemKind(it.Kind), Text: string(it.Text)}
	rare := trace.Rare{
		Args: each(it.Args, wireValue.value), Tables: each(it.Tables, wireTable.table), Names: each(it.Names, fromText), Output: string(it.Output),
	}
	if p := it.Packet; p != nil {
		rare.Packet = &trace.Packet{Time: p.Time.time(), Proto: p.Proto, Length: p.Length, Data: string(p.Data)}
	}
	if rare.Args != nil || rare.Tables != nil || rare.Output != "" || rare.Packet != nil || rare.Names != nil {
		out.Rare = &rare
	}
	if it.Value != nil {
		out.Value = it.Value.value()
	}
	return out
}

func toEvent(e trace.Event) wireEvent {
	w := wireEvent{Kind: uint8(e.Kind), Time: wireTime(e.Time), CPU: e.CPU, Clause: e.Clause, Items: each(e.Items, toItem), Exit: e.Exit}
	if e.Probe != (trace.Probe{}) {
		p := toProbe(e.Probe)
		w.Probe = &p
	}
	if e.Drop != (trace.Drop{}) {
		d := toDrop(e.Drop)
		w.Drop = &d
	}
	if f := e.Fault; f != (trace.Fault{}) {
		w.Fault = &wireFault{uint8(f.Kind), f.Addr, f.EPID, f.Action, f.Line, f.PC, text(f.File)}
	}
	return w
}

func (e wireEvent) event() trace.Event {
	out := trace.Event{
		Kind: trace.EventKind(e.Kind), Time: e.Time.time(), CPU: e.CPU, Clause: e.Clause,
		Items: each(e.Items, wireItem.item), Exit: e.Exit,
	}
	if e.Probe != nil {
		out.Probe = e.Probe.probe()
	}
	if e.Drop != nil {
		out.Drop = e.Drop.drop()
	}
	if f := e.Fault; f != nil {
		out.Fault = trace.Fault{Kind: trace.FaultKind(f.Kind), Addr: f.Addr, EPID: f.EPID, Action: f.Action, Line: f.Line, PC: f.PC, File: string(f.File)}
	}
	return out
}

func toStatus(s trace.Status) *wireStatus {
	w := &wireStatus{
		State: uint8(s.State), Elapsed: int64(s.Elapsed), Events: s.Events, Rate: s.Rate, Probes: s.Probes,
		Drops: each(s.Drops, toDrop), Exit: s.Exit, Exited: s.Exited, Hooks: each(s.Hooks, toText), Missing: each(s.Missing, toText),
	}
	if math.IsNaN(w.Rate) || math.IsInf(w.Rate, 0) {
		w.Rate = 0 // JSON has no such number
	}
	if s.Err != nil {
		w.Err = text(s.Err.Error())
		if dear := (*trace.DearError)(nil); errors.As(s.Err, &dear) {
			w.Dear = (*wireDear)(dear)
		}
	}
	if s.Cost.Window != 0 {
		w.Cost = toCost(s.Cost)
	}
	if b := s.Before; b.Cost.Window != 0 {
		w.Before = &wireGuess{toCost(b.Cost), b.CPUs, b.Least, b.Limit}
	}
	return w
}

func toCost(c trace.Cost) *wireCost {
	return &wireCost{int64(c.Window), c.Share, c.Hits, each(c.Clauses, func(k trace.ClauseCost) wireClauseCost { return wireClauseCost(k) })}
}

func (c *wireCost) cost() trace.Cost {
	if c == nil {
		return trace.Cost{}
	}
	return trace.Cost{Window: time.Duration(c.Window), Share: c.Share, Hits: c.Hits, Clauses: each(c.Clauses, func(k wireClauseCost) trace.ClauseCost { return trace.ClauseCost(k) })}
}

func (s *wireStatus) status() trace.Status {
	out := trace.Status{
		State: trace.State(s.State), Elapsed: time.Duration(s.Elapsed), Events: s.Events, Rate: s.Rate, Probes: s.Probes,
		Drops: each(s.Drops, wireDrop.drop), Exit: s.Exit, Exited: s.Exited, Hooks: each(s.Hooks, fromText), Missing: each(s.Missing, fromText),
	}
	if s.Err != "" {
		out.Err = errors.New(string(s.Err))
		if s.Dear != nil {
			out.Err = (*trace.DearError)(s.Dear)
		}
	}
	out.Cost = s.Cost.cost()
	if b := s.Before; b != nil {
		out.Before = trace.Estimate{Cost: b.Cost.cost(), CPUs: b.CPUs, Least: b.Least, Limit: b.Limit}
	}
	return out
}
