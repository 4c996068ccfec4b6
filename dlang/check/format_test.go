package check_test

import (
	"testing"

	"dscope.dev/dlang/check"
)

func TestParseFormat(t *testing.T) {
	f, at, err := check.ParseFormat("a%%b %-08.3llx|%*.*s|%@5u %wc")
	if err != nil {
		t.Fatal(err)
	}
	want := []check.FormatPart{
		{Literal: "a%b "},
		{Flags: "-0", Width: 8, Prec: 3, Size: "ll", Verb: 'x'},
		{Literal: "|"},
		{WidthArg: true, PrecArg: true, Verb: 's'},
		{Literal: "|"},
		{Agg: true, Width: 5, Prec: -1, Verb: 'u'},
		{Literal: " "},
		{Wide: true, Prec: -1, Verb: 'c'},
	}
	if len(f.Parts) != len(want) || len(at) != len(want) {
		t.Fatalf("%d parts, want %d: %+v", len(f.Parts), len(want), f.Parts)
	}
	for i, p := range f.Parts {
		if p != want[i] {
			t.Errorf("part %d is %+v, want %+v", i, p, want[i])
		}
	}
	if got := f.Text[at[1].From:at[1].To]; got != "%-08.3llx" {
		t.Errorf("the second part is found at %q", got)
	}
	for _, bad := range []string{"%", "abc%", "%5", "%y", "%hs", "%Ld", "%wd", "%99999999d", "%lll", "%.*", "%hhhd"} {
		if _, _, err := check.ParseFormat(bad); err == nil {
			t.Errorf("%q is a format", bad)
		}
	}
}
