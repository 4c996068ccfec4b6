package check_test

import (
	"slices"
	"testing"

	"dscope.dev/dlang/check"
)

func TestParseSize(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64 // -1: an error
	}{
		{"512", 512}, {"16k", 16 << 10}, {"4M", 4 << 20}, {"1g", 1 << 30}, {"2t", 2 << 40}, {"0x10", 16},
		{"", -1}, {"k", -1}, {"-1", -1}, {"4kb", -1}, {"9999999999g", -1}, {"lots", -1},
	} {
		got, err := check.ParseSize(tt.text)
		if err != nil {
			got = -1
		}
		if got != tt.want {
			t.Errorf("ParseSize(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestParseRate(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int64 // ns; -1: an error
	}{
		{"100ms", 1e8}, {"1s", 1e9}, {"10hz", 1e8}, {"10", 1e8}, {"5us", 5000}, {"2min", 120e9}, {"1h", 3600e9},
		{"", -1}, {"0hz", -1}, {"fast", -1}, {"-1s", -1}, {"1fortnight", -1}, {"99999999999999d", -1},
	} {
		got, err := check.ParseRate(tt.text)
		if err != nil {
			got = -1
		}
		if got != tt.want {
			t.Errorf("ParseRate(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestOptions(t *testing.T) {
	names := check.OptionNames()
	if !slices.IsSorted(names) || len(names) < 80 {
		t.Errorf("%d options, sorted %t", len(names), slices.IsSorted(names))
	}
	for _, tt := range []struct {
		name, value string
		ok          bool
	}{
		{"quiet", "", true}, {"quiet", "off", true}, {"quiet", "maybe", false},
		{"bufpolicy", "ring", true}, {"bufpolicy", "", false},
		{"nspec", "4", true}, {"nspec", "four", false}, {"stackindent", "", true},
		{"libdir", "/x", true}, {"libdir", "", false},
	} {
		o, ok := check.LookupOption(tt.name)
		if !ok {
			t.Fatalf("no option %s", tt.name)
		}
		if err := o.Valid(tt.value); (err == nil) != tt.ok {
			t.Errorf("%s=%s: %v", tt.name, tt.value, err)
		}
	}
	if _, ok := check.LookupOption("nosuch"); ok {
		t.Error("nosuch is an option")
	}
}

// TestLists sees that what the lists show is complete enough to be shown.
func TestLists(t *testing.T) {
	for _, list := range [][]check.Known{check.Builtins(), check.FunctionList()} {
		for _, k := range list {
			if k.Name == "" || k.Detail == "" || k.Help == "" && k.Why == "" {
				t.Errorf("%q lacks words: %+v", k.Name, k)
			}
		}
	}
}
