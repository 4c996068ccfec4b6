package binary

import (
	"fmt"
	"strings"
	"testing"
)

// TestSeek finds the same copies with and without the index of all names, whatever
// the names: short ones, which lie in the units themselves, and such as end others.
func TestSeek(t *testing.T) {
	text := strings.NewReplacer("middle(", "in_the_middle(", "inner(", "in(").Replace(source)
	program := build(t, "gcc", ".c", text, "-g", "-O2")
	_, quick := debugOf(t, program)
	_, whole := debugOf(t, program)
	if _, err := whole.names(); err != nil {
		t.Fatal(err)
	}
	found := func(d *Debug, name string) string {
		list, err := d.Copies(name)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, c := range list {
			fmt.Fprintf(&b, "%s in %s at %x %v %d\n", c.Func.Name, c.Into.Name, c.Entry, c.Ranges, c.Depth)
		}
		return b.String()
	}
	for _, name := range []string{"in", "in_the_middle", "middle", "none", "", "hidden", "in"} {
		got, want := found(quick, name), found(whole, name)
		if got != want {
			t.Errorf("%q: got\n%swant\n%s", name, got, want)
		}
		if (name == "in" || name == "in_the_middle") != strings.Contains(want, " in add at ") {
			t.Errorf("%q: %q", name, want)
		}
	}
	if quick.index == nil {
		t.Error("so many questions are not answered by the index")
	}
	if _, other := debugOf(t, program); found(other, "in") == "" || other.index != nil {
		t.Error("one question needed the index")
	}
}
