package code

import "strings"

// The tables below say what follows an opcode, from the opcode maps of the
// manuals of Intel and AMD. There is a letter for each opcode of a row of 16:
//
//	.  nothing             m  ModRM
//	b  8 bits              M  ModRM and 8 bits
//	z  16 or 32 bits       Z  ModRM and 16 or 32 bits
//	l  32 bits             v  16, 32 or 64 bits
//	w  16 bits             e  16 and 8 bits
//	a  an address          t  ModRM and, for TEST, an immediate of 8 (F6) or
//	x  no instruction         16 or 32 bits (F7)
//
// Prefixes and escapes are dealt with before the tables are asked.
var oneByte = table(`
mmmmbzxx mmmmbzx.
mmmmbzxx mmmmbzxx
mmmmbz.x mmmmbz.x
mmmmbz.x mmmmbz.x
........ ........
........ ........
xx.m.... zZbM....
bbbbbbbb bbbbbbbb
MZxMmmmm mmmmmmmm
........ ..x.....
aaaa.... bz......
bbbbbbbb vvvvvvvv
MMw...MZ e.w..bx.
mmmmxxx. mmmmmmmm
bbbbbbbb llxb....
......tt ......mm
`)

var twoBytes = table(`
mmmmx... ..x.xm.M
mmmmmmmm mmmmmmmm
mmmmxxxx mmmmmmmm
......x. xxxxxxxx
mmmmmmmm mmmmmmmm
mmmmmmmm mmmmmmmm
mmmmmmmm mmmmmmmm
MMMMmmm. mmxxmmmm
llllllll llllllll
mmmmmmmm mmmmmmmm
...mMmxx ...mMmmm
mmmmmmmm mmMmmmmm
mmMmMMMm ........
mmmmmmmm mmmmmmmm
mmmmmmmm mmmmmmmm
mmmmmmmm mmmmmmmm
`)

func table(rows string) string { return strings.Join(strings.Fields(rows), "") }

// The prefixes that may come before an opcode, in any order.
const prefixes = "\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65"

// most is how long an instruction may be.
const most = 15

// A decoder measures one instruction.
type decoder struct {
	code   []byte
	at     int
	narrow bool // operands of 16 bits
	short  bool // addresses of 32 bits
	wide   bool // operands of 64 bits
	bad    bool
}

// next returns the next byte.
func (d *decoder) next() byte {
	if d.at >= len(d.code) || d.at >= most {
		d.bad = true
		return 0
	}
	d.at++
	return d.code[d.at-1]
}

// skip passes over n bytes.
func (d *decoder) skip(n int) {
	d.at += n
	if d.at > len(d.code) || d.at > most {
		d.bad = true
	}
}

// measure returns the length of the instruction that code begins with, 0 if it
// is none, and whether it is a near return.
func measure(code []byte) (n int, returns bool) {
	d := decoder{code: code}
	op := d.next()
	for ; strings.IndexByte(prefixes, op) >= 0 && !d.bad; op = d.next() {
		d.narrow = d.narrow || op == 0x66
		d.short = d.short || op == 0x67
	}
	if op&0xf0 == 0x40 { // REX
		d.wide = op&8 != 0
		op = d.next()
	}
	switch op {
	case 0x0f:
		d.escaped()
	case 0xc4, 0xc5, 0x62:
		d.vector(op)
	default:
		returns = op == 0xc3 || op == 0xc2
		d.operands(oneByte[op], op)
	}
	if d.bad {
		return 0, false
	}
	return d.at, returns
}

// escaped measures what follows 0F.
func (d *decoder) escaped() {
	switch op := d.next(); op {
	case 0x38:
		d.next()
		d.modrm()
	case 0x3a:
		d.next()
		d.modrm()
		d.skip(1)
	default:
		d.operands(twoBytes[op], op)
	}
}

// vector measures what follows the first byte of a VEX or EVEX prefix, which
// names the opcode map.
func (d *decoder) vector(prefix byte) {
	opcodes := byte(1)
	switch prefix {
	case 0xc5:
		d.next()
	case 0xc4:
		opcodes = d.next() & 0x1f
		d.next()
	case 0x62:
		opcodes = d.next() & 7
		d.skip(2)
	}
	op := d.next()
	switch {
	case opcodes == 1 && op == 0x77: // VZEROUPPER
	case opcodes == 1:
		d.modrm()
		if twoBytes[op] == 'M' {
			d.skip(1)
		}
	case opcodes == 3:
		d.modrm()
		d.skip(1)
	case opcodes == 0 || opcodes > 7:
		d.bad = true
	default:
		d.modrm()
	}
}

// operands passes over what the tables say.
func (d *decoder) operands(what, op byte) {
	word := 4
	if d.narrow && !d.wide {
		word = 2
	}
	switch what {
	case 'm':
		d.modrm()
	case 'M':
		d.modrm()
		d.skip(1)
	case 'b':
		d.skip(1)
	case 'z':
		d.skip(word)
	case 'Z':
		d.modrm()
		d.skip(word)
	case 'l':
		d.skip(4)
	case 'v':
		if d.wide {
			word = 8
		}
		d.skip(word)
	case 'w':
		d.skip(2)
	case 'e':
		d.skip(3)
	case 'a':
		if d.short {
			d.skip(4)
		} else {
			d.skip(8)
		}
	case 't':
		if test := d.modrm()>>3&7 < 2; test && op == 0xf6 {
			d.skip(1)
		} else if test {
			d.skip(word)
		}
	case 'x':
		d.bad = true
	}
}

// modrm passes over ModRM and what it says there is behind it, and returns it.
func (d *decoder) modrm() byte {
	m := d.next()
	mod, rm := m>>6, m&7
	if mod == 3 {
		return m
	}
	if rm == 4 {
		if base := d.next() & 7; mod == 0 && base == 5 {
			d.skip(4)
		}
	}
	switch {
	case mod == 1:
		d.skip(1)
	case mod == 2, rm == 5:
		d.skip(4)
	}
	return m
}
