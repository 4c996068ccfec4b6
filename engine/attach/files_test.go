package attach

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A file that is held is found though its path leads nowhere any more.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	held := Files{path: file}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got, want := held.path(path), fmt.Sprintf("/proc/self/fd/%d", file.Fd()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := held.path("/bin/other"); got != "/bin/other" {
		t.Errorf("another file is looked for as %q", got)
	}
	held.Close()
	if _, err := file.Stat(); err == nil || held.path(path) != path {
		t.Error("it is still held")
	}
	Files(nil).Close()
}
