package main

import (
	"fmt"
	"testing"
)

// TestPreprocessing reads the flags and options that speak to the preprocessor.
func TestPreprocessing(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string // "" if they are refused
	}{
		{[]string{"-C"}, "true false [] []"},
		{[]string{"-CH", "-DA", "-U", "B", "-DC=1", "-Iinc", "-I", "x"}, "true true [{A false} {B true} {C=1 false}] [inc x]"},
		{[]string{"-x", "cpp", "-xcpphdrs", "-xdefine=A=B=C", "-xundef=A", "-xincdir=i"}, "true true [{A=B=C false} {A true}] [i]"},
		{[]string{"-C", "-xcpp=off"}, "false false [] []"},
		{[]string{"-xcppargs=-H -DA -D B -I i -Uc"}, "false true [{A false} {B false} {c true}] [i]"},
		{[]string{"-xcppargs=-E"}, ""},
		{[]string{"-xcppargs=-D"}, ""},
		{[]string{"-xcpppath=/usr/bin/cpp", "-xcppargs=-E"}, "false false [] []"},
		{[]string{"-xstdc=q"}, ""},
	} {
		got := ""
		if j, err := parseTrace(append(tt.args, "-n", "BEGIN")); err == nil {
			got = fmt.Sprint(j.cpp.on, j.cpp.headers, j.cpp.cfg.Defines, j.cpp.cfg.Include)
		}
		if got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.args, got, tt.want)
		}
	}
}
