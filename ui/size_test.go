package ui

import "testing"

// A terminal that tells no size is what the environment says, as far as that makes sense.
func TestAssumedSize(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want [2]int
	}{
		{nil, [2]int{80, 24}},
		{map[string]string{"COLUMNS": "132", "LINES": "43"}, [2]int{132, 43}},
		{map[string]string{"COLUMNS": "132"}, [2]int{132, 24}},
		{map[string]string{"COLUMNS": "0", "LINES": "-3"}, [2]int{80, 24}},
		{map[string]string{"COLUMNS": "wide", "LINES": "99999999"}, [2]int{80, 24}},
	} {
		if got := assumedSize(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.env, got, tt.want)
		}
	}
}
