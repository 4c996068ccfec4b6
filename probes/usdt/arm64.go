package usdt

import (
	"strconv"
	"strings"

	"dscope.dev/dlang/machine"
	"dscope.dev/probes"
)

// arm64 reads an operand in the notation of Arm:
//
//	w0  x0  sp  -5  #-5  counter  [sp, 16]  [x0, x1, lsl 3]  [x0, w1, sxtw 2]  [x0, #:lo12:counter]
func (p place) arm64(o *probes.Operand, text string) error {
	if inner, ok := strings.CutPrefix(text, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if !ok {
			return errForm // [x0, 8]! and [x0], 8 change the register, which no operand does
		}
		o.Kind = probes.Memory
		return p.arm64Memory(o, inner)
	}
	o.Kind = probes.Value
	if n, ok := number(strings.TrimPrefix(text, "#")); ok {
		o.Disp = n
		return nil
	}
	switch zero, err := arm64Register(&o.Base, text); {
	case zero || err == nil:
		return nil
	case err != errForm:
		return err
	}
	sum, relative, err := p.address(strings.TrimPrefix(text, "#"))
	if err != nil {
		return err
	}
	o.Disp = sum
	p.settle(o, relative)
	return nil
}

// arm64Memory reads what stands in the brackets.
func (p place) arm64Memory(o *probes.Operand, inner string) error {
	parts := strings.Split(inner, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if zero, err := arm64Register(&o.Base, parts[0]); err != nil || zero || o.Base.Size != 8 {
		return orForm(err)
	}
	if len(parts) == 1 {
		return nil
	}
	if len(parts) == 2 {
		off := strings.TrimPrefix(parts[1], "#")
		if n, ok := number(off); ok {
			o.Disp = n
			return nil
		}
		if name, ok := strings.CutPrefix(off, ":lo12:"); ok {
			return p.lowBits(o, name)
		}
	}
	zero, err := arm64Register(&o.Index, parts[1])
	if err != nil || len(parts) > 3 {
		return orForm(err)
	}
	if len(parts) == 3 {
		return extend(o, parts[2], zero)
	}
	if o.Index.Size == 4 {
		return errForm // a half of a register says how it is widened
	}
	return nil
}

func orForm(err error) error {
	if err != nil {
		return err
	}
	return errForm
}

// lowBits adds the low 12 bits of an address, which are the same wherever the
// program lies: it is moved by whole pages.
func (p place) lowBits(o *probes.Operand, name string) error {
	sum, _, err := p.address(name)
	if err != nil {
		return err
	}
	o.Disp = sum & 0xfff
	return nil
}

// extend reads how an index is widened and shifted: lsl 3, uxtw, sxtw 2, sxtx.
func extend(o *probes.Operand, text string, zero bool) error {
	how, by, _ := strings.Cut(text, " ")
	if by != "" {
		n, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(by), "#"), 10, 8)
		if err != nil || n > 4 {
			return errForm
		}
		o.Shift = uint8(n)
	}
	if zero {
		o.Shift = 0
		return nil
	}
	switch {
	case how == "lsl" && o.Index.Size == 8, how == "sxtx" && o.Index.Size == 8, how == "uxtw" && o.Index.Size == 4:
	case how == "sxtw" && o.Index.Size == 4:
		o.Index.Signed = true
	default:
		return errForm
	}
	return nil
}

// arm64Register reads x0 to x30, w0 to w30, sp, wsp, fp, lr. xzr and wzr are
// always 0 and no part of struct pt_regs.
func arm64Register(r *probes.Register, text string) (zero bool, err error) {
	switch text {
	case "xzr", "wzr":
		return true, nil
	case "sp":
		*r = probes.Register{Word: uint8(machine.ARM64().SP), Size: 8}
		return false, nil
	case "wsp":
		*r = probes.Register{Word: uint8(machine.ARM64().SP), Size: 4}
		return false, nil
	case "fp":
		*r = probes.Register{Word: 29, Size: 8}
		return false, nil
	case "lr":
		*r = probes.Register{Word: 30, Size: 8}
		return false, nil
	case "pc":
		*r = probes.Register{Word: uint8(machine.ARM64().PC), Size: 8}
		return false, nil
	}
	if len(text) < 2 || text[1] < '0' || text[1] > '9' {
		return false, errForm
	}
	n, err := strconv.ParseUint(text[1:], 10, 8)
	if err != nil || n > 31 {
		return false, errForm
	}
	switch text[0] {
	case 'x', 'w':
		if n > 30 {
			return false, errForm
		}
		size := uint8(8)
		if text[0] == 'w' {
			size = 4
		}
		*r = probes.Register{Word: uint8(n), Size: size}
		return false, nil
	case 'd', 's', 'h', 'b', 'q', 'v':
		return false, errFloat
	}
	return false, errForm
}
