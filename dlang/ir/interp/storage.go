package interp

import (
	"bytes"
	"fmt"

	"dscope.dev/dlang/ir"
)

// full asks whether something has no room.
func (fr *frame) full(what string) bool { return fr.f.Full != nil && fr.f.Full(what) }

// storage finds cells of variables and aggregations.
func (fr *frame) storage(v *ir.Value) error {
	m := fr.m
	switch v.Op {
	case ir.OpSelf:
		if m.Self[fr.f.Thread] == nil && v.Imm == 1 && !fr.full("self") {
			m.Self[fr.f.Thread] = make([]byte, m.cellSize())
		}
		fr.setPtr(v, m.Self[fr.f.Thread])
		return nil
	case ir.OpStackID:
		fr.set(v, 1)
		return nil
	case ir.OpStack:
		b, err := fr.bytes(v, 0, 0, v.Size)
		clear(b)
		fr.set(v, 0)
		return err
	case ir.OpAggCell:
		return fr.aggCell(v)
	}
	key, err := fr.bytes(v, 0, 0, m.Prog.Vars[v.Imm].Key)
	if err != nil {
		return err
	}
	table := m.Assoc[int(v.Imm)]
	switch v.Op {
	case ir.OpAssocGet:
		fr.setPtr(v, table[string(key)])
	case ir.OpAssocDel:
		delete(table, string(key))
	case ir.OpAssocPut:
		val, err := fr.bytes(v, 1, 0, m.Prog.Vars[v.Imm].Size)
		if err != nil {
			return err
		}
		if _, old := table[string(key)]; !old && fr.full("assoc") {
			fr.set(v, -12)
			return nil
		}
		if _, made := table[string(key)]; made && m.Prog.Vars[v.Imm].Lasts {
			fr.set(v, -17)
			return nil
		}
		table[string(key)] = bytes.Clone(val)
		fr.set(v, 0)
	}
	return nil
}

// cellSize returns the bytes of the cell that each thread has.
func (m *Machine) cellSize() int {
	n := 8
	for _, v := range m.Prog.Vars {
		if v.Kind == ir.SelfVar {
			n = max(n, v.Offset+v.Size)
		}
	}
	return n
}

func (fr *frame) aggCell(v *ir.Value) error {
	a := fr.m.Prog.Aggs[v.Imm]
	key := ""
	if len(v.Args) > 0 {
		b, err := fr.bytes(v, 0, 0, a.Key)
		if err != nil {
			return err
		}
		key = string(b)
		if a.Tail && getInt(b[len(b)-4:]) != v.Imm {
			return fmt.Errorf("the tail of the key is of another aggregation")
		}
	}
	table := fr.m.Aggs[int(v.Imm)]
	if table[key] == nil && !fr.full("agg") {
		table[key] = make([]byte, 8*a.Words)
	}
	fr.setPtr(v, table[key])
	return nil
}

// report does what leaves the program, and calls.
func (fr *frame) report(v *ir.Value) error {
	m := fr.m
	switch v.Op {
	case ir.OpReserve:
		fr.reserve(v)
	case ir.OpSubmit:
		p := fr.vals[v.Args[0]]
		m.Out = append(m.Out, Event{Kind: "record", Index: getInt(p.mem[:4]), Bytes: p.mem})
	case ir.OpDiscard:
	case ir.OpDrop:
		kind, _ := ir.DropKind(v.Imm)
		m.Out = append(m.Out, Event{Kind: "drop", Index: kind})
	case ir.OpFault:
		m.Out = append(m.Out, Event{Kind: "fault", Index: v.Imm, Value: fr.word(v, 0)})
	case ir.OpStop:
		m.Stopped = true
	case ir.OpMayGo:
		fr.set(v, 1)
	case ir.OpSignal:
		m.Out = append(m.Out, Event{Kind: "signal", Value: fr.word(v, 0)})
	case ir.OpClock, ir.OpChill:
		fr.set(v, 0)
	case ir.OpCall:
		return fr.calling(v)
	}
	return nil
}

func (fr *frame) reserve(v *ir.Value) {
	if fr.full("record") {
		fr.setPtr(v, nil)
		return
	}
	b := make([]byte, fr.m.Prog.Records[v.Imm].Size)
	putInt(b[:4], v.Imm)
	putInt(b[4:8], int64(fr.f.Key))
	fr.setPtr(v, b)
}

func (fr *frame) calling(v *ir.Value) error {
	for _, f := range fr.m.Prog.Funcs {
		if f.Unit >= 0 || f.Name != string(v.Aux.(ir.Sym)) {
			continue
		}
		var args []value
		for _, a := range v.Args {
			args = append(args, fr.vals[a])
		}
		result, err := fr.m.call(f, fr.f, args, fr.steps)
		fr.vals[v] = result
		return err
	}
	return fmt.Errorf("no such subroutine")
}

// Call runs one subroutine by itself. Words are int64, pointers are bytes, which
// it may change.
func (m *Machine) Call(fn *ir.Func, words []int64, mems [][]byte) (int64, error) {
	return m.CallIn(&Firing{}, fn, words, mems)
}

// CallIn runs one subroutine in a firing.
func (m *Machine) CallIn(f *Firing, fn *ir.Func, words []int64, mems [][]byte) (int64, error) {
	var args []value
	for i := range words {
		args = append(args, value{w: words[i], mem: mems[i]})
	}
	steps := 0
	out, err := m.call(fn, f, args, &steps)
	return out.w, err
}
