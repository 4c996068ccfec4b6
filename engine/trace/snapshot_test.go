package trace

import "testing"

func TestKeyName(t *testing.T) {
	one := Origin{Keys: []string{"execname", "arg0"}}
	two := Origin{Keys: []string{"execname", "args[0]->fd"}}
	for _, tt := range []struct {
		from []Origin
		key  int
		want string
	}{
		{nil, 0, ""}, // of an old recording
		{[]Origin{one}, 1, "arg0"},
		{[]Origin{one, two}, 0, "execname"},
		{[]Origin{one, two}, 1, ""}, // two clauses call it differently
		{[]Origin{one}, 2, ""},
	} {
		if got := (&Table{Origins: tt.from}).KeyName(tt.key); got != tt.want {
			t.Errorf("key %d of %v is called %q, want %q", tt.key, tt.from, got, tt.want)
		}
	}
}
