package lower

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"path"
	"strings"
	"testing"

	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/ir/interp"
)

// buffer is s in n bytes of memory, with other bytes behind its terminator.
func buffer(s string, n int) []byte {
	b := []byte(strings.Repeat("~", n))
	copy(b, s+"\x00")
	return b
}

func text(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return s
}

// callSub runs a subroutine whose arguments are numbers and memory.
func callSub(t *testing.T, f *ir.Func, args ...any) int64 {
	t.Helper()
	words, mems := make([]int64, len(args)), make([][]byte, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case int:
			words[i] = int64(a)
		case []byte:
			mems[i] = a
		}
	}
	w, err := interp.New(&ir.Program{}).Call(f, words, mems)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestCleanpath(t *testing.T) {
	fn := runtimeFuncs(t, 2)["cleanpath"]
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		var p string
		for len(p) < r.IntN(size) {
			p += []string{"/", "/", ".", "..", "a", "bc", "..."}[r.IntN(7)]
		}
		p = p[:min(len(p), size-1)]
		want := path.Clean(p)
		if p == "" {
			want = "" // there it is "."
		}
		dst := make([]byte, size+8)
		callSub(t, fn, dst, buffer(p, size))
		if got := text(dst); got != want {
			t.Fatalf("cleanpath(%q) = %q, want %q", p, got, want)
		}
	}
}

// TestStrtok follows whole strings with what C's strtok() does, but that the byte
// that ends a token is left for the next call.
func TestStrtok(t *testing.T) {
	fn := runtimeFuncs(t, 2)["strtok"]
	r := rand.New(rand.NewPCG(5, 6))
	word := func(most int) string {
		b := make([]byte, r.IntN(most))
		for i := range b {
			b[i] = "ab,;\xff"[r.IntN(5)]
		}
		return string(b)
	}
	for range 1000 {
		s := word(size)
		state := append(make([]byte, 8), buffer(s, size)...)
		rest := s
		for range 5 {
			ends, dst := word(4), make([]byte, size)
			for rest != "" && strings.IndexByte(ends, rest[0]) >= 0 {
				rest = rest[1:]
			}
			n := 0
			for n < len(rest) && strings.IndexByte(ends, rest[n]) < 0 {
				n++
			}
			want := rest[:n]
			rest = rest[n:]
			got := callSub(t, fn, dst, state, buffer(ends, size))
			if (got != 0) != (want != "") || got != 0 && text(dst) != want {
				t.Fatalf("strtok in %q, ends %q: %d %q, want %q", s, ends, got, text(dst), want)
			}
		}
	}
}

func TestInet(t *testing.T) {
	funcs := runtimeFuncs(t, 2)
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		var a [16]byte
		for i := range a {
			if r.IntN(3) == 0 {
				a[i] = byte(r.Uint32()) >> r.IntN(8)
			}
		}
		dst := make([]byte, 48)
		n := callSub(t, funcs["inetntoa6"], dst, a[:], 8)
		if want := netip.AddrFrom16(a).StringExpanded(); n != int64(len(text(dst))) || expand(t, text(dst)) != want {
			t.Fatalf("inetntoa6(%x) = %q, want %s", a, text(dst), want)
		}
		if want := netip.AddrFrom16(a); !want.Is4In6() && text(dst) != want.String() {
			t.Fatalf("inetntoa6(%x) = %q, want %s", a, text(dst), want)
		}
		callSub(t, funcs["inetntoa"], dst, a[:4])
		if want := netip.AddrFrom4([4]byte(a[:4])).String(); text(dst) != want {
			t.Fatalf("inetntoa(%x) = %q, want %s", a[:4], text(dst), want)
		}
		long, link := make([]byte, 64), make([]byte, 24)
		copy(link, a[:])
		callSub(t, funcs["linkntop"], long, link, 20)
		if want := strings.ReplaceAll(fmt.Sprintf("% x", link[:20]), " ", ":"); text(long) != want {
			t.Fatalf("linkntop(%x) = %q, want %s", link, text(long), want)
		}
	}
}

func expand(t *testing.T, s string) string {
	t.Helper()
	a, err := netip.ParseAddr(s)
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return a.StringExpanded()
}

// jsonSub calls json() over texts of any length.
func jsonSub(t *testing.T, s, p string) (string, bool) {
	t.Helper()
	n := round8(max(len(s), len(p)) + 1)
	l := &lowerer{opts: ir.Options{StrSize: n}, out: &ir.Program{}, subs: map[string]bool{"json": true}}
	l.link()
	dst := make([]byte, n)
	found := callSub(t, l.out.Funcs[0], dst, buffer(s, n), buffer(p, n), []byte(jsonTables()+"\x00"))
	return text(dst), found == 1
}

