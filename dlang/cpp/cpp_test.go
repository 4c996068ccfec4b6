package cpp_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/token"
)

// noon is when the tests are run.
var noon = time.Date(2026, time.March, 4, 12, 0, 5, 0, time.UTC)

// split takes the headers off an input. They stand below it, each after a line
// ">> path"; the folders are in (for -I) and sys (for the system).
func split(input []byte) (script string, headers map[string]string) {
	headers = map[string]string{}
	text, rest, more := strings.Cut(string(input), "\n>> ")
	if more {
		text += "\n"
	}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, "\n>> ")
		path, body, _ := strings.Cut(part, "\n")
		if more {
			body += "\n"
		}
		headers[path] = body
	}
	return text, headers
}

// config is what archives are preprocessed with.
func config(headers map[string]string) cpp.Config {
	return cpp.Config{
		Include: []string{"in"}, System: []string{"sys"}, Arch: "amd64", Now: noon,
		Defines: []cpp.Define{{Text: "GIVEN"}, {Text: "FORTY=40"}, {Text: "TWICE(x)=x x"}, {Text: "GONE"}, {Text: "GONE", Undef: true}},
		Open: func(path string) (io.ReadCloser, error) {
			text, ok := headers[path]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return io.NopCloser(strings.NewReader(text)), nil
		},
	}
}

func run(input []byte) (*cpp.Result, diag.List) {
	script, headers := split(input)
	return cpp.Process(config(headers), "input", script)
}

func printText(input []byte) []byte {
	r, list := run(input)
	if list.Failed() {
		return []byte("failed\n")
	}
	return []byte(strings.TrimRight(r.File.Src, " \n"))
}

func printDiagnostics(input []byte) []byte {
	r, list := run(input)
	var b bytes.Buffer
	if err := diag.Print(&b, r.File, list); err != nil {
		b.WriteString(err.Error())
	}
	return b.Bytes()
}

// printWords shows where each word of the result was written.
func printWords(input []byte) []byte {
	r, _ := run(input)
	var b bytes.Buffer
	for off := 0; off < len(r.File.Src); {
		word := r.File.Src[off:]
		if i := strings.IndexAny(word, " \t\n"); i >= 0 {
			word = word[:i]
		}
		if word == "" {
			off++
			continue
		}
		at := token.Span{From: token.Pos(off + 1), To: token.Pos(off + len(word) + 1)}
		name, line, col := r.File.Place(at.From)
		src, from := r.File.Origin(at)
		fmt.Fprintf(&b, "%-12s %s:%d:%d %q", word, name, line, col, src.Text(from))
		for _, o := range r.File.Reasons(at) {
			name, line, col := o.File.Place(o.At.From)
			fmt.Fprintf(&b, ", %s %s:%d:%d", o.Msg, name, line, col)
		}
		b.WriteByte('\n')
		off += len(word)
	}
	return b.Bytes()
}

func printHeaders(input []byte) []byte {
	r, _ := run(input)
	var b bytes.Buffer
	for _, h := range r.Headers {
		fmt.Fprintf(&b, "%s %s\n", strings.Repeat(".", h.Depth), h.Path)
	}
	return b.Bytes()
}

