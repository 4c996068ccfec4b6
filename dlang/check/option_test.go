package check_test

import (
	"slices"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/option"
)

func TestOptions(t *testing.T) {
	names := option.Names()
	if !slices.IsSorted(names) || len(names) < 80 {
		t.Errorf("%d options, sorted %t", len(names), slices.IsSorted(names))
	}
	for _, tt := range []struct {
		name, value string
		ok          bool
	}{
		{"quiet", "", true}, {"quiet", "off", true}, {"quiet", "maybe", false}, {"quiet", "4", true},
		{"setenv", "A=b", true}, {"setenv", "A", false}, {"setenv", "=b", false}, {"unsetenv", "A", true}, {"unsetenv", "A=b", false},
		{"bufpolicy", "ring", true}, {"bufpolicy", "", false},
		{"nspec", "4", true}, {"nspec", "four", false}, {"stackindent", "", true},
		{"libdir", "/x", true}, {"libdir", "", false},
	} {
		o := option.Find(tt.name)
		if o == nil {
			t.Fatalf("no option %s", tt.name)
		}
		if err := check.ValidOption(o, tt.value); (err == nil) != tt.ok {
			t.Errorf("%s=%s: %v", tt.name, tt.value, err)
		}
	}
	if option.Find("nosuch") != nil {
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
