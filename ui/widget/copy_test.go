package widget

import (
	"strings"
	"testing"
)

func TestCopy(t *testing.T) {
	t.Setenv("TMUX", "")
	var b strings.Builder
	if msg := Copy(&b, "read()")(); msg != nil {
		t.Errorf("copying gives the message %v", msg)
	}
	if got, want := b.String(), "\x1b]52;c;cmVhZCgp\x07"; got != want {
		t.Errorf("Copy writes %q, want %q", got, want)
	}
	t.Setenv("TMUX", "/tmp/tmux-0/default,1,0")
	b.Reset()
	Copy(&b, "x")()
	if !strings.Contains(b.String(), "\x1bPtmux;") {
		t.Errorf("inside tmux Copy writes %q", b.String())
	}
	if Copy(nil, "x") != nil || Copy(&b, strings.Repeat("x", CopyMax+1)) != nil {
		t.Error("a copy that cannot be made gives a command")
	}
}
