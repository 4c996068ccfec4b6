package golden

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "case.txtar")
	archive := "What it is about.\n\n-- input --\nword\n-- upper --\nWORD\n"
	if err := os.WriteFile(file, []byte(archive), 0o644); err != nil {
		t.Fatal(err)
	}
	Run(t, file, map[string]func([]byte) []byte{"upper": bytes.ToUpper, "other": nil})
}

func TestDiff(t *testing.T) {
	for _, tt := range []struct{ want, got, diff string }{
		{"a\nb\nc\n", "a\nx\nc\n", "  a\n- b\n+ x\n  c\n  \n"},
		{"a\n", "a\nb\n", "  a\n+ b\n  \n"},
		{"", "a\n", "+ a\n  \n"},
	} {
		if diff := Diff(tt.want, tt.got); diff != tt.diff {
			t.Errorf("Diff(%q, %q) = %q, want %q", tt.want, tt.got, diff, tt.diff)
		}
	}
}
