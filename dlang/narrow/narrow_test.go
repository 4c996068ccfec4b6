package narrow

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/golden"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/scanner"
	"dscope.dev/dlang/token"
)

// read takes an archive's input apart: lines "@name: condition", each for all assignments
// to the aggregation, then the script.
func read(input string) (script string, changes []Change) {
	var asked [][2]string
	for {
		line, rest, _ := strings.Cut(input, "\n")
		name, cond, ok := strings.Cut(line, ": ")
		if !strings.HasPrefix(line, "@") || !ok {
			break
		}
		asked = append(asked, [2]string{name[1:], cond})
		input = rest
	}
	tree, _ := parser.Parse(token.NewFile("script", input))
	for _, a := range assigns(tree) {
		for _, ask := range asked {
			if a.Agg.Name == ask[0] {
				changes = append(changes, Change{a.Span().From.Offset(), a.Span().To.Offset(), ask[1]})
			}
		}
	}
	return input, changes
}

func TestArchives(t *testing.T) {
	golden.Run(t, "../../testdata/narrow/*.txtar", map[string]func([]byte) []byte{
		"output": func(input []byte) []byte {
			script, changes := read(string(input))
			edits, err := Add(script, changes)
			if err != nil {
				return []byte(err.Error() + "\n")
			}
			result := Apply(script, edits)
			again, list := read(string(input[:len(input)-len(script)]) + result)
			if _, err := Add(again, list); err != ErrAlready {
				t.Errorf("asked for again: %v\n%s", err, result)
			}
			return []byte(result)
		},
	})
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"nginx", `"nginx"`},
		{`a "b" \c`, `"a \"b\" \\c"`},
		{"a\nb\t\x1b1", `"a\nb\t\0331"`},
		{"né", `"n\303\251"`},
		{"cut\x00off", `"cut"`},
		{"*/ // $1", `"*/ // $1"`},
		{"", `""`},
	} {
		got := Text(tt.text)
		if got != tt.want {
			t.Errorf("%q is written %s, want %s", tt.text, got, tt.want)
		}
		text, _, _ := strings.Cut(tt.text, "\x00")
		if back := scanner.String(got); back != text {
			t.Errorf("%s reads as %q", got, back)
		}
	}
}