func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/cpp/*.txtar", map[string]func([]byte) []byte{
		"text": printText, "diagnostics": printDiagnostics, "words": printWords, "headers": printHeaders,
	})
}

// TestExpansion holds single expansions, the standard's hard cases among them.
func TestExpansion(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"object", "#define A 1\nA B A", "1 B 1"},
		{"own name", "#define foo foo + 1\nfoo", "foo + 1"},
		{"each other", "#define a b\n#define b a\na b", "a b"},
		{"arguments expand first", "#define id(x) x\n#define two id(2)\nid(id)(two)", "id(2)"},
		{"name before parenthesis only", "#define f(x) [x]\nf f(1) f (2)", "f [1] [2]"},
		{"over lines", "#define f(x,y) x-y\nf(1,\n  2) end", "1-2 end"},
		{"commas in parentheses", "#define f(x,y) y x\nf((1,2),3)", "3 (1,2)"},
		{"empty arguments", "#define f(x,y) [x|y]\nf(,) f(1,) f(,2)", "[|] [1|] [|2]"},
		{"no parameters", "#define f() 7\nf() f( )", "7 7"},
		{"expansion takes the parenthesis from the text", "#define f(x) <x>\n#define g f\ng(1) g\n(2)", "<1> <2>"},
		{"rest of the text in a name", "#define t(x,y) x + y + sub(\nt(1,2) 3)", "1 + 2 + sub( 3)"},
		{"painted", "#define f(x) x f\nf(1)(2)", "1 f(2)"},
		{"string", "#define s(x) #x\ns( a  b /* c */ d ) s(\"q\\n\" 'x\\0')", `"a b d" "\"q\\n\" 'x\\0'"`},
		{"string of no expansion", "#define N 1\n#define s(x) #x\n#define e(x) s(x)\ns(N) e(N)", `"N" "1"`},
		{"paste", "#define p(x,y) x ## y\np(a,b) p(1,2) p(,z) p(z,) p(<,<=) p(,)", "ab 12 z z <<="},
		{"paste makes a name", "#define AB 5\n#define p(x,y) x##y\np(A,B)", "5"},
		{"paste does not expand", "#define N 1\n#define p(x) N##x x\np(N)", "NN 1"},
		{"string after paste", "#define p(x) x ## #x\np()", `""`},
		{"carriage returns", "#define A 1 + \\\r\n 2\r\nA\r\n", "1 + 2"},
		{"hash of hashes", "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n" +
			"#define join(c, d) in_between(c hash_hash d)\njoin(x, y)", `"x ## y"`},
		{"variadic", "#define v(...) [__VA_ARGS__]\nv() v(1) v(1, 2)", "[] [1] [1, 2]"},
		{"variadic after others", "#define v(f, ...) f(__VA_ARGS__)\nv(g, 1, (2,3))", "g(1, (2,3))"},
		{"variadic with a name", "#define v(f, a...) f(#a)\nv(g, 1,2)", `g("1,2")`},
		{"variadic and its comma", "#define v(f, ...) p(f, ## __VA_ARGS__)\nv(\"a\") v(\"a\", 1)", `p("a") p("a", 1)`},
		{"no accidental tokens", "#define m -1\n#define s /\n-m s s*m", "- -1 / / *-1"},
		{"words stay apart", "#define e\n#define f(x) x\na/**/b f(a)f(b) 1e", "a b a b 1e"},
		{"continued", "#define long \\\n  1 + \\\n  2\nlo\\\nng", "1 + 2"},
		{"undefined", "#define A 1\n#undef A\n#undef B\nA", "A"},
		{"given", "GIVEN FORTY TWICE(y) GONE", "1 40 y y GONE"},
		{"counter", "__COUNTER__ __COUNTER__", "0 1"},
		{"line and file", "__LINE__\n#line 40 \"x.h\"\n__LINE__ __FILE__", "1\n\n40 \"x.h\""},
		{"date", "__DATE__ __TIME__", `"Mar  4 2026" "12:00:05"`},
		{"redefined the same", "#define A  1 /* x */ + 2\n#define A 1 + 2\nA", "1 + 2"},
		{"in a string", "#define A 1\n\"A\" 'A'", "\"A\" 'A'"},
		{"null directive", "#\n # \nx", "x"},
		{"comments", "a /* #define A\n#define B */ b // c \\\n d\ne", "a b\n\n\ne"},
		{"directive behind a comment", "/* \n */ # /* x */ define A 2 // two\nA", "2"},
		{"directive in arguments", "#define f(x) [x]\nf(1\n#ifdef GIVEN\n2\n#else\n3\n#endif\n)", "[1 2]"},
		{"not a directive", "a # define A 1", "a # define A 1"},
		{"if in a skipped group", "#if 0\n#if 1\n#else\n#elif\n#endif\nx\n#else\ny\n#endif", "y"},
		{"prose in a skipped group", "#if 0\ndon't look \"here\n#endif\nx", "x"},
		{"elif", "#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b"},
		{"elif is not evaluated", "#if 1\na\n#elif 1/0\n#endif", "a"},
	} {
		r, list := cpp.Process(config(nil), "x.d", tt.src)
		if list.Failed() {
			var b strings.Builder
			diag.Print(&b, r.File, list)
			t.Errorf("%s: failed:\n%s", tt.name, b.String())
			continue
		}
		if got := squeeze(r.File.Src); got != squeeze(tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, squeeze(tt.want))
		}
	}
}

