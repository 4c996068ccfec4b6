package record

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/lower"
)

// TestPrintsAsAlone puts formats together and compares the text of a record that shares its
// event with others to that of an event of its own.
func TestPrintsAsAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for range 20000 {
		var text strings.Builder
		var args []any
		for range r.IntN(5) {
			text.WriteString(pick("", " ", "\n", "%%", "a longer text, \x1b[1m"))
			text.WriteString("%" + pick("", "", "", "-", "0", "#", "+", " ") + pick("", "", "1", "7", "30") + pick("", "", "", ".2", ".9"))
			if r.IntN(3) > 0 {
				text.WriteString(pick("d", "i", "u", "x", "X", "o", "p", "c", "ld", "hd"))
				args = append(args, number(r))
				continue
			}
			text.WriteString("s")
			args = append(args, traced(r))
		}
		printf(t, text.String(), args...) // compares
		if t.Failed() {
			return
		}
	}
}

// number returns an integer of some size, often one near a bound.
func number(r *rand.Rand) any {
	n := r.Uint64() >> r.IntN(64)
	if r.IntN(4) == 0 {
		n = []uint64{0, 9, 10, 99, 100, math.MaxInt8, 1 << 7, math.MaxInt32, 1 << 31, math.MaxInt64, 1 << 63, math.MaxUint64}[r.IntN(12)]
	}
	return []any{int8(n), int16(n), int32(n), int(n), uint8(n), uint32(n), n}[r.IntN(7)]
}

// traced returns what a process might say.
func traced(r *rand.Rand) any {
	b := make([]byte, r.IntN(40))
	for i := range b {
		b[i] = byte(' ' + r.IntN(95))
		if r.IntN(60) == 0 {
			b[i] = byte(r.Uint32())
		}
	}
	switch r.IntN(4) {
	case 0:
		return append(b, 0)
	case 1:
		return probePart1(r.IntN(4))
	}
	return string(b)
}

// A record that more comes of than text has an event of its own, as has one that is none.
func TestPrintsNoMore(t *testing.T) {
	call := func() *check.Call { return &check.Call{Format: format(t, "x")} }
	for name, change := range map[string]func(*fixture, *Config){
		"trace()": func(f *fixture, c *Config) { f.action(lower.ActTrace, nil, int32(1)); *c = f.config() },
		"exit()":  func(f *fixture, c *Config) { f.action(lower.ActExit, nil, int32(1)); *c = f.config() },
		"a part": func(f *fixture, c *Config) {
			f.layout.Stamp = len(f.rec)
			f.rec = append(f.rec, make([]byte, 8)...)
			*c = f.config()
		},
		"a fault":              func(_ *fixture, c *Config) { c.Records[0].Clause = -1 },
		"values asked for too": func(_ *fixture, c *Config) { c.Raw = true },
		"too short for a head": func(f *fixture, _ *Config) { f.rec = f.rec[:7] },
		"too short":            func(f *fixture, _ *Config) { f.rec = f.rec[:len(f.rec)-1] },
		"no more than a head":  func(f *fixture, _ *Config) { f.rec = f.rec[:8:8] },
		"an unknown probe":     func(f *fixture, _ *Config) { f.rec[4] = 9 },
		"an unknown layout":    func(f *fixture, _ *Config) { f.rec[0] = 9 },
	} {
		f := newFixture()
		f.action(lower.ActPrintf, call(), int32(1))
		c := f.config()
		change(f, &c)
		d, err := New(c)
		if err != nil {
			t.Fatal(name, err)
		}
		if text, _, ok := d.Print(nil, f.rec); ok || len(text) > 0 {
			t.Errorf("%s: printed %q", name, text)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	f := newFixture()
	f.action(lower.ActPrintf, &check.Call{Format: format(b, "%s %d %d\n")}, "loadgen", int32(4711), int(1))
	d, err := New(f.config())
	if err != nil {
		b.Fatal(err)
	}
	var text []byte
	for b.Loop() {
		text, _, _ = d.Print(text[:0], f.rec)
	}
}

// TestGraphic asks of each byte, at each place of a word among each other byte, whether it is
// ASCII and no control.
func TestGraphic(t *testing.T) {
	plain := func(c int) bool { return ' ' <= c && c < 0x7f }
	for c := range 256 {
		for other := range 256 {
			for at := range 8 {
				w := uint64(other)*ones&^(0xff<<(8*at)) | uint64(c)<<(8*at)
				if got := graphic(w); got != (plain(c) && plain(other)) {
					t.Fatalf("graphic(%016x) = %v", w, got)
				}
			}
		}
	}
}
