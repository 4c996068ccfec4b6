package filename

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

func TestAt(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want Place
		ok   bool
	}{
		{"BEGIN { }\n#include \"lib/a", Place{"lib/a", true}, true},
		{"  # include <", Place{"", true}, true},
		{`#include "a.d"`, Place{}, false}, // it is whole
		{`BEGIN { freopen("/tmp/o`, Place{"/tmp/o", false}, true},
		{`BEGIN { freopen("/tmp/o%d`, Place{}, false}, // nobody can know
		{`BEGIN { printf("/tmp/o`, Place{}, false},
		{"", Place{}, false},
	} {
		if got, ok := At(tt.src); got != tt.want || ok != tt.ok {
			t.Errorf("At(%q) = %+v, %t", tt.src, got, ok)
		}
	}
}

func TestComplete(t *testing.T) {
	disk := fstest.MapFS{"home/a.d": {}, "home/ab.txt": {}, "home/abc/x.h": {}, "home/.secret": {}, "etc/passwd": {}}
	read := func(dir string) ([]fs.DirEntry, error) { return disk.ReadDir(dir[1:]) }
	for _, tt := range []struct {
		typed  string
		takes  func(fs.DirEntry) bool
		want   []string
		common string
	}{
		{"a", nil, []string{"a.d", "ab.txt", "abc/"}, "a"},
		{"ab", nil, []string{"ab.txt", "abc/"}, "ab"},
		{"a", Place{Script: true}.Takes, []string{"a.d", "abc/"}, "a"},
		{"abc/", nil, []string{"x.h"}, "x.h"},
		{"/etc/pa", nil, []string{"passwd"}, "passwd"},
		{".", nil, []string{".secret"}, ".secret"},
		{"", nil, []string{"a.d", "ab.txt", "abc/"}, "a"},
		{"none/", nil, nil, ""},
		{"zz", nil, nil, ""},
	} {
		got := Complete("/home", tt.typed, read, tt.takes)
		if !slices.Equal(got, tt.want) || Common(got) != tt.common {
			t.Errorf("Complete(%q) = %q, common %q", tt.typed, got, Common(got))
		}
	}
	if got := Common([]string{"ä", "ö"}); got != "" {
		t.Errorf("half a letter is common: %q", got)
	}
}
