package clock

import (
	"io/fs"
	"testing"
	"testing/fstest"
	"time"
)

func link(to string) *fstest.MapFile {
	return &fstest.MapFile{Mode: fs.ModeSymlink | 0o777, Data: []byte(to)}
}

func TestRead(t *testing.T) {
	const moved = "monotonic      100000         5\nboottime      -3000  0\n"
	want := Offsets{100000*time.Second + 5, -3000 * time.Second}
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for _, tt := range []struct {
		name string
		proc fstest.MapFS
		want Offsets
	}{
		{"an old kernel", fstest.MapFS{"self/status": text("PPid:\t1\n")}, Offsets{}},
		{"our own", fstest.MapFS{"self/ns/time": link("time:[1]"), "self/ns/time_for_children": link("time:[1]"), "self/timens_offsets": text(moved)}, want},
		{"our children's, and our parent's are ours", fstest.MapFS{
			"self/ns/time": link("time:[1]"), "self/ns/time_for_children": link("time:[2]"), "self/timens_offsets": text("monotonic 7 0\n"),
			"self/status": text("Name:\tx\nPPid:\t42\nUid:\t0\n"), "42/ns/time_for_children": link("time:[1]"), "42/timens_offsets": text(moved),
		}, want},
		{"nonsense", fstest.MapFS{"self/ns/time": link("time:[1]"), "self/ns/time_for_children": link("time:[1]"), "self/timens_offsets": text("monotonic x y\nz\n")}, Offsets{}},
	} {
		if got := read(tt.proc); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
