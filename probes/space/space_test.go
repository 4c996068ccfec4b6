package space

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	const text = `7f28543fa000-7f2854550000 r-xp 00026000 fe:00 326269                     /usr/lib/x86_64-linux-gnu/libc.so.6
55ac67375000-55ac6737a000 r-xp 00002000 fe:01 247026                     /tmp/with space (deleted)
nonsense
7f28545c7000-7f28545c9000 r-xp 00000000 00:00 0                          [vdso]
7f28545c7000-7f28545c9000 r--p 00000000 00:00 7                          /a\012b
7f2854371000-7f2854371000 r-xp 00000000 00:00 0
7f2854371000-7f2854371001 rw-p 00000000 00:00 0 
7f2854371000-7f2854371001 rw-p 00000000 00:00 0 [anon: x/y]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]`
	var got []string
	for _, m := range Read(strings.NewReader(text)) {
		got = append(got, fmt.Sprintf("%x+%x %x:%x:%d %v %v %q %q", m.Start, m.Offset, m.File.Major, m.File.Minor, m.File.Inode,
			m.Exec, m.Deleted, m.Name(), m.Path))
	}
	want := []string{
		`7f28543fa000+26000 fe:0:326269 true false "libc.so.6" "/usr/lib/x86_64-linux-gnu/libc.so.6"`,
		`55ac67375000+2000 fe:1:247026 true true "with space" "/tmp/with space"`,
		`7f28545c7000+0 0:0:0 true false "[vdso]" "[vdso]"`,
		`7f28545c7000+0 0:0:7 false false "a\nb" "/a\nb"`,
		`7f2854371000+0 0:0:0 false false "" ""`,
		`7f2854371000+0 0:0:0 false false "" "[anon: x/y]"`,
		`ffffffffff600000+0 0:0:0 true false "[vsyscall]" "[vsyscall]"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("maps\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A file counts only if it is the one that is mapped, wherever it is found.
func TestFind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files have no numbers here")
	}
	proc := t.TempDir()
	write := func(name string) (string, FileID) {
		t.Helper()
		path := filepath.Join(proc, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("x"), 0o644)); err != nil {
			t.Fatal(err)
		}
		id, err := IDOf(path)
		if err != nil {
			t.Fatal(err)
		}
		return path, id
	}
	own, ownID := write("bin/own")
	inner, innerID := write("7/root" + own + "-inner")
	itself, itselfID := write("7/map_files/1000-2000")
	elsewhere := ownID
	elsewhere.Minor++ // as it is where file systems tell two devices
	for _, tt := range []struct {
		name, path string
		id         FileID
		want       string
		isOwn      bool
	}{
		{"its path", own, ownID, own, true},
		{"another root", own + "-inner", innerID, inner, false},
		{"removed", own + "-gone", itselfID, itself, false},
		{"replaced", own, itselfID, itself, false},
		{"another file of that number", own, elsewhere, "", false},
		{"nowhere", own, FileID{1, 2, 3}, "", false},
		{"no path", "[heap]", ownID, "", false},
	} {
		m := Mapping{Start: 0x1000, End: 0x2000, Path: tt.path, File: tt.id}
		f, found, err := Process{proc, 7}.Open(&m)
		if err == nil {
			f.Close()
		}
		if found.Path != tt.want || found.Own != tt.isOwn || err == nil != (tt.want != "") {
			t.Errorf("%s: found %+v, %v; want %q", tt.name, found, err, tt.want)
		}
	}
	m := Mapping{Start: 0x3000, End: 0x4000, Path: own, File: elsewhere}
	if found, err := (Process{proc, 7}).Find(&m); err != nil {
		t.Errorf("where nobody may look at the mapping itself, the number must do: %+v, %v", found, err)
	}
	dir := Mapping{Path: proc, File: ownID}
	if _, err := (Process{proc, 7}).Find(&dir); err == nil {
		t.Error("a folder is taken for a file")
	}
}

func TestCode(t *testing.T) {
	proc := t.TempDir()
	text := "1000-2000 r--p 0 08:01 5 /bin/a\n2000-3000 r-xp 1000 08:01 5 /bin/a\n4000-5000 r-xp 0 08:01 5 /bin/a\n" +
		"5000-6000 r-xp 0 08:02 5 /bin/b\n6000-7000 r-xp 0 00:00 0 \n7000-8000 r-xp 0 00:01 9 anon_inode:x\n"
	if err := errors.Join(os.Mkdir(filepath.Join(proc, "7"), 0o755), os.WriteFile(filepath.Join(proc, "7", "maps"), []byte(text), 0o644),
		os.Mkdir(filepath.Join(proc, "12"), 0o755), os.Mkdir(filepath.Join(proc, "self"), 0o755)); err != nil {
		t.Fatal(err)
	}
	list, err := Process{proc, 7}.Code()
	var got []string
	for _, m := range list {
		got = append(got, fmt.Sprintf("%x %s", m.Start, m.Path))
	}
	if want := []string{"2000 /bin/a", "5000 /bin/b"}; !slices.Equal(got, want) || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if _, err := (Process{proc, 12}).Code(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a process without maps: %v", err)
	}
	if pids, err := Processes(proc); !slices.Equal(pids, []int{7, 12}) || err != nil {
		t.Errorf("processes %v, %v", pids, err)
	}
}

// FuzzRead reads whatever a process may have put into the names of its mappings.
func FuzzRead(f *testing.F) {
	f.Add("55ac67375000-55ac6737a000 r-xp 00002000 fe:00 247026   /bin/x (deleted)\n")
	f.Add("0-ffffffffffffffff rwxp ffffffffffffffff ffffffff:ffffffff 18446744073709551615 \\012\n")
	f.Fuzz(func(t *testing.T, maps string) {
		for _, m := range Read(strings.NewReader(maps)) {
			if m.Start >= m.End {
				t.Errorf("%+v is empty", m)
			}
			m.Name()
		}
	})
}
