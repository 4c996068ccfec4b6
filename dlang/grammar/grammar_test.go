package grammar

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

var write = flag.Bool("write", false, "write the grammar anew")

// TestWords holds that the grammar has the words of the compiler.
func TestWords(t *testing.T) {
	made := generate()
	if *write {
		if err := os.WriteFile("dtrace.tmLanguage.json", made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(made, TextMate()) {
		t.Errorf("the grammar is not what the compiler's words make; run go test ./dlang/grammar -write and read the difference:\n%s",
			golden.Diff(string(TextMate()), string(made)))
	}
}

// wanted says what the grammar should call a token. It is "" where it may be anything.
func wanted(f *token.File, toks []token.Token, i int) string {
	t := toks[i]
	before := token.EOF
	if i > 0 {
		before = toks[i-1].Kind
	}
	member := before == token.Arrow || before == token.Dot
	called := i+1 < len(toks) && toks[i+1].Kind == token.LParen
	switch {
	case t.Kind == token.Comment:
		return "comment."
	case t.Kind == token.Control:
		return "meta.preprocessor"
	case t.Kind == token.Probe:
		return "entity.name.function.probe"
	case t.Kind == token.KSym:
		return "variable.other.kernel"
	case t.Kind == token.Agg:
		return "variable.other.aggregation"
	case t.Kind == token.Macro:
		return "variable.parameter.macro"
	case t.Kind == token.Int, t.Kind == token.Float:
		return "constant.numeric"
	case t.Kind == token.Char:
		return "string.quoted.single"
	case t.Kind == token.String:
		return "string.quoted.double"
	case member:
		return "variable.other.member"
	case t.Kind.IsKeyword() && isType(t.Kind):
		return "storage.type"
	case t.Kind.IsKeyword():
		return "keyword.control"
	case t.Kind != token.Ident:
		return ""
	}
	name := f.Text(t.Span)
	switch {
	case called && check.Aggregates(name):
		return "support.function.aggregating"
	case called && check.Reserved(name) && !isVariable(name):
		return "support.function.dtrace"
	case called:
		return "entity.name.function"
	case isVariable(name):
		return "variable.language"
	}
	return "variable.other.dtrace"
}

func isVariable(name string) bool {
	for _, b := range check.Builtins() {
		if b.Name == name {
			return true
		}
	}
	return false
}

// TestAgrees compares the grammar with the scanner, token by token, on every script of the
// project. Those that people write agree wholly; among those that
// are to try the compiler are a few that no pattern tells.
func TestAgrees(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		most  int // differences in a thousand tokens
	}{
		{"scripts", files(t, "../../testdata/scripts/*.d"), 0},
		{"questions", files(t, "../../engine/question/d/*.d"), 0},
		{"libraries", files(t, "../lib/d/*.d"), 0},
		{"check", golden.Inputs(t, "../../testdata/check/*.txtar"), 1},
	} {
		m := newMachine(t)
		tokens, wrong, shown := 0, 0, 0
		for _, text := range tt.texts {
			f := token.NewFile("x.d", text)
			got := m.colour(text)
			toks := scanner.Scan(f)
			for i, tok := range toks {
				want := wanted(f, toks, i)
				if want == "" {
					continue
				}
				tokens++
				at := tok.Span.From.Offset()
				if differs(got[at:tok.Span.To.Offset()], text[at:], want) {
					wrong++
					if shown++; shown <= 10 && wrong*1000 > tt.most*max(tokens, 1000) {
						line, _ := f.Position(tok.Span.From)
						whole, _ := f.LineAt(tok.Span.From)
						t.Logf("%s: line %d, %q is %q, want %s: %s", tt.name, line, f.Text(tok.Span), got[at], want, whole)
					}
				}
			}
		}
		t.Logf("%s: %d of %d tokens of %d scripts differ", tt.name, wrong, tokens, len(tt.texts))
		if tokens == 0 || wrong*1000 > tt.most*tokens {
			t.Errorf("%s: %d of %d tokens differ, more than %d in a thousand", tt.name, wrong, tokens, tt.most)
		}
	}
}

// differs reports whether a byte of a token is called otherwise. White space may be, and the
// escapes of a string.
func differs(got []string, text, want string) bool {
	for i, name := range got {
		if strings.IndexByte(" \t\r\n", text[i]) >= 0 || strings.HasPrefix(name, "constant.character.escape") {
			continue
		}
		if !strings.HasPrefix(name, want) {
			return true
		}
	}
	return false
}

func files(t *testing.T, glob string) []string {
	t.Helper()
	names, err := filepath.Glob(glob)
	if err != nil || len(names) == 0 {
		t.Fatalf("nothing matches %s: %v", glob, err)
	}
	var texts []string
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	return texts
}
