package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"

	"dscope.dev/themes"
)

const script = `#!/usr/sbin/dtrace -s
#pragma D option quiet
/* latency */
syscall::read:entry, tick-1s
/execname == "dd" && $1 > 0x10/
{
	self->ts = timestamp; // ns
	@lat[execname, args[0]->f_flags] = quantize((uint64_t)arg0 / 2);
	this->p = (struct task_struct *)curthread;
	x = ` + "`jiffies" + ` + 'a';
}
`

func TestClasses(t *testing.T) {
	names := [Classes]string{
		Plain: "plain", Error: "error", Comment: "comment", Control: "control", Probe: "probe", Keyword: "keyword",
		Type: "type", Scope: "scope", Name: "name", Builtin: "builtin", Function: "function", Agg: "agg",
		Macro: "macro", Symbol: "symbol", Number: "number", Char: "char", String: "string", Operator: "op", Punct: "punct",
	}
	want := map[string]string{
		"#!/usr/sbin/dtrace -s": "control", "#pragma D option quiet": "control", "/* latency */": "comment",
		"syscall::read:entry": "probe", "tick-1s": "probe", "execname": "builtin", `"dd"`: "string", "$1": "macro",
		"0x10": "number", "self": "scope", "->": "op", "ts": "name", "timestamp": "builtin", "// ns": "comment",
		"@lat": "agg", "args": "builtin", "f_flags": "name", "quantize": "function", "uint64_t": "type", "arg0": "builtin",
		"struct": "type", "task_struct": "type", "curthread": "builtin", "`jiffies": "symbol", "'a'": "char", ";": "punct", "this": "scope",
	}
	got := map[string]string{}
	for _, w := range Words(script) {
		got[script[w.From:w.To]] = names[w.Class]
	}
	for word, class := range want {
		if got[word] != class {
			t.Errorf("%s is a %q, want %s", word, got[word], class)
		}
	}
}

func TestLexerGivesEverything(t *testing.T) {
	for _, text := range []string{script, "", "\n", "a\xff\x00", "/* open", "\"open", strings.ReplaceAll(script, "\n", "\r\n")} {
		it, err := Lexer().Tokenise(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, tok := range it.Tokens() {
			out.WriteString(tok.Value)
		}
		if out.String() != text {
			t.Errorf("the tokens of %q make %q", text, out.String())
		}
	}
	it, err := Lexer().Tokenise(&chroma.TokeniseOptions{EnsureLF: true}, "BEGIN\r\n{}\r")
	if err != nil {
		t.Fatal(err)
	}
	for _, tok := range it.Tokens() {
		if strings.Contains(tok.Value, "\r") {
			t.Errorf("a carriage return is left in %q", tok.Value)
		}
	}
}

// TestLexerWithTheme draws with chroma's own machinery, as an exporter would.
func TestLexerWithTheme(t *testing.T) {
	th, err := themes.Load("dark", themes.Options{Depth: themes.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	colors := map[string]int{}
	for c := range Classes {
		colors[fmt.Sprint(th.Chroma().Get(c.Chroma()))]++
	}
	if len(colors) < 8 {
		t.Errorf("the dark theme tells only %d classes apart", len(colors))
	}
}

func TestAnalyse(t *testing.T) {
	for text, want := range map[string]float32{script: 1, "BEGIN\n{\n#pragma D option x\n}": 0.9, "int main() {}": 0} {
		if got := Lexer().AnalyseText(text); got != want {
			t.Errorf("AnalyseText(%.20q) = %v, want %v", text, got, want)
		}
	}
	if len(Lexer().Config().Filenames) != 0 {
		t.Error("the lexer claims file names; *.d is another language's")
	}
}

func BenchmarkWords(b *testing.B) {
	src := strings.Repeat(script, 2000/strings.Count(script, "\n"))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Words(src)
	}
}
