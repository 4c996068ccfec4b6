package trace

import "testing"

func TestSpell(t *testing.T) {
	for in, want := range map[string]string{
		"main": "main", "libstdc++.so.6": "libstdc??.so.6", "a::b(int, char*)": "a??b?int??char??", "naïve": "na??ve", "<T>$1": "?T??1", "main.go": "main.go",
	} {
		if got := Spell(in); got != want {
			t.Errorf("Spell(%q) = %q, want %q", in, got, want)
		}
	}
}
