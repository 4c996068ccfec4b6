package lower

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/ir/interp"
	"dscope.dev/dlang/linux"
)

// size is the bytes of a string in these tests.
const size = 40

// runtimeFuncs links all subroutines and runs the passes over them.
func runtimeFuncs(t *testing.T, level int) map[string]*ir.Func {
	t.Helper()
	files, err := fs.Glob(runtime, "lib/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatal("no runtime", err)
	}
	l := &lowerer{opts: ir.Options{StrSize: size}, out: &ir.Program{}, subs: map[string]bool{}, offsets: map[string]int{}}
	for _, words := range []map[string]linux.Member{pathWords, pidWords, {"PIDNUMBER": 0, "OURINODE": 0}} {
		for word := range words {
			l.offsets[word] = 8
		}
	}
	for _, f := range files {
		l.subs[strings.TrimSuffix(strings.TrimPrefix(f, "lib/"), ".ir")] = true
	}
	l.link()
	funcs := map[string]*ir.Func{}
	for _, f := range l.out.Funcs {
		if err := ir.Verify(f); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if err := ir.Optimize(f, level, nil); err != nil {
			t.Fatalf("%v\n%s", err, f)
		}
		funcs[f.Name] = f
	}
	return funcs
}

// A subject is a subroutine with one set of arguments, and what it should give.
type subject struct {
	name string
	args []any // string or int64; a nil is 80 bytes for a result
	want any   // int64, or the string in the first nil
}

func subjects(r *rand.Rand) []subject {
	word := func(letters string, most int) string {
		b := make([]byte, r.IntN(most))
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	s, u := word("ab\xc1", size), word("ab\xc1", size)
	if r.IntN(2) == 0 {
		u = s[:r.IntN(len(s)+1)] + u[:r.IntN(len(u)+1)]
		u = u[:min(len(u), size-1)]
	}
	part := word("ab", 4)
	if len(s) > 0 && r.IntN(2) == 0 {
		i := r.IntN(len(s))
		part = s[i : i+r.IntN(len(s)-i)+1]
	}
	c := []byte{'a', 'b', 0xc1, 'x', 0}[r.IntN(5)]
	from := r.Int64N(int64(len(s) + 1))
	n := r.Int64() >> r.IntN(64) * (r.Int64N(3) - 1)
	base := r.IntN(35) + 2
	text := word(" \t", 4) + word("+-", 3) + word("0xX", 3) + word("0123456789abcdefZ", 12)
	all := word("aZ@[`{mM/\x80\xff\xda", size)
	return []subject{
		{"strcmp", []any{s, u}, int64(cmp.Compare(s, u))},
		{"strlen", []any{s}, int64(len(s))},
		{"strchr", []any{s, int64(c)}, int64(strings.IndexByte(s+"\x00", c))},
		{"strrchr", []any{s, int64(c) - 256}, int64(strings.LastIndexByte(s+"\x00", c))},
		{"find", []any{s, part, from}, find(s, part, int(from))},
		{"rfind", []any{s, part, from}, rfind(s, part, int(from))},
		{"tolower", []any{nil, all}, letters(all, 'A')},
		{"toupper", []any{nil, all}, letters(all, 'a')},
		{"lltostr", []any{nil, n, int64(base)}, spell(n, base)},
		{"strtoll", []any{text, int64(base)}, number(text, base)},
	}
}

func find(s, part string, from int) int64 {
	if from >= len(s) {
		return -1
	}
	i := strings.Index(s[from:], part)
	if i < 0 || from+i >= len(s) {
		return -1
	}
	return int64(from + i)
}

func rfind(s, part string, from int) int64 {
	for i := min(from, len(s)); i >= 0; i-- {
		if strings.HasPrefix(s[i:], part) {
			return int64(i)
		}
	}
	return -1
}

func letters(s string, first byte) string {
	b := []byte(s)
	for i, c := range b {
		if c >= first && c < first+26 {
			b[i] ^= 0x20
		}
	}
	return string(b)
}

func spell(n int64, base int) string {
	switch base {
	case 10:
		return strconv.FormatInt(n, 10)
	case 16:
		return "0x" + strconv.FormatUint(uint64(n), 16)
	case 8:
		if n != 0 {
			return "0" + strconv.FormatUint(uint64(n), 8)
		}
	}
	return strconv.FormatUint(uint64(n), base)
}

func number(s string, base int) int64 {
	s = strings.TrimLeft(s, " \t")
	sign := int64(1)
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if base == 16 && len(s) > 2 && s[0] == '0' && s[1]|32 == 'x' && digit(s[2]) < 16 {
		s = s[2:]
	}
	n := int64(0)
	for i := 0; i < len(s) && digit(s[i]) < base; i++ {
		n = n*int64(base) + int64(digit(s[i]))
	}
	return n * sign
}

func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|32 && c|32 <= 'z':
		return int(c|32-'a') + 10
	}
	return 99
}

