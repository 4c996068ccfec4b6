package lib_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/lib"
)

func files(texts map[string]string) []lib.File {
	var list []lib.File
	for path, text := range texts {
		list = append(list, lib.File{Path: path, Text: text})
	}
	slices.SortFunc(list, func(a, b lib.File) int { return strings.Compare(a.Path, b.Path) })
	return list
}

func has(class, name string) bool { return class == "module" && name == "vmlinux" }

func TestLoadSorts(t *testing.T) {
	x, err := lib.Load(files(map[string]string{
		"d/a.d": "#pragma D depends_on library d.d\n",
		"d/b.d": "inline int b = 1;",
		"d/c.d": "#pragma D depends_on library a.d\n#pragma D depends_on module vmlinux\n",
		"d/d.d": "#pragma D depends_on library b.d\ninline int d = b;",
	}), has)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(x.Order(), " "), "d/c.d d/a.d d/d.d d/b.d"; got != want {
		t.Errorf("the order is %s, want %s", got, want)
	}
}

func TestLoadTellsWhatIsMissing(t *testing.T) {
	x, err := lib.Load(files(map[string]string{
		"a.d": "#pragma D depends_on library b.d\ninline int a = b;",
		"b.d": "#pragma D depends_on provider mars\ninline int b = 1;",
		"c.d": "inline int c = 1;",
	}), has)
	if err != nil {
		t.Fatal(err)
	}
	for name, missing := range map[string]bool{"a": true, "b": true, "c": false} {
		if it := x.Lookup(name, lib.Inline); (it.Missing != "") != missing {
			t.Errorf("%s is missing %q", name, it.Missing)
		}
	}
	if got := x.Lookup("a", lib.Inline).Missing; !strings.Contains(got, "provider mars") || !strings.Contains(got, "b.d, line 1") {
		t.Errorf("a says %q", got)
	}
}

func TestLoadRefusesWhatCannotGoTogether(t *testing.T) {
	for name, texts := range map[string]map[string]string{
		"circle": {"a.d": "#pragma D depends_on library b.d", "b.d": "\n#pragma D depends_on library a.d"},
		"itself": {"a.d": "#pragma D depends_on library a.d"},
		"absent": {"a.d": "#pragma D depends_on library b.d"},
	} {
		_, err := lib.Load(files(texts), has)
		var trouble *lib.Trouble
		if !errors.As(err, &trouble) || trouble.Line == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
