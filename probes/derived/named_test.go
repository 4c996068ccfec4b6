package derived

import "testing"

func TestNamed(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "arg0": 0, "args[0]": 1, "args[2]->x + args[1]": 3, "myargs[5]": 0, "args[n]": 0, "args[3": 0,
		"(args[10] & args[4])": 11, "x(args[args[1]->y])": 2,
	} {
		if got := named(text); got != want {
			t.Errorf("%q names %d, want %d", text, got, want)
		}
	}
}
