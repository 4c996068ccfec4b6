package record

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"dscope.dev/engine/trace"
)

// The most that the text of a printf() takes is mostly known beforehand. So room is asked for
// once, and what is set there is written in words: asking at each conversion, and a call for
// each copy, cost as much as all else that is done for a record of a flood.

// A setting is what sets the text of one printf().
type setting struct {
	steps []step
	words []wordStep // the same in words; nil if some step cannot be
	most  int        // bytes that these take, and a word
	reach int        // bytes of the record that they are set from
}

// A wordStep is a conversion to no width, and up to a word of the literal text behind it: most
// texts end with some, and few begin with it.
type wordStep struct {
	text     uint64
	len      uint8    // of the text
	kind     stepKind // noStep if there is but text
	size     uint8    // of an integer
	part     uint8    // of a name: see probePart
	from, to uint32
}

const (
	mostName  = 64      // bytes of the name of a probe that is set in words
	mostWords = 4 << 10 // that room is asked for, however short the strings turn out to be
)

func newSetting(steps []step) *setting {
	if steps == nil {
		return nil
	}
	s := &setting{steps: steps, words: []wordStep{}, most: 8}
	var before wordStep
	for i := range steps {
		w, most := steps[i].inWords()
		if most < 0 || s.most+most > mostWords || steps[i].to > 1<<31 {
			s.words = nil
			return s
		}
		s.add(before, steps[i].before)
		s.most += most + len(steps[i].before)
		s.reach = max(s.reach, steps[i].to)
		before = w
	}
	s.add(before, "")
	return s
}

// add adds a conversion, if w is one, and the text behind it.
func (s *setting) add(w wordStep, text string) {
	for w.kind != noStep || text != "" {
		w.len = uint8(min(len(text), 8))
		w.text = word(text[:w.len])
		s.words = append(s.words, w)
		w, text = wordStep{}, text[w.len:]
	}
}

func word(text string) uint64 {
	var w [8]byte
	copy(w[:], text)
	return binary.LittleEndian.Uint64(w[:])
}

// inWords returns the conversion of s and how many bytes it takes at most, -1 if it cannot be
// set in words.
func (s *step) inWords() (w wordStep, most int) {
	if s.conv != nil && (s.conv.width > 0 || s.conv.prec > 0) {
		return w, -1
	}
	w = wordStep{kind: s.kind, from: uint32(s.from), to: uint32(s.to), size: uint8(s.to - s.from), part: uint8(s.part)}
	switch s.kind {
	case noStep:
		return w, 0
	case stringStep:
		return w, s.to - s.from
	case nameStep:
		return w, mostName
	case octalStep:
		return w, -1
	}
	return w, len("-9223372036854775808")
}

// append sets the text.
func (s *setting) append(b []byte, d *Decoder, probe *trace.Probe, rec []byte) []byte {
	if s.words != nil {
		b = slices.Grow(b, s.most)
		if n, ok := s.set(b[:cap(b)], len(b), probe, rec); ok {
			return b[:n]
		}
	}
	return s.inSteps(b, d, probe, rec)
}

// inSteps is append for any text.
func (s *setting) inSteps(b []byte, d *Decoder, probe *trace.Probe, rec []byte) []byte {
	for i := range s.steps {
		b = s.steps[i].append(b, d, probe, rec)
	}
	return b
}

// set writes the text at b[n:], where there is room, and returns where it ends. It fails for
// strings that are not harmless, and for very long names.
func (s *setting) set(b []byte, n int, probe *trace.Probe, rec []byte) (end int, ok bool) {
	if len(b)-n < s.most || len(rec) < s.reach {
		return n, false // wordAt looks no more
	}
	for i := range s.words {
		w := &s.words[i]
		switch w.kind {
		case unsignedStep:
			n = setDecimal(b, n, w.load(rec))
		case signedStep:
			u := uint64(signed(w.load(rec), int(w.size)))
			if int64(u) < 0 {
				b[n] = '-'
				n, u = n+1, -u
			}
			n = setDecimal(b, n, u)
		case hexStep:
			n = setHex(b, n, w.load(rec))
		case stringStep:
			if n, ok = setString(b, n, rec, int(w.from), int(w.to)); !ok {
				return n, false
			}
		case nameStep:
			name := probePart(probe, int(w.part))
			if len(name) > mostName {
				return n, false
			}
			at := n
			if n += copy(b[n:], name); !isGraphic(b[at:n]) {
				return n, false
			}
		}
		binary.LittleEndian.PutUint64(wordAt(b, n)[:], w.text)
		n += int(w.len)
	}
	return n, true
}

func (w *wordStep) load(rec []byte) uint64 { return load(rec[w.from:], int(w.size)) }

// setString writes the string at rec[from:to] up to its terminator.
func setString(b []byte, n int, rec []byte, from, to int) (end int, ok bool) {
	for ; from+8 <= to; from += 8 {
		w := binary.LittleEndian.Uint64(wordAt(rec, from)[:])
		binary.LittleEndian.PutUint64(wordAt(b, n)[:], w)
		if marks := odd(w); marks != 0 {
			at := bits.TrailingZeros64(marks) &^ 7 // the bits before the first, behind which odd may be wrong
			return n + at/8, byte(w>>at) == 0
		}
		n += 8
	}
	for _, c := range rec[from:to] {
		if c == 0 {
			break
		}
		if c < ' ' || c >= 0x7f {
			return n, false
		}
		b[n] = c
		n++
	}
	return n, true
}

// wordAt is the word of b from i on. That it lies in b is not looked at: set has, once for all, as
// looking at each took a sixth of what a record of a flood costs.
func wordAt(b []byte, i int) *[8]byte {
	return (*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}

const ones, tops = 0x0101010101010101, 0x8080808080808080

// graphic reports whether the bytes of w are ASCII without controls.
func graphic(w uint64) bool { return odd(w) == 0 }

// odd has the top bits set of the bytes of w that are controls or not ASCII: of the first of them,
// and perhaps of bytes behind it. A zero is a control.
func odd(w uint64) uint64 {
	below, last := (w-' '*ones)&^w, w+ones // their top bits: of bytes below ' ', of 0x7f
	return (below | w | last) & tops
}

// pairs are the numbers below 100.
const pairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

// powers are those of ten that an uint64 can hold.
var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// setDecimal writes u.
func setDecimal(b []byte, n int, u uint64) (end int) {
	if u < 10 {
		b[n] = '0' + byte(u)
		return n + 1
	}
	digits := bits.Len64(u) * 1233 >> 12 // log10 2 is 1233/4096 and a little
	if u >= powers[digits] {
		digits++
	}
	end = n + digits
	b = b[n:end]
	for i := end - n - 2; ; i -= 2 {
		if u < 10 {
			b[0] = '0' + byte(u)
			return end
		}
		rest := u / 100
		pair := (u - 100*rest) * 2
		b[i], b[i+1] = pairs[pair], pairs[pair+1]
		if rest == 0 {
			return end
		}
		u = rest
	}
}

// setHex writes u in base 16.
func setHex(b []byte, n int, u uint64) (end int) {
	end = n + max((bits.Len64(u)+3)/4, 1)
	for i := end - 1; i >= n; i-- {
		b[i] = "0123456789abcdef"[u&15]
		u >>= 4
	}
	return end
}