// squeeze leaves lines without text out.
func squeeze(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// TestSurvives holds what belongs to D: it comes out as it went in.
func TestSurvives(t *testing.T) {
	for _, src := range []string{
		"syscall::read*:entry,\nfbt:vmlinux:vfs_[rw]*:return\n/pid == $target && execname != $$1/\n{ @x[`jiffies, ext4`foo, $1] = count(); }\n",
		"pid$target:a.out:it's:entry { trace(1); }\n",
		"tick-10ms, profile-97hz, tick-1sec { @ = llquantize(x, 10, 0, 6, 20); }\n",
		"#pragma D option quiet\nBEGIN { printf(\"%d # %s // \\\" /* x */\\n\", 'a', '\\''); }\n",
		"BEGIN\n\n\n{\n\tself->x = a?b:c;\n\tx ^^= 1; a->b++ - --c; d = -1 - -2;\n}\n",
		"\t {\t  a  +  b }\n\n\vEND",
		"/x / 2 > y/ { \"not closed\n }\n",
		"π→λ ünï “quoted”\n",
	} {
		r, list := cpp.Process(config(nil), "x.d", src)
		if len(list) > 0 {
			t.Errorf("%q: %v", src, list[0].Msg)
		}
		if r.File.Src != src {
			t.Errorf("got\n%q\nwant\n%q", r.File.Src, src)
		}
		for i := range len(src) { // each byte is where it was
			if got, at := r.File.Origin(token.Span{From: token.Pos(i + 1), To: token.Pos(i + 2)}); got.Name != "x.d" || at.From != token.Pos(i+1) {
				t.Fatalf("%q: byte %d comes from %s %v", src, i, got.Name, at)
			}
		}
	}
}

func TestConditions(t *testing.T) {
	for _, tt := range []struct {
		cond string
		want bool
	}{
		{"1", true}, {"0", false}, {"-1", true}, {"!1", false}, {"~0", true}, {"+0x10 == 16", true}, {"010 == 8", true},
		{"1 + 2 * 3 == 7", true}, {"(1 + 2) * 3 == 9", true}, {"1 << 4 == 16", true}, {"-1 >> 1 == -1", true},
		{"1 >> -1 == 2", true}, {"1 ? 2 : 3", true}, {"(0 ? 2 : 3) == 3", true}, {"1 ? 0 : 1 ? 2 : 3", false},
		{"0 && 1/0", false}, {"1 || 1/0", true}, {"1 ? 1 : 1/0", true}, {"0 ? 1%0 : 2", true},
		{"1 || 0 && 0", true}, {"(1 || 0) && 0", false}, {"1 | 2 ^ 2 & 1", true}, {"5 % 3 == 2", true},
		{"-7 / 2 == -3", true}, {"-7 % 2 == -1", true}, {"-1 > 0u", true}, {"-1 > 0", false}, {"0 - 1u > 0", true},
		{"(0 ? 1u : -1) > 0", true}, {"0xffffffffffffffff > 0", true}, {"9223372036854775807 > 0", true},
		{"'a' == 97", true}, {"'\\n' == 10 && '\\x41' == 65 && '\\101' == 'A'", true}, {"'ab' == 0x6162", true}, {"L'\\0' - 1 < 0", true}, {"'\\377' < 0", true},
		{"defined GIVEN", true}, {"defined(GIVEN) && !defined ( NOPE )", true}, {"!defined GIVEN", false},
		{"NOPE", false}, {"FORTY == 40", true}, {"TWICE(+1) == 2", true}, {"unknown(", false},
		{"__linux__ && defined __x86_64__ && __SUNW_D && __SUNW_D_VERSION >= 0x02000000 && !defined __GNUC__", true},
		{"__STDC__ && __STDC_VERSION__ >= 199901L", true}, {"defined __LINE__", true}, {"defined __has_include && __has_include(\"h.h\") && __has_include ( <s.h> )", true},
		{"__has_include(<h.h>)", false}, {"1ull + 2LU == 3", true},
		{"1 /* one */ + /* two */ 1 == 2 // three", true}, {"-9223372036854775807 - 1 == 1ull << 63", true},
		{"(-9223372036854775807 - 1) / -1 < 0", true},
	} {
		cfg := config(map[string]string{"h.h": "", "sys/s.h": ""})
		r, list := cpp.Process(cfg, "x.d", "#if "+tt.cond+"\nyes\n#endif\n")
		if tt.cond == "unknown(" {
			if !list.Failed() {
				t.Errorf("%s: no complaint", tt.cond)
			}
			continue
		}
		if list.Failed() {
			t.Errorf("%s: %s", tt.cond, list[0].Msg)
		}
		if got := strings.Contains(r.File.Src, "yes"); got != tt.want {
			t.Errorf("%s is %t", tt.cond, got)
		}
	}
}

func TestStd(t *testing.T) {
	for std, want := range map[string]string{"": "1", "a": "1", "c": "1", "t": "1", "s": "__STDC__"} {
		r, _ := cpp.Process(cpp.Config{Std: std, Now: noon}, "x.d", "__STDC__")
		if r.File.Src != want {
			t.Errorf("-x stdc=%s: __STDC__ is %s", std, r.File.Src)
		}
	}
}

func TestMacros(t *testing.T) {
	r, _ := cpp.Process(cpp.Config{Macros: true, Now: noon}, "x.d", "#define A  1 +  2\n#define B(x, y...) #x y\n#define C(...)\nA\n")
	for _, want := range []string{"#define A 1 + 2\n", "#define B(x,y...) #x y\n", "#define C(...)\n", "#define __SUNW_D 1\n"} {
		i := strings.Index(r.File.Src, want)
		if i < 0 {
			t.Fatalf("no %q in\n%s", want, r.File.Src)
		}
		if name, _, _ := r.File.Place(token.Pos(i + 1)); (name == "x.d") != !strings.Contains(want, "SUNW") {
			t.Errorf("%q comes from %s", want, name)
		}
	}
}

// TestLimits holds that hostile scripts end soon, with a complaint.
func TestLimits(t *testing.T) {
	double := "#define X0 x x\n"
	for i := 1; i < 60; i++ {
		double += fmt.Sprintf("#define X%d X%d X%d\n", i, i-1, i-1)
	}
	paste := "#define P(x) x##x\n#define Q0(x) P(x)\n"
	for i := 1; i < 60; i++ {
		paste += fmt.Sprintf("#define Q%d(x) P(Q%d(x))\n#define R%d(x) Q%d(R%d(x))\n", i, i-1, i, i-1, i-1)
	}
	strs := "#define S(x) #x\n#define T0(x) S(x)\n"
	for i := 1; i < 60; i++ {
		strs += fmt.Sprintf("#define T%d(x) S(T%d(x) T%d(x))\n#define U%d(x) T%d(x)\n", i, i-1, i-1, i, i)
	}
	for _, tt := range []struct{ name, src string }{
		{"doubling", double + "X59"},
		{"itself", "#include \"self\""},
		{"itself twice", "#include \"twice\""},
		{"parentheses", "#if " + strings.Repeat("(", 1<<20) + "\n#endif"},
		{"minus", "#if " + strings.Repeat("- ", 1<<20) + "1\n#endif"},
		{"nested uses", "#define f(x) x\n" + strings.Repeat("f(", 1<<16) + "1" + strings.Repeat(")", 1<<16)},
		{"questions", "#if " + strings.Repeat("1?", 1<<20) + "\n#endif"},
		{"open quotes", strings.Repeat("'\\", 1<<20)},
		{"asking", strings.Repeat("#if __has_include(\"in/big\")\n#endif\n", 1<<16)},
		{"large", "#include \"large\""},
	} {
		headers := map[string]string{
			"self": "#include \"self\"\n", "twice": "#include \"twice\"\n#include \"twice\"\n",
			"in/big": strings.Repeat("x", 1<<20), "large": strings.Repeat("x", 9<<20),
		}
		start := time.Now()
		_, list := cpp.Process(config(headers), "x.d", tt.src)
		if !list.Failed() {
			t.Errorf("%s: no complaint", tt.name)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v", tt.name, took)
		}
	}
	for name, src := range map[string]string{"pasting": paste + "Q59(a)", "strings": strs + "T59(a)"} {
		r, _ := cpp.Process(config(nil), "x.d", src)
		if len(r.File.Src) > 17<<20 {
			t.Errorf("%s: %d bytes", name, len(r.File.Src))
		}
	}
}

// FuzzProcess holds what is true of all scripts: no panic, a bounded result, and a
// place for every byte of it and for every complaint.
func FuzzProcess(f *testing.F) {
	for _, s := range golden.Inputs(f, "../../testdata/cpp/*.txtar") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input string) {
		r, list := run([]byte(input))
		if len(r.File.Src) > 17<<20 {
			t.Fatalf("%d bytes", len(r.File.Src))
		}
		step := max(1, len(r.File.Src)/200)
		for i := 0; i <= len(r.File.Src); i += step {
			at := token.Span{From: token.Pos(i + 1), To: token.Pos(min(i+3, len(r.File.Src)) + 1)}
			src, from := r.File.Origin(at)
			if from.From < 1 || int(from.From) > len(src.Src)+2 || from.To < from.From {
				t.Fatalf("byte %d comes from %v of %s with %d bytes", i, from, src.Name, len(src.Src))
			}
			if _, line, col := r.File.Place(at.From); line < 0 || col < 1 {
				t.Fatalf("byte %d is at %d:%d", i, line, col)
			}
		}
		var b bytes.Buffer
		if err := diag.Print(&b, r.File, list); err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if !d.At.IsValid() || int(d.At.To) > len(r.File.Src)+1 {
				t.Fatalf("%s at %v of %d bytes", d.Msg, d.At, len(r.File.Src))
			}
		}
	})
}

