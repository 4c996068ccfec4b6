package record

import (
	"bytes"
	"encoding/binary"
	"sort"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
	"dscope.dev/engine/agg"
	"dscope.dev/engine/trace"
)

// datum decodes datum i of an action. New has checked that it lies inside the
// record.
func (d *Decoder) datum(data []lower.Datum, i int, probe *trace.Probe, rec []byte) trace.Value {
	if i >= len(data) {
		return trace.Value{Kind: trace.IntValue, Size: 8}
	}
	m := &data[i]
	switch m.Enc {
	case lower.EncString:
		return trace.Value{Kind: trace.StringValue, Str: string(untilZero(rec[m.Off : m.Off+m.Size]))}
	case lower.EncBytes:
		v := trace.Value{Kind: trace.BytesValue, Str: string(rec[m.Off : m.Off+m.Size])}
		if types.IsCharArray(m.Type) {
			v.Size = 1
		}
		return v
	case lower.EncProbe:
		return trace.Value{Kind: trace.StringValue, Str: probePart(probe, m.Off)}
	case lower.EncStack:
		return trace.Value{Kind: trace.StackValue, Frames: d.kernelFrames(rec[m.Off : m.Off+m.Size])}
	case lower.EncUstack:
		pid, frames := d.userFrames(rec[m.Off : m.Off+m.Size])
		return trace.Value{Kind: trace.UstackValue, Int: int64(pid), Frames: frames}
	case lower.EncSym, lower.EncUsym:
		return d.address(check.KeyUaddr, m, rec)
	}
	return agg.Integer(rec[m.Off:m.Off+m.Size], m.Type)
}

// symbol decodes the datum of sym(), usym() and their like.
func (d *Decoder) symbol(a *action, probe *trace.Probe, rec []byte) trace.Value {
	if len(a.Data) == 0 {
		return trace.Value{Kind: trace.SymValue}
	}
	m := &a.Data[0]
	if m.Enc != lower.EncSym && m.Enc != lower.EncUsym {
		return d.datum(a.Data, 0, probe, rec)
	}
	kind := check.KeySym
	if a.Call != nil && a.Call.Fn != nil {
		kind = a.Call.Fn.Key
	}
	return d.address(kind, m, rec)
}

func (d *Decoder) address(kind check.KeyKind, m *lower.Datum, rec []byte) trace.Value {
	b := rec[m.Off : m.Off+m.Size]
	if m.Enc == lower.EncSym && len(b) >= 8 {
		return agg.Symbol(kind, 0, d.c.Names.Kernel(binary.LittleEndian.Uint64(b)))
	}
	if m.Enc == lower.EncUsym && len(b) >= 16 {
		pid := binary.LittleEndian.Uint64(b)
		return agg.Symbol(kind, int64(pid), d.c.Names.User(uint32(pid), binary.LittleEndian.Uint64(b[8:])))
	}
	return trace.Value{Kind: trace.SymValue}
}

// takeAddrs reads addresses until the first that is zero.
func (d *Decoder) takeAddrs(b []byte) {
	d.addrs = d.addrs[:0]
	for ; len(b) >= 8; b = b[8:] {
		addr := binary.LittleEndian.Uint64(b)
		if addr == 0 {
			break
		}
		d.addrs = append(d.addrs, addr)
	}
}

// kernelFrames reads a stack of the kernel, which is recorded deeper than it is shown.
func (d *Decoder) kernelFrames(b []byte) []trace.Frame {
	most := max(len(b)/8-ir.TracerFrames, 0)
	d.takeAddrs(b)
	addrs := d.c.Names.Trim(d.addrs)
	var frames []trace.Frame
	for _, a := range addrs[:min(len(addrs), most)] {
		frames = d.c.Names.KernelFrames(frames, a, len(frames) > 0)
	}
	return frames
}

// userFrames reads a process and its addresses.
func (d *Decoder) userFrames(b []byte) (pid uint32, frames []trace.Frame) {
	if len(b) < 8 {
		return 0, nil
	}
	pid = uint32(binary.LittleEndian.Uint64(b))
	d.takeAddrs(b[8:])
	for _, a := range d.c.Names.Believe(pid, d.addrs) {
		frames = d.c.Names.Frames(frames, pid, a, len(frames) > 0)
	}
	return pid, frames
}

// probePart returns a part of a probe's name by its number.
func probePart(p *trace.Probe, part int) string {
	switch part {
	case 0:
		return p.Provider
	case 1:
		return p.Module
	case 2:
		return p.Function
	}
	return p.Name
}

func untilZero(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}

// fault decodes the record of an ERROR firing: the clause that was given up,
// the action, the kind of the fault and the address.
func (d *Decoder) fault(e *trace.Event, p *plan, rec []byte) {
	var w [4]uint64
	if len(p.actions) > 0 {
		data := p.actions[0].Data
		for i := range min(len(data), len(w)) {
			m := data[i]
			w[i] = unsigned(rec[m.Off : m.Off+m.Size])
		}
	}
	pc := int(uint16(w[0] >> 16))
	w[0] = uint64(uint16(w[0]))
	e.Kind = trace.FaultEvent
	e.Fault = trace.Fault{EPID: uint32(w[0]) + 1, Action: int(uint16(w[1])), Addr: w[3], PC: pc}
	if k := trace.FaultKind(w[2]); k.Known() {
		e.Fault.Kind = k
	}
	at := d.clause(int(w[0]))
	e.Clause = uint32(at) + 1
	e.Fault.File, e.Fault.Line = d.place(uint64(at), e.Fault.Action)
}

// clause returns the index of the clause with probe description n of the script.
func (d *Decoder) clause(n int) int {
	if d.c.Program == nil {
		return n
	}
	list := d.c.Program.Clauses
	return max(sort.Search(len(list), func(i int) bool { return list[i].First > n })-1, 0)
}

// unsigned reads a little-endian integer of up to eight bytes.
func unsigned(b []byte) (u uint64) {
	for i, c := range b[:min(len(b), 8)] {
		u |= uint64(c) << (8 * i)
	}
	return u
}

// place returns the line where an action stands, or its clause if there is no such
// action, and the file if that is not the script.
func (d *Decoder) place(clause uint64, action int) (file string, line int) {
	p := d.c.Program
	if p == nil || p.File == nil || clause >= uint64(len(p.Clauses)) || p.Clauses[clause].AST == nil {
		return "", 0
	}
	told := func(at token.Pos) (string, int) {
		name, line, _ := p.File.Place(at)
		if name == p.File.Name {
			name = ""
		}
		return name, line
	}
	if at, ok := d.c.Places[int64(clause<<8)|int64(action)]; ok {
		return told(at.From)
	}
	tree := p.Clauses[clause].AST
	at := tree.Span().From
	if action > 0 && tree.Body != nil && action <= len(tree.Body.Stmts) {
		at = tree.Body.Stmts[action-1].Span().From
	}
	return told(at)
}
