package lab

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestNewest(t *testing.T) {
	names := []string{"linux-image-6.1.0-9-cloud-amd64", "linux-image-6.1.0-41-cloud-amd64", "linux-image-6.1.0-41-amd64",
		"linux-image-6.1.0-50-cloud-amd64-dbg", "linux-image-6.12.9+bpo-cloud-amd64", "linux-image-6.12.12+deb13-cloud-amd64"}
	for _, tt := range []struct{ version, want string }{
		{"6.1", "linux-image-6.1.0-41-cloud-amd64"}, // the numbers count, not the letters
		{"6.12", "linux-image-6.12.12+deb13-cloud-amd64"},
		{"7.2", ""},
	} {
		if got := newest(names, tt.version); got != tt.want {
			t.Errorf("newest(%s) = %q, want %q", tt.version, got, tt.want)
		}
	}
}

func TestSources(t *testing.T) {
	text, err := sourcesFrom("http://mirror.test/debian/ bookworm\nhttp://mirror.test/debian/ bookworm-updates\n" +
		"http://mirror.test/debian-security/ bookworm-security\nhttp://other.test/tools/ stable\n")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 1+len(suites) || !strings.HasSuffix(lines[0], "http://mirror.test/debian-security/ bookworm-security main") ||
		!strings.HasSuffix(lines[1], "http://mirror.test/debian/ bookworm main") {
		t.Errorf("sources are\n%s", text)
	}
	if _, err := sourcesFrom("http://mirror.test/ubuntu/ noble\n"); err == nil {
		t.Error("a machine without a Debian archive was taken for one that has it")
	}
}

// TestArchive unpacks what was packed, by another program.
func TestArchive(t *testing.T) {
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Skip("needs busybox to unpack")
	}
	dir, out := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "odd"), []byte("12345"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cpio")
	a, err := newArchive(file)
	if err != nil {
		t.Fatal(err)
	}
	a.put("deep/down/text", 0o600, "abc")
	a.symlink("deep/link", "down/text")
	a.copy(dir, "copied")
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(busybox, "cpio", "-id")
	cmd.Dir = out
	if cmd.Stdin, err = os.Open(file); err != nil {
		t.Fatal(err)
	}
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	for name, want := range map[string]string{"deep/down/text": "abc", "deep/link": "abc", "copied/odd": "12345"} {
		if b, err := os.ReadFile(filepath.Join(out, name)); string(b) != want {
			t.Errorf("%s holds %q, want %q (%v)", name, b, want, err)
		}
	}
	if info, err := os.Stat(filepath.Join(out, "copied/odd")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the mode of a program: %v, %v", info, err)
	}
}

func TestArchiveTellsWhatIsMissing(t *testing.T) {
	a, err := newArchive(filepath.Join(t.TempDir(), "cpio"))
	if err != nil {
		t.Fatal(err)
	}
	a.copy("/no/such/file", "file")
	if err := a.close(); err == nil {
		t.Error("a file that is not there was packed")
	}
}

func TestLastLine(t *testing.T) {
	for _, tt := range []struct {
		in, out string
		status  int
		ok      bool
	}{
		{"a\nb\n" + ended + " 3\n", "a\nb\n", 3, true},
		{"no end of line" + ended + " 0\n", "no end of line", 0, true},
		{"dead in the middle", "", 0, false},
		{ended + "\n", "", 0, false},
	} {
		var out bytes.Buffer
		l := &lastLine{to: &out}
		for _, b := range []byte(tt.in) { // as a serial line delivers it
			if _, err := l.Write([]byte{b}); err != nil {
				t.Fatal(err)
			}
		}
		if n, ok := l.status(); out.String() != tt.out || n != tt.status || ok != tt.ok {
			t.Errorf("%q: %q, status %d, %v", tt.in, out.String(), n, ok)
		}
	}
}

func TestPrograms(t *testing.T) {
	check := txtar.Parse([]byte("# not on 6.1: it is old\n[!cc] skip 'no compiler'\ncc a a.c -O2\n[cc] cc b b.rs\n# cc none\n-- a.c --\n"))
	got, err := Programs(check)
	want := []Program{{"a", "a.c", []string{"-O2"}}, {"b", "b.rs", []string{}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Programs = %+v, %v", got, err)
	}
	if e := Excused(check); len(e) != 1 || e["6.1"] != "it is old" {
		t.Errorf("Excused = %v", e)
	}
	if _, err := Programs(txtar.Parse([]byte("cc a a.pl\n"))); err == nil {
		t.Error("a compiler for a.pl was found")
	}
}

// TestResults reads what test binaries print, one of which died in a test.
func TestResults(t *testing.T) {
	const printed = "\x16=== RUN   TestA\n\x16=== RUN   TestA/one\n    a_test.go:1: no luck\n\x16--- FAIL: TestA (0.00s)\n    \x16--- FAIL: TestA/one (0.00s)\n" +
		"\x16=== RUN   TestB\n\x16--- SKIP: TestB (0.00s)\n\x16=== RUN   TestC\npanic: oh\n"
	results, err := Results([]byte(printed))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, r.Name+" "+r.Outcome)
	}
	if want := []string{"TestA/one fail", "TestB skip", "TestC "}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
