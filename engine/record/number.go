package record

import (
	"math"
	"strconv"
)

// integer formats an integer in base 8, 10 or 16.
func (c *conv) integer(b []byte, v arg, signed bool, base int) []byte {
	u := v.number()
	negative := false
	if signed {
		n := v.extended()
		negative = n < 0
		u = uint64(n)
		if negative {
			u = -u
		}
	} else if v.size > 0 && v.size < 8 {
		u &= 1<<(8*v.size) - 1
	}
	var scratch [24]byte
	digits := strconv.AppendUint(scratch[:0], u, base)
	if c.verb == 'X' {
		for i, ch := range digits {
			if ch >= 'a' {
				digits[i] = ch - 'a' + 'A'
			}
		}
	}
	prefix := c.prefix(u, negative, signed, base)
	zeros := c.prec - len(digits)
	if base == 8 && c.alt && zeros < 1 && digits[0] != '0' {
		zeros = 1
	}
	zeros = max(zeros, 0)
	pad := max(c.width-len(prefix)-zeros-len(digits), 0)
	if c.zero && c.prec == 0 {
		zeros, pad = zeros+pad, 0
	}
	if !c.left {
		b = fill(b, ' ', pad)
	}
	b = append(b, prefix...)
	b = append(fill(b, '0', zeros), digits...)
	if c.left {
		b = fill(b, ' ', pad)
	}
	return b
}

// prefix is what stands before the digits of a number.
func (c *conv) prefix(u uint64, negative, signed bool, base int) string {
	switch {
	case negative:
		return "-"
	case signed && c.plus:
		return "+"
	case signed && c.space:
		return " "
	case base == 16 && c.alt && u != 0 && c.verb == 'X':
		return "0X"
	case base == 16 && c.alt && u != 0:
		return "0x"
	}
	return ""
}

// float formats a floating-point number, of which D can only print what the
// kernel or a process holds.
func (c *conv) float(b []byte, v arg) []byte {
	prec := 6
	if c.prec > 0 {
		prec = c.prec
	}
	f := v.float()
	text := strconv.AppendFloat(nil, f, c.verb|' ', min(prec, 1<<10), 64)
	if c.verb == 'g' || c.verb == 'G' {
		text = generalFloat(f, prec)
	}
	if c.verb < 'a' {
		for i, ch := range text {
			if ch >= 'a' && ch <= 'z' {
				text[i] = ch - 'a' + 'A'
			}
		}
	}
	if text[0] != '-' && c.plus {
		text = append([]byte{'+'}, text...)
	} else if text[0] != '-' && c.space {
		text = append([]byte{' '}, text...)
	}
	at := len(b)
	b = append(b, text...)
	return c.pad(b, at, c.width-len(text))
}

// generalFloat is %g of printf(3), which turns to exponents at another place
// than Go does.
func generalFloat(f float64, prec int) []byte {
	if f == 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		return strconv.AppendFloat(nil, f, 'f', 0, 64)
	}
	text := strconv.AppendFloat(nil, f, 'e', prec-1, 64)
	e := len(text) - 1
	for text[e] != 'e' {
		e--
	}
	exp, _ := strconv.Atoi(string(text[e+1:]))
	if exp >= -4 && exp < prec {
		return trimZeros(strconv.AppendFloat(nil, f, 'f', prec-1-exp, 64))
	}
	tail := string(text[e:])
	return append(trimZeros(text[:e]), tail...)
}

// trimZeros drops the zeros at the end of a fraction.
func trimZeros(b []byte) []byte {
	dot := false
	for _, c := range b {
		dot = dot || c == '.'
	}
	if !dot {
		return b
	}
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	return b
}