func TestConditions(t *testing.T) {
	const least, greatest = -1 << 63, 1<<63 - 1
	for _, tt := range []struct{ got, want string }{
		{Is("execname", Text("dd")), `execname == "dd"`},
		{Is("arg0 & 3", "1"), "(arg0 & 3) == 1"},
		{Is("arg1 + 1", "3"), "arg1 + 1 == 3"},
		{IsNot("a ? b : c", "3"), "(a ? b : c) != 3"},
		{Between("timestamp - self->ts", 1024, 4095), "timestamp - self->ts >= 1024 && timestamp - self->ts <= 4095"},
		{Between("arg1", 0, 0), "arg1 == 0"},
		{Between("arg1", 64, greatest), "arg1 >= 64"},
		{Between("arg1", least, 63), "(int64_t)(arg1) <= 63"},
		{Between("arg1", -15, -8), "(int64_t)(arg1) >= -15 && (int64_t)(arg1) <= -8"},
		{Between("arg1", least, greatest), ""},
		{Above("arg1", 1<<63, 1<<64-1), "arg1 >= 9223372036854775808 && arg1 <= 18446744073709551615"},
		{Above("arg1", 7, 7), "arg1 == 7"},
		{All("a", "", "b || c", "d == 1"), "a && (b || c) && d == 1"},
		{Any("a == 1", "a == 2"), "(a == 1) || (a == 2)"},
		{Any("a == 1"), "a == 1"},
		{All(), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
		if tt.want == "" {
			continue
		}
		if _, err := expr(tt.got); err != nil {
			t.Error(err)
		}
	}
}

// A run began with another text than the editor has now.
func TestPlaceIsGone(t *testing.T) {
	script := "BEGIN { @a = count(); }"
	for _, c := range []Change{{7, 20, "pid"}, {-5, 400, "pid"}, {0, 0, "pid"}} {
		if edits, err := Add(script, []Change{c}); err == nil || !strings.Contains(err.Error(), "has changed") {
			t.Errorf("%v: %v, %v", c, edits, err)
		}
	}
}

// FuzzAdd narrows whatever scripts there are by whatever conditions there are: the result
// is a script, it differs in nothing but what the edits insert, and it asks what it should.
func FuzzAdd(f *testing.F) {
	for _, glob := range []string{"../../testdata/narrow/*.txtar", "../../testdata/parse/*.txtar"} {
		for _, in := range golden.Inputs(f, glob) {
			for _, cond := range []string{`execname == "dd"`, "a || b", "x / 2 == 1", "*p", "this->x, 1", "x = 1", "(", "1) || (1", "a // b", `"`} {
				f.Add(in, cond, 0)
			}
		}
	}
	f.Fuzz(func(t *testing.T, script, cond string, n int) {
		tree, list := parser.Parse(token.NewFile("script", script))
		all := assigns(tree)
		if len(all) == 0 {
			return
		}
		a := all[uint(n)%uint(len(all))].Span()
		edits, err := Add(script, []Change{{a.From.Offset(), a.To.Offset(), cond}})
		if err != nil {
			return
		}
		if len(list) > 0 {
			t.Fatal("a script with mistakes was taken")
		}
		result := Apply(script, edits)
		if _, list := parser.Parse(token.NewFile("script", result)); len(list) > 0 {
			t.Fatalf("%s\nbecame\n%s\n%s", script, result, list[0].Msg)
		}
		back := []byte(result)
		for i := len(edits) - 1; i >= 0; i-- {
			at := edits[i].From
			for _, e := range edits[:i] {
				at += len(e.Text)
			}
			if got := back[at : at+len(edits[i].Text)]; !bytes.Equal(got, []byte(edits[i].Text)) {
				t.Fatalf("edit %v is not in\n%s", edits[i], result)
			}
			back = append(back[:at:at], back[at+len(edits[i].Text):]...)
		}
		if string(back) != script {
			t.Fatalf("%q\nwithout what was inserted is not %q", back, script)
		}
	})
}

// What is put in is part of the tree as it is meant, in each place where it can stand.
func TestMeaning(t *testing.T) {
	for _, tt := range []struct{ pred, cond, want string }{
		{"a || b", "c", "(a || b) && c"},
		{"a && b", "c || d", "a && b && (c || d)"},
		{"a ? b : c", "d", "(a ? b : c) && d"},
		{"a == b", "c & d", "a == b && c & d"},
		{"a ^^ b", "c", "(a ^^ b) && c"},
		{"x / 2", "y / 2 == 1", "x / 2 && (y / 2 == 1)"},
	} {
		script := fmt.Sprintf("BEGIN /%s/ { @ = count(); }", tt.pred)
		at := strings.Index(script, "@")
		edits, err := Add(script, []Change{{at, strings.Index(script, " }"), tt.cond}})
		if err != nil {
			t.Errorf("%s and %s: %v", tt.pred, tt.cond, err)
			continue
		}
		want := fmt.Sprintf("BEGIN /%s/ { @ = count(); }", tt.want)
		if got := Apply(script, edits); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		is, _ := parser.Parse(token.NewFile("x", Apply(script, edits)))
		x, _ := expr("(" + tt.pred + ") && (" + tt.cond + ")")
		if got := is.Items[0].(*ast.Clause).Pred; !ast.Equal(strip(got), strip(x)) {
			t.Errorf("%s and %s: %s", tt.pred, tt.cond, ast.Dump(got))
		}
	}
}

// strip takes the parentheses away, which the tree keeps.
func strip(x ast.Expr) ast.Expr {
	return ast.Replace(x, func(x ast.Expr) (ast.Expr, bool) { return ast.Unparen(x), false })
}