func BenchmarkProcess(b *testing.B) {
	script := "#include \"h.h\"\n#define TEST(x, y) x[0] = -2; y[0] = FORTY; printf(FMT, x[0] + y[0]);\n#define FMT \" %d\"\nBEGIN\n{\n" +
		strings.Repeat("\tTEST(c, d) /* a comment */\n\tself->ts = timestamp; @[execname, `jiffies] = count();\n", 500) + "}\n"
	header := strings.Repeat("#ifdef GIVEN\n#define NAME 1\nextern int function(void *pointer, unsigned long size);\n#else\nthis is not read\n#endif\n", 300)
	cfg := config(map[string]string{"h.h": header})
	b.SetBytes(int64(len(script) + len(header)))
	b.ReportAllocs()
	for b.Loop() {
		if _, list := cpp.Process(cfg, "x.d", script); list.Failed() {
			b.Fatal(list[0].Msg)
		}
	}
}

// TestInputs holds that the archives split as they are meant to.
func TestInputs(t *testing.T) {
	a := txtar.Parse([]byte("-- input --\nx\n>> in/a.h\na\nb\n>> sys/c.h\nc\n"))
	script, headers := split(a.Files[0].Data)
	if script != "x\n" || headers["in/a.h"] != "a\nb\n" || headers["sys/c.h"] != "c\n" {
		t.Errorf("%q %q", script, headers)
	}
}
