package usdt

import (
	"strings"

	"dscope.dev/dlang/machine"
	"dscope.dev/probes"
)

// amd64 reads an operand in the notation of AT&T:
//
//	%eax  $-5  $counter  -8(%rbp)  16(%rax,%rbx,4)  counter+8(%rip)  counter(,%rax,8)
func (p place) amd64(o *probes.Operand, text string) error {
	switch {
	case text[0] == '$':
		o.Kind = probes.Value
		sum, relative, err := p.address(text[1:])
		if err != nil {
			return err
		}
		o.Disp = sum
		p.settle(o, relative)
		return nil
	case text[0] == '%' && strings.HasPrefix(text, "%fs:"), strings.HasPrefix(text, "%gs:"):
		return errLocal
	case text[0] == '%':
		o.Kind = probes.Value
		return amd64Register(&o.Base, text)
	}
	return p.amd64Memory(o, text)
}

// amd64Memory reads displacement(base,index,scale).
func (p place) amd64Memory(o *probes.Operand, text string) error {
	o.Kind = probes.Memory
	disp, inner, found := strings.Cut(text, "(")
	if found {
		var ok bool
		if inner, ok = strings.CutSuffix(inner, ")"); !ok || inner == "" {
			return errForm
		}
	}
	sum, relative, err := p.address(disp)
	if err != nil {
		return err
	}
	o.Disp = sum
	if inner == "%rip" || inner == "%eip" {
		if !relative {
			return errForm // counted from the end of an instruction that is not known
		}
		p.settle(o, true)
		return nil
	}
	p.settle(o, relative)
	if !found {
		if disp == "" {
			return errForm
		}
		return nil
	}
	return amd64Sum(o, strings.Split(inner, ","))
}

// amd64Sum reads base, index and scale.
func amd64Sum(o *probes.Operand, parts []string) error {
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if len(parts) > 3 {
		return errForm
	}
	if parts[0] != "" {
		if err := amd64Register(&o.Base, parts[0]); err != nil {
			return err
		}
	}
	if len(parts) > 1 && parts[1] != "" {
		if err := amd64Register(&o.Index, parts[1]); err != nil {
			return err
		}
	}
	if len(parts) > 2 && parts[2] != "" {
		shift, ok := map[string]uint8{"1": 0, "2": 1, "4": 2, "8": 3}[parts[2]]
		if !ok {
			return errForm
		}
		o.Shift = shift
	}
	if o.Base.Size == 0 && o.Index.Size == 0 || o.Base.High || o.Index.High {
		return errForm
	}
	return nil
}

// amd64Register reads %rax, %eax, %ax, %al, %ah, %r8d and the like.
func amd64Register(r *probes.Register, text string) error {
	name, ok := strings.CutPrefix(text, "%")
	if !ok {
		return errForm
	}
	for _, vector := range []string{"xmm", "ymm", "zmm", "st", "mm", "k"} {
		if rest, ok := strings.CutPrefix(name, vector); ok && (rest == "" || rest[0] >= '0' && rest[0] <= '9' || rest[0] == '(') {
			return errFloat
		}
	}
	core, size, high := amd64Parts(name)
	if len(core) == 1 {
		core += "x"
	}
	word := machine.AMD64().Register(core)
	if word < 0 {
		return errForm
	}
	*r = probes.Register{Word: uint8(word), Size: size, High: high}
	return nil
}

// amd64Parts takes the name of a register apart: eax is four bytes of a, r8d
// four of r8, sil one of si, ah the second of a.
func amd64Parts(name string) (core string, size uint8, high bool) {
	if len(name) < 2 {
		return "", 0, false
	}
	if name[0] == 'r' && name[1] >= '0' && name[1] <= '9' {
		switch last := len(name) - 1; name[last] {
		case 'd':
			return name[:last], 4, false
		case 'w':
			return name[:last], 2, false
		case 'b', 'l':
			return name[:last], 1, false
		}
		return name, 8, false
	}
	size = 2
	switch name[0] {
	case 'r':
		name, size = name[1:], 8
	case 'e':
		name, size = name[1:], 4
	}
	switch {
	case len(name) == 2 && name[1] == 'x':
		return name[:1], size, false
	case len(name) == 2 && size == 2 && (name[1] == 'l' || name[1] == 'h'):
		return name[:1], 1, name[1] == 'h'
	case len(name) == 3 && size == 2 && name[2] == 'l': // sil, dil, bpl, spl
		return name[:2], 1, false
	case len(name) == 2 && name[1] != 'l' && name[1] != 'h':
		return name, size, false
	}
	return "", 0, false
}
