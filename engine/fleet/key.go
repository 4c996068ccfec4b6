package fleet

import (
	"encoding/binary"

	"dscope.dev/engine/trace"
)

// appendKeys appends to b what is the same for two keys if and only if they read alike,
// whichever hosts they come from. An address counts only where no name is known for it, and
// the number of the process that a user's stack or symbol is of does not count at all.
func appendKeys(b []byte, keys []trace.Value) []byte {
	for i := range keys {
		v := &keys[i]
		switch v.Kind {
		case trace.IntValue, trace.UintValue: // types may have another size on another kernel
			b = binary.LittleEndian.AppendUint64(append(b, 'i'), uint64(v.Int))
		case trace.StringValue:
			b = appendText(append(b, 's'), v.Str)
		case trace.BytesValue:
			b = appendText(append(b, 'b'), v.Str)
		case trace.StackValue, trace.UstackValue:
			b = binary.AppendUvarint(append(b, 'f', byte(v.Kind)), uint64(len(v.Frames)))
			for j := range v.Frames {
				b = appendFrame(b, &v.Frames[j])
			}
		case trace.SymValue:
			b = append(b, 'y')
			if len(v.Frames) == 1 && v.Frames[0].Symbol+v.Frames[0].Module != "" {
				b = appendFrame(append(b, 1), &v.Frames[0])
				break
			}
			b = appendText(append(b, 0), v.Str)
		default:
			b = append(b, 'n')
		}
	}
	return b
}

// appendFrame appends what a frame is shown as.
func appendFrame(b []byte, f *trace.Frame) []byte {
	b = appendText(appendText(b, f.Module), f.Symbol)
	flags := byte(0)
	for i, set := range [...]bool{f.Raw, f.Inlined, f.Script} {
		if set {
			flags |= 1 << i
		}
	}
	b = append(b, flags)
	if f.Symbol == "" && !(f.Raw && f.Module != "") {
		return binary.LittleEndian.AppendUint64(b, f.Addr)
	}
	return binary.LittleEndian.AppendUint64(b, f.Offset)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// common returns keys as they are shown of all hosts: without numbers of processes, which
// are those of one.
func common(keys []trace.Value) []trace.Value {
	for i := range keys {
		if k := keys[i].Kind; (k == trace.UstackValue || k == trace.SymValue) && keys[i].Int != 0 {
			out := append([]trace.Value(nil), keys...)
			for j := range out {
				if k := out[j].Kind; k == trace.UstackValue || k == trace.SymValue {
					out[j].Int = 0
				}
			}
			return out
		}
	}
	return keys
}
