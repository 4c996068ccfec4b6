package main

import (
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	many := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n"
	for _, tt := range []struct{ a, b, want string }{
		{"a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n"},
		{"", "b\n", "@@ -0,0 +1 @@\n+b\n"},
		{"a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{many, strings.Replace(many, "10\n", "", 1), "@@ -7,7 +7,6 @@\n 7\n 8\n 9\n-10\n 11\n 12\n 13\n"},
		{many, strings.NewReplacer("3\n4\n", "3\nx\n4\n", "18\n", "y\n").Replace(many),
			"@@ -1,6 +1,7 @@\n 1\n 2\n 3\n+x\n 4\n 5\n 6\n@@ -15,6 +16,6 @@\n 15\n 16\n 17\n-18\n+y\n 19\n 20\n"},
		{many, strings.NewReplacer("3\n4\n", "3\nx\n4\n", "\n8\n", "\ny\n").Replace(many),
			"@@ -1,11 +1,12 @@\n 1\n 2\n 3\n+x\n 4\n 5\n 6\n 7\n-8\n+y\n 9\n 10\n 11\n"},
	} {
		if got := unified("old", "new", tt.a, tt.b); got != "--- old\n+++ new\n"+tt.want {
			t.Errorf("%q to %q:\n%swant\n%s", tt.a, tt.b, got, tt.want)
		}
	}
}