// TestRuntime compares the subroutines with what Go gives, for random arguments.
func TestRuntime(t *testing.T) {
	for _, level := range []int{0, 2} {
		funcs := runtimeFuncs(t, level)
		r := rand.New(rand.NewPCG(1, 2))
		for range 3000 {
			for _, s := range subjects(r) {
				got, err := runSubject(funcs, s)
				if want := fmt.Sprintf("%q", fmt.Sprint(s.want)); err != nil || got != want {
					t.Fatalf("-O%d %s(%q) = %s, %v; want %s", level, s.name, s.args, got, err, want)
				}
			}
		}
	}
}

func runSubject(funcs map[string]*ir.Func, s subject) (string, error) {
	var words []int64
	var mems [][]byte
	var result []byte
	for _, a := range s.args {
		switch a := a.(type) {
		case int64:
			words, mems = append(words, a), append(mems, nil)
		case string:
			b := []byte(strings.Repeat("~", size+8)) // what lies behind a string is not zero
			copy(b, a+"\x00")
			words, mems = append(words, 0), append(mems, b)
		default:
			result = make([]byte, 80)
			words, mems = append(words, 0), append(mems, result)
		}
	}
	m := interp.New(&ir.Program{})
	w, err := m.Call(funcs[s.name], words, mems)
	if result != nil {
		text, _, _ := strings.Cut(string(result), "\x00")
		return fmt.Sprintf("%q", text), err
	}
	if s.name == "strcmp" {
		w = int64(cmp.Compare(w, 0))
	}
	return fmt.Sprintf("%q", fmt.Sprint(w)), err
}

func TestPathParts(t *testing.T) {
	fn := runtimeFuncs(t, 2)["pathparts"]
	for _, tt := range []struct {
		path               string
		start, end, before int64
	}{
		{"", 0, 0, 0},
		{"/", 0, 0, 0},
		{"//", 0, 0, 0},
		{"a", 0, 1, 0},
		{"usr/lib", 4, 7, 3},
		{"/usr/lib//", 5, 8, 4},
		{"/usr", 1, 4, 0},
		{"a//b", 3, 4, 1},
		{strings.Repeat("x", size-1), 0, size - 1, 0},
	} {
		mem := make([]byte, size)
		copy(mem, tt.path)
		out := make([]byte, 24)
		if _, err := interp.New(&ir.Program{}).Call(fn, []int64{0, 0}, [][]byte{mem, out}); err != nil {
			t.Fatal(err)
		}
		got := [3]int64{int64(out[0]), int64(out[8]), int64(out[16])}
		if want := [3]int64{tt.start, tt.end, tt.before}; got != want {
			t.Errorf("pathparts(%q) = %v, want %v", tt.path, got, want)
		}
	}
}

// TestRaise keeps the greater of two words, counted without sign.
func TestRaise(t *testing.T) {
	fn := runtimeFuncs(t, 2)["raise"]
	for _, tt := range [][3]int64{{0, 5, 5}, {5, 0, 5}, {5, 5, 5}, {5, -1, -1}, {-1, 5, -1}} {
		mem := binary.LittleEndian.AppendUint64(nil, uint64(tt[0]))
		_, err := interp.New(&ir.Program{}).Call(fn, []int64{0, tt[1]}, [][]byte{mem, nil})
		if got := int64(binary.LittleEndian.Uint64(mem)); err != nil || got != tt[2] {
			t.Errorf("%d raised to %d is %d, %v; want %d", tt[0], tt[1], got, err, tt[2])
		}
	}
}
