package document

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dscope.dev/ui/document/disk"
)

// names returns what is on a desk, with the one in front in brackets.
func names(k *Desk) string {
	var out []string
	for _, d := range k.All() {
		name := d.Name()
		if d == k.Front() {
			name = "[" + name + "]"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func TestDesk(t *testing.T) {
	file := func(name string) disk.File { return disk.File{Path: "/x/" + name, Text: name} }
	k := NewDesk("")
	for _, tt := range []struct {
		do   func()
		want string
	}{
		{func() {}, "[untitled]"},
		{func() { k.Put(file("a.d")) }, "[a.d]"}, // nobody would miss what was there
		{func() { k.Put(file("b.d")) }, "a.d [b.d]"},
		{func() { k.Step(+1) }, "[a.d] b.d"},
		{func() { k.Step(-1) }, "a.d [b.d]"},
		{func() { k.Put(file("a.d")) }, "[a.d] b.d"}, // it is open already
		{func() { k.Put(disk.File{Text: "q"}) }, "a.d [untitled] b.d"},
		{func() { k.Put(disk.File{Text: "r"}) }, "a.d [untitled] b.d"},
		{func() { k.Front().typed("x"); k.Put(disk.File{}) }, "a.d untitled [untitled] b.d"},
		{func() { k.Close() }, "a.d [untitled] b.d"},
		{func() { k.Close() }, "[a.d] b.d"},
		{func() { k.Close() }, "[b.d]"},
		{func() { k.Close() }, "[untitled]"},
	} {
		tt.do()
		if got := names(k); got != tt.want {
			t.Errorf("the desk has %s, want %s", got, tt.want)
		}
	}
}

// left writes a copy of unsaved text as an editor leaves it that was killed.
func left(t *testing.T, state, number, path, body string, at time.Time) {
	t.Helper()
	dir := filepath.Join(state, "unsaved")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, number+".lock"), "")
	write(t, filepath.Join(dir, number+".copy"), `{"path":"`+path+`","time":"`+at.Format(time.RFC3339)+"\"}\n"+body)
}

// What was left of a script is offered, the file that was asked for shown; what was left of
// others is offered to who asks for nothing.
func TestRecover(t *testing.T) {
	state, path := t.TempDir(), filepath.Join(t.TempDir(), "a.d")
	write(t, path, "saved")
	begun := time.Now().Truncate(time.Second)
	left(t, state, "1", path, "unsaved", begun)
	left(t, state, "2", "", "nameless", begun.Add(time.Second))
	left(t, state, "3", path, "saved", begun.Add(-time.Second)) // says nothing new
	k := NewDesk(state)
	open := func(path string) {
		o := Open(state, path)
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		if o.File.Path != "" {
			k.Put(o.File)
		}
		if job := k.Offer(o.Orphans); job != nil {
			if err := job(); err != nil {
				t.Error(err)
			}
		}
	}
	open(path)
	if k.Front().Text() != "saved" || len(k.Left()) != 1 || k.Left()[0].Text != "unsaved" {
		t.Fatalf("%q is shown, %v is offered", k.Front().Text(), k.Left())
	}
	open("")
	if l := k.Left(); len(l) != 2 || l[0].Text != "unsaved" || l[1].Text != "nameless" {
		t.Errorf("%v is offered: first what is of the script in front", l)
	}
	if err := k.Recover(k.Left()[0], disk.File{Path: path})(); err != nil {
		t.Error(err)
	}
	if d := k.Front(); d.Path() != path || d.Text() != "unsaved" || !d.Undo() || d.Text() != "saved" || d.Modified() {
		t.Errorf("recovered: %q of %s", d.Text(), d.Path())
	}
	if err := k.Recover(k.Left()[0], disk.File{})(); err != nil {
		t.Error(err)
	}
	if got := names(k); got != "a.d [untitled *]" && got != "a.d [untitled]" || k.Front().Text() != "nameless" {
		t.Errorf("the desk has %s: %q", got, k.Front().Text())
	}
	if err := k.End()(); err != nil {
		t.Error(err)
	}
	if files, _ := os.ReadDir(filepath.Join(state, "unsaved")); len(files) != 0 {
		t.Errorf("%v are left", files)
	}
}
