package scanner_test

import (
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/scan/*.txtar", map[string]func([]byte) []byte{
		"tokens": func(input []byte) []byte {
			f := token.NewFile("input", string(input))
			var b strings.Builder
			for _, tok := range scanner.Scan(f) {
				line, col := f.Position(tok.Span.From)
				fmt.Fprintf(&b, "%d:%d %s", line, col, class(tok.Kind))
				if text := f.Text(tok.Span); text != class(tok.Kind) {
					fmt.Fprintf(&b, " %q", text)
				}
				b.WriteByte('\n')
			}
			return []byte(b.String())
		},
		"diagnostics": func(input []byte) []byte {
			f := token.NewFile("input", string(input))
			var errs diag.List
			for s := scanner.New(f, &errs); s.Next().Kind != token.EOF; {
			}
			var b strings.Builder
			if err := diag.Print(&b, f, errs); err != nil {
				t.Fatal(err)
			}
			return []byte(b.String())
		},
	})
}

// class names the kind of a token; keywords are one class.
func class(k token.Kind) string {
	if k.IsKeyword() {
		return "keyword"
	}
	return k.String()
}

func TestInt(t *testing.T) {
	for _, tt := range []struct {
		text string
		want scanner.IntLit
		code diag.Code
	}{
		{"0", scanner.IntLit{}, ""},
		{"12", scanner.IntLit{Value: 12}, ""},
		{"0x1F", scanner.IntLit{Value: 31}, ""},
		{"017", scanner.IntLit{Value: 15}, ""},
		{"5u", scanner.IntLit{Value: 5, Unsigned: true}, ""},
		{"5L", scanner.IntLit{Value: 5, Longs: 1}, ""},
		{"3ULL", scanner.IntLit{Value: 3, Unsigned: true, Longs: 2}, ""},
		{"18446744073709551615", scanner.IntLit{Value: 1<<64 - 1}, ""},
		{"18446744073709551616", scanner.IntLit{}, diag.IntOverflow},
		{"0x10000000000000000", scanner.IntLit{}, diag.IntOverflow},
		{"99999999999999999999999999", scanner.IntLit{}, diag.IntOverflow},
		{"019", scanner.IntLit{}, diag.IntDigit},
		{"12ab", scanner.IntLit{}, diag.IntDigit},
		{"1uu", scanner.IntLit{}, diag.IntDigit},
		{"0x", scanner.IntLit{}, diag.IntDigit},
		{"0xg", scanner.IntLit{}, diag.IntDigit},
	} {
		got, fault := scanner.Int(tt.text)
		if fault != nil {
			if fault.Code != tt.code {
				t.Errorf("Int(%q): %s, want %q", tt.text, fault.Code, tt.code)
			}
		} else if got != tt.want || tt.code != "" {
			t.Errorf("Int(%q) = %+v, want %+v %s", tt.text, got, tt.want, tt.code)
		}
	}
}

func TestChar(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64
		code diag.Code
	}{
		{`'a'`, 'a', ""},
		{`'ab'`, 'a'<<8 | 'b', ""},
		{`'\n'`, '\n', ""},
		{`'\''`, '\\'<<8 | '\'', ""}, // no escape in D
		{`'"'`, '"', ""},
		{`'\377'`, 255, ""},
		{`'\x41'`, 'A', ""},
		{`'abcdefgh'`, 0x6162636465666768, ""},
		{`'abcdefghi'`, 0, diag.CharOverflow},
		{`''`, 0, diag.CharNull},
	} {
		got, fault := scanner.Char(tt.text)
		if fault != nil {
			if fault.Code != tt.code {
				t.Errorf("Char(%s): %s, want %q", tt.text, fault.Code, tt.code)
			}
		} else if got != tt.want || tt.code != "" {
			t.Errorf("Char(%s) = %#x, want %#x %s", tt.text, got, tt.want, tt.code)
		}
	}
}

func TestString(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`"plain"`, "plain"},
		{`""`, ""},
		{`"a\tb\n"`, "a\tb\n"},
		{`"\"\\"`, `"\`},
		{`"\0\12\1234"`, "\x00\nS4"},
		{`"\x1b[0m"`, "\x1b[0m"},
		{`"\x"`, `\x`},
		{`"\q\8\?\'"`, `\q\8\?\'`}, // what is no escape keeps its backslash
		{`"\a\b\f\v\r"`, "\a\b\f\v\r"},
		{`"open`, "open"},
		{`"é"`, "é"},
	} {
		if got := scanner.String(tt.text); got != tt.want {
			t.Errorf("String(%s) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// FuzzScan holds what the editor relies upon: no panic, progress, spans in order
// without overlap, white space alone between them, and no token without text.
func FuzzScan(f *testing.F) {
	for _, src := range golden.Inputs(f, "../../testdata/*/*.txtar") {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		file := token.NewFile("fuzz", src)
		end := token.Pos(1)
		for _, tok := range scanner.Scan(file) {
			if tok.Span.From < end || tok.Span.To <= tok.Span.From || int(tok.Span.To) > len(src)+1 {
				t.Fatalf("%v covers %v, the token before ends at %d", tok.Kind, tok.Span, end)
			}
			between(t, src[end-1:tok.Span.From-1])
			end = tok.Span.To
		}
		between(t, src[end-1:])
	})
}

func between(t *testing.T, text string) {
	t.Helper()
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.Trim(strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(text), " \t\r\n\v\f") != "" {
		t.Fatalf("%q is in no token", text)
	}
}

func BenchmarkScan(b *testing.B) {
	f := token.NewFile("bench", golden.Repeat(golden.Inputs(b, "../../testdata/format/*.txtar"), 1000))
	b.SetBytes(int64(len(f.Src)))
	b.ReportAllocs()
	for b.Loop() {
		scanner.Scan(f)
	}
}
