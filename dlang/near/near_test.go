package near

import "testing"

func TestName(t *testing.T) {
	names := []string{"execname", "timestamp", "vtimestamp", "pid", "ppid", "tid", "uid", "count", "a"}
	for _, tt := range []struct{ name, want string }{
		{"exename", "execname"},
		{"execnmae", "execname"}, // two letters swapped are one slip
		{"timestmp", "timestamp"},
		{"pidd", "pid"},
		{"conut", "count"},
		{"z", ""}, // every single letter is near every other
		{"zebra", ""},
		{"", ""},
	} {
		if got := Name(tt.name, names); got != tt.want {
			t.Errorf("Name(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Candidates often come from a map: their order must not choose among them.
func TestNameWhateverTheOrder(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		names      []string
	}{
		{"printg", "printa", []string{"print", "printa", "printf"}},
		{"comn", "comm", []string{"com", "comm", "coman"}},
	} {
		for range len(tt.names) {
			if got := Name(tt.name, tt.names); got != tt.want {
				t.Errorf("Name(%q, %q) = %q, want %q", tt.name, tt.names, got, tt.want)
			}
			tt.names = append(tt.names[1:], tt.names[0])
		}
	}
}
