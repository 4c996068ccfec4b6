package diag

import (
	"strings"
	"testing"

	"dscope.dev/dlang/token"
)

// span returns the place of the first occurrence of word in src.
func span(src, word string) token.Span {
	i := strings.Index(src, word)
	return token.Span{From: token.Pos(i + 1), To: token.Pos(i + len(word) + 1)}
}

func TestPrint(t *testing.T) {
	for _, tt := range []struct{ name, src, word, want string }{
		{"plain", "BEGIN { foo; }", "foo", "x.d:1:9: msg [D_SYNTAX]\n    BEGIN { foo; }\n            ^^^\n"},
		{"tabs", "\ta\tfoo;", "foo", "x.d:1:4: msg [D_SYNTAX]\n    \ta\tfoo;\n    \t \t^^^\n"},
		{"wide", "/* 漢 */ foo", "foo", "x.d:1:11: msg [D_SYNTAX]\n    /* 漢 */ foo\n             ^^^\n"},
		{"control", "\x1b[31m foo", "foo", "x.d:1:7: msg [D_SYNTAX]\n    \\x1b[31m foo\n             ^^^\n"},
		{"broken text", "\xff foo", "foo", "x.d:1:3: msg [D_SYNTAX]\n    \\xff foo\n         ^^^\n"},
		{"several lines", "a {\nb", "{\nb", "x.d:1:3: msg [D_SYNTAX]\n    a {\n      ^\n"},
		{"end", "a\n", "\n", "x.d:1:2: msg [D_SYNTAX]\n    a\n     ^\n"},
	} {
		var b strings.Builder
		var list List
		list.Add(span(tt.src, tt.word), Syntax, "msg")
		if err := Print(&b, token.NewFile("x.d", tt.src), list); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestPrintMapped shows complaints where the text was written.
func TestPrintMapped(t *testing.T) {
	main := token.NewFile("x.d", "#include \"h\"\n\tUSE(1);\n")
	from := &token.Origin{File: main, At: token.Span{From: 10, To: 13}, Msg: "included here"}
	head := token.NewSource("h", "#define USE(x) foo(x)\nbar\n", nil, from)
	why := &token.Origin{File: head, At: token.Span{From: 16, To: 19}, Msg: "in the expansion of USE"}
	f := token.NewMapped("x.d", "\nbar\n\tfoo(1);\n", []token.Run{
		{At: 0, File: head, Off: 21}, {At: 5, File: main, Off: 13}, {At: 6, File: main, Off: 14, Len: 6, Why: why}, {At: 12, File: main, Off: 20}})
	var list List
	list.Add(span(f.Src, "bar"), Syntax, "one")
	list.Add(span(f.Src, "foo"), Syntax, "two").Note(span(f.Src, "bar"), "three")
	var b strings.Builder
	if err := Print(&b, f, list); err != nil {
		t.Fatal(err)
	}
	want := "h:2:1: one [D_SYNTAX]\n    bar\n    ^^^\nx.d:1:10: note: included here\n    #include \"h\"\n             ^^^\n" +
		"x.d:2:2: two [D_SYNTAX]\n    \tUSE(1);\n    \t^^^^^^\nh:1:16: note: in the expansion of USE\n    #define USE(x) foo(x)\n                   ^^^\n" +
		"h:2:1: note: three\n    bar\n    ^^^\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Classic(f, list[0], true); got != `[D_SYNTAX] "h", line 2: one` {
		t.Error(got)
	}
	if got := Classic(f, list[1], false); got != "line 2: two" {
		t.Error(got)
	}
	if got := (&ListError{f, list}).Error(); got != "h:2: one (and 1 more)" {
		t.Error(got)
	}
	list.Move(1)
	if got := Classic(f, list[0], false); got != `"h", line 2: one` || list[1].Notes[0].At.From != 3 {
		t.Error(got, list[1].Notes[0])
	}
}

// TestPrintLongLine quotes the part of a long line that matters.
func TestPrintLongLine(t *testing.T) {
	src := strings.Repeat("é", 300) + " foo; " + strings.Repeat("x", 300)
	var b strings.Builder
	var list List
	list.Add(span(src, "foo"), Syntax, "msg")
	if err := Print(&b, token.NewFile("x.d", src), list); err != nil {
		t.Fatal(err)
	}
	want := "x.d:1:602: msg [D_SYNTAX]\n" +
		"    …" + strings.Repeat("é", 40) + " foo; " + strings.Repeat("x", 154) + "…\n" +
		"    " + strings.Repeat(" ", 42) + "^^^\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	broken := strings.Repeat("\x80", 1000)
	for i := range len(broken) { // must not panic
		list[0].At = token.Span{From: token.Pos(i + 1), To: 1001}
		if err := Print(&b, token.NewFile("x.d", broken), list); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPrintNotesAndHints(t *testing.T) {
	src := "a\nb\n"
	var list List
	list.Add(span(src, "b"), Syntax, "odd %s", "\x07").Note(span(src, "a"), "here").Suggest("write c")
	list.Add(token.Span{}, Syntax, "everywhere").Severity = Warning
	want := "x.d:2:1: odd \\a [D_SYNTAX]\n    b\n    ^\n" +
		"x.d:1:1: note: here\n    a\n    ^\n" +
		"    hint: write c\n" +
		"x.d: warning: everywhere [D_SYNTAX]\n"
	var b strings.Builder
	if err := Print(&b, token.NewFile("x.d", src), list); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestClassic(t *testing.T) {
	f := token.NewFile("x.d", "a\nb\n")
	d := &Diagnostic{At: span(f.Src, "b"), Code: Syntax, Msg: "odd"}
	if got, want := Classic(f, d, false), "line 2: odd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := Classic(f, d, true), "[D_SYNTAX] line 2: odd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListSortsAndEnds(t *testing.T) {
	var list List
	for i := range Max + 5 {
		list.Add(token.Span{From: token.Pos(1000 - i), To: 2000}, Syntax, "m")
	}
	list = append(list, list[0])
	list.Sort()
	if len(list) != Max {
		t.Errorf("%d complaints, want %d", len(list), Max)
	}
	if list[0].At.From > list[1].At.From {
		t.Error("not in order of place")
	}
	if !list.Failed() || (List{{Severity: Warning}}).Failed() {
		t.Error("only errors fail a script")
	}
}