func TestJSON(t *testing.T) {
	const doc = `{ "a" : 1 , "b":[10, "x",{"c":true},[ null ]], "long key":"v\"\\\u00e9", "o":{"p":{"q":-1.5e+3}},"e":{},"f":[] , "last":false}`
	for _, tt := range []struct {
		text, path, want string
		found            bool
	}{
		{doc, "a", "1", true},
		{doc, "b[0]", "10", true},
		{doc, "b[1]", "x", true},
		{doc, "b[2].c", "true", true},
		{doc, "b[2]", `{"c":true}`, true},
		{doc, "b[3][0]", "null", true},
		{doc, "b", `[10, "x",{"c":true},[ null ]]`, true},
		{doc, "long key", `v\"\\\u00e9`, true},
		{doc, "o.p.q", "-1.5e+3", true},
		{doc, "o.p", `{"q":-1.5e+3}`, true},
		{doc, "e", "{}", true},
		{doc, "f", "[]", true},
		{doc, "last", "false", true},
		{doc, "", "", false},
		{doc, "b[4]", "", false},
		{doc, "b[-1]", "", false},
		{doc, "a.x", "", false},
		{doc, "f[0]", "", false},
		{doc, "nothing", "", false},
		{doc, "c", "", false},
		{doc, "o.q", "", false},
		{`[1,[2,[3,4]]]`, "[1][1][0]", "3", true},
		{`[1,2]`, "1", "2", true},
		{`[7]`, "words", "7", true}, // a part that is no number is index 0
		{`[1,2]`, "99999999999999999999", "", false},
		{`{"":5}`, "", "5", true},
		{`{"a.b":5}`, "a.b", "", false}, // a dot is never part of a key
		{`{"ab":1,"a":2,"abc":3}`, "a", "2", true},
		{`{"k":{"x]":"}","y":[1]}, "z":1}`, "z", "1", true},
		{`{"k":"a\u12"}`, "k", "", false},
		{`{"k":maybe}`, "k", "", false},
		{`{"k":nullx}`, "k", "", false},
		{`{"k":0x10}`, "k", "", false},
		{`{"k":+1}`, "k", "", false},
		{`{"k":1`, "k", "", false}, // the number might go on
		{`{"k":"v"`, "k", "v", true},
		{`{"k" 1}`, "k", "", false},
		{`{"k":1 "l":2}`, "l", "", false},
		{`"k"`, "k", "", false},
		{"", "", "", false},
		{`{"k":[1}`, "k", "", false},
		{`{"k":[}]]}`, "k", "", false},
	} {
		got, found := jsonSub(t, tt.text, tt.path)
		if found != tt.found || found && got != tt.want {
			t.Errorf("json(%s, %q) = %q, %v; want %q, %v", tt.text, tt.path, got, found, tt.want, tt.found)
		}
	}
}

// TestJSONGo compares with Go's package, for random values and every path in them.
func TestJSONGo(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var make func(depth int) any
	make = func(depth int) any {
		switch n := r.IntN(9); {
		case depth > 0 && n < 2:
			m := map[string]any{}
			for i := range r.IntN(4) {
				m[string(rune('a'+i))+strings.Repeat("k", r.IntN(3))] = make(depth - 1)
			}
			return m
		case depth > 0 && n < 4:
			list := []any{}
			for range r.IntN(4) {
				list = append(list, make(depth-1))
			}
			return list
		case n < 6:
			return float64(r.IntN(2000)-1000) / []float64{1, 8, 1e-20}[r.IntN(3)]
		case n == 6:
			return []any{true, false, nil}[r.IntN(3)]
		}
		return []string{"", "x", "}", `a "quoted" word`, "[1,"}[r.IntN(5)]
	}
	for range 100 {
		doc := map[string]any{"r": make(4)}
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		walkJSON(doc["r"], "r", func(p string, v any) {
			w, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			want := string(w)
			if _, isText := v.(string); isText {
				want = want[1 : len(want)-1]
			}
			if got, found := jsonSub(t, string(b), p); !found || got != want {
				t.Fatalf("json(%s, %q) = %q, %v; want %q", b, p, got, found, want)
			}
		})
	}
}

func walkJSON(v any, at string, see func(string, any)) {
	see(at, v)
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			walkJSON(e, at+"."+k, see)
		}
	case []any:
		for i, e := range v {
			walkJSON(e, fmt.Sprintf("%s[%d]", at, i), see)
		}
	}
}
