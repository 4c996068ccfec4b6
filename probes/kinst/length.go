package kinst

// lengthX86 returns the length of an instruction that the disassembler does not
// know, or 0 if it is none of the forms below. The disassembler knows what
// programs use; kernels use more of what is newer or privileged, all of which
// has one of these forms (Intel's Software Developer's Manual, volume 2, chapter 2
// and appendix A):
//
//	prefixes 0F op ModRM             op: 01 0D 18–1F AE C7, such as clac, endbr64, rdfsbase, xsaves, rdseed
//	prefixes 0F 38 op ModRM          such as invpcid, wrussq, aesenc
//	prefixes 0F 3A op ModRM imm8     such as pclmulqdq
//	C5 vex op ModRM [imm8]           AVX
//	C4 vex vex op ModRM [imm8]       AVX, by its map
//	62 evex evex evex op ModRM [imm8]  AVX-512
func lengthX86(code []byte) int {
	at := prefixes(code)
	if at == len(code) {
		return 0
	}
	switch code[at] {
	case 0x0f:
		return twoByte(code, at+1)
	case 0xc5:
		return vector(code, at+2, 1)
	case 0xc4, 0x62:
		if at+1 >= len(code) {
			return 0
		}
		if code[at] == 0x62 {
			return vector(code, at+4, code[at+1]&7)
		}
		return vector(code, at+3, code[at+1]&0x1f)
	}
	return 0
}

// prefixes counts the bytes before the operation, a REX prefix the last.
func prefixes(code []byte) int {
	for i, b := range code {
		switch {
		case b == 0x66, b == 0x67, b == 0xf0, b == 0xf2, b == 0xf3, b == 0x2e, b == 0x36, b == 0x3e, b == 0x26, b == 0x64, b == 0x65:
		case b&0xf0 == 0x40:
			return i + 1
		default:
			return i
		}
	}
	return len(code)
}

// twoByte measures what follows 0F.
func twoByte(code []byte, at int) int {
	if at >= len(code) {
		return 0
	}
	switch op := code[at]; {
	case op == 0x38:
		return operands(code, at+2, 0)
	case op == 0x3a:
		return operands(code, at+2, 1)
	case op == 0x01, op == 0x0d, 0x18 <= op && op <= 0x1f, op == 0xae, op == 0xc7:
		return operands(code, at+1, 0)
	}
	return 0
}

// vector measures an operation of AVX, which stands at a place, in one of the maps
// 0F, 0F 38 and 0F 3A.
func vector(code []byte, at int, table byte) int {
	if at >= len(code) {
		return 0
	}
	op, immediate := code[at], 0
	switch {
	case table == 1 && op == 0x77: // vzeroupper has no operands
		return at + 1
	case table == 3, table == 1 && (0x70 <= op && op <= 0x73 || op == 0xc2 || 0xc4 <= op && op <= 0xc6):
		immediate = 1
	case table < 1 || table > 3:
		return 0
	}
	return operands(code, at+1, immediate)
}

// operands returns where an instruction ends whose ModRM byte is at a place and
// is followed by an immediate.
func operands(code []byte, at, immediate int) int {
	if at >= len(code) {
		return 0
	}
	mod, rm := code[at]>>6, code[at]&7
	end := at + 1
	if mod != 3 && rm == 4 {
		if end >= len(code) {
			return 0
		}
		rm = code[end] & 7 // the base, of which 5 is none, as rm is without a SIB byte
		end++
	}
	switch {
	case mod == 1:
		end++
	case mod == 2, mod == 0 && rm == 5:
		end += 4
	}
	if end += immediate; end > len(code) {
		return 0
	}
	return end
}
