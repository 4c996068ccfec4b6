package kernel

import (
	"slices"
	"testing"
)

// TestPrefixed holds that only what a string begins with counts, also at the end.
func TestPrefixed(t *testing.T) {
	for text, want := range map[string][]string{
		"\x00p_one\x00xp_two\x00p_three\x00":       {"one", "three"},
		"\x00p_\x00p_p_x\x00pp_y\x00":              {"", "p_x"},
		"p_first\x00":                              nil, // the first string of BTF is empty
		"\x00p_whole\x00p_torn":                    {"whole"},
		"\x00xp_\x00p_behind\x00":                  {"behind"},
		"\x00\x00\x00p_after-empty\x00\x00p_z\x00": {"after-empty", "z"},
		"": nil,
	} {
		var got []string
		rawBTF{strings: []byte(text)}.prefixed("p_", func(rest string) { got = append(got, rest) })
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
