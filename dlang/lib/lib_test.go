package lib_test

import (
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

func TestIndexNames(t *testing.T) {
	x := lib.NewIndex()
	x.Add("some.d", `
/* a comment; with a semicolon */
#pragma D binding "1.2" one
inline int one = 1; inline string pair[int a, string b] = b; // ;
#pragma D attributes Stable/Stable/Common pair
typedef struct thing { int a; struct { int b; } c; } thing_t;
typedef int (*callback)(int, char);
typedef unsigned long word_t, *word_p;
enum color { RED, GREEN = 3, BLUE };
union both { int i; };
translator thing_t < struct in *p > { a = p->x; c = ";"; };
provider mine { probe one(int); };
int counter;
int array[int, string];
BEGIN { trace(";}"); }
inline int last = ';';
long twice(int x, char *s) { if (x) { return ";}"; } return 2 * x; }
syscall::read:entry /twice(1)/ { trace(0); }
`)
	for name, want := range map[string]struct {
		kind lib.Kind
		line int
	}{
		"one": {lib.Inline, 4}, "pair": {lib.Inline, 4}, "thing": {lib.Type, 6}, "thing_t": {lib.Type, 6},
		"callback": {lib.Type, 7}, "word_t": {lib.Type, 8}, "word_p": {lib.Type, 8}, "color": {lib.Tag, 9}, "GREEN": {lib.Tag, 9},
		"both": {lib.Tag, 10}, "counter": {lib.Variable, 13}, "array": {lib.Variable, 14}, "last": {lib.Inline, 16}, "twice": {lib.Function, 17},
	} {
		it := x.Lookup(name, want.kind)
		if it == nil {
			t.Errorf("%s is not known", name)
			continue
		}
		if it.Line != want.line || it.File != "some.d" {
			t.Errorf("%s is on line %d of %s, not %d", name, it.Line, it.File, want.line)
		}
	}
	if len(x.Translators("thing_t")) != 1 || len(x.Providers) != 1 || len(x.Clauses) != 2 {
		t.Errorf("%d translators, %d providers, %d clauses, want one, one and two", len(x.Translators("thing_t")), len(x.Providers), len(x.Clauses))
	}
	if x.Binding("one") != "1.2" || x.Attributes("pair") != "Stable/Stable/Common" {
		t.Errorf("binding %q, attributes %q", x.Binding("one"), x.Attributes("pair"))
	}
}

// Every item of our own library follows the grammar, and is one item.
func TestOwnLibraryParses(t *testing.T) {
	own := lib.Own()
	isType := func(_, name string) bool { return own.Lookup(name, lib.Type) != nil || strings.HasSuffix(name, "_t") }
	names := own.Names(lib.Type, lib.Tag, lib.Inline, lib.Variable)
	if len(names) < 20 {
		t.Fatalf("the library declares %d names", len(names))
	}
	slices.Sort(names)
	check := func(it *lib.Item) {
		f := token.NewFile(it.File, it.Text)
		s, list := parser.Config{IsType: isType}.Parse(f)
		if len(list) > 0 || len(s.Items) != 1 {
			t.Errorf("%s, line %d: %d items, %v", it.File, it.Line, len(s.Items), list)
		}
	}
	for _, name := range names {
		check(own.Lookup(name, lib.Type, lib.Tag, lib.Inline, lib.Variable))
		for _, it := range own.Translators(name) {
			check(it)
		}
	}
	if len(own.Clauses) > 0 {
		t.Errorf("the library has a clause on line %d of %s", own.Clauses[0].Line, own.Clauses[0].File)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add("inline int a = 1; typedef struct s { int x; } s_t;")
	f.Add("translator t < int x > { a = x; } ; enum { A, B };")
	f.Add("/* \"; */ '\\'")
	f.Fuzz(func(t *testing.T, text string) {
		lib.NewIndex().Add("fuzz.d", text) // must end
	})
}

// BenchmarkIndex measures what the first name that a script does not declare costs.
func BenchmarkIndex(b *testing.B) {
	var texts []*lib.Item
	texts = append(texts, lib.Own().Items...)
	b.ReportAllocs()
	for b.Loop() {
		x := lib.NewIndex()
		for _, it := range texts {
			x.Add(it.File, it.Text)
		}
	}
}
