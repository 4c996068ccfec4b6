package main

import (
	"strings"
	"testing"
)

func TestSpell(t *testing.T) {
	for _, tt := range []struct {
		flag      byte
		arg, want string
	}{
		{'P', "syscall", "syscall:::"},
		{'m', "vmlinux", "vmlinux::"},
		{'m', "syscall:vmlinux", "syscall:vmlinux::"},
		{'f', "read", "read:"},
		{'n', "BEGIN", "BEGIN"},
		{'f', "read /pid == 1/ { exit(0); }", "read: /pid == 1/ { exit(0); }"},
		{'n', "syscall:::entry{ @ = count(); }", "syscall:::entry{ @ = count(); }"},
		{'n', "BEGIN,tick-1s { @ = count(); }", "BEGIN,tick-1s { @ = count(); }"},
		{'P', "sdt,syscall", "sdt:::,syscall:::"},
		{'f', "::read:", ":read::"},
		{'i', "1", "1"},
		{'i', "1{ exit(0); }", "1{ exit(0); }"},
		{'i', "BEGIN", "BEGIN"},
		{'i', "2-3 { exit(0); }", "2|-3 { exit(0); }"},
	} {
		got, err := inD(tt.flag, tt.arg)
		if err != nil || strings.Join(got, "|") != tt.want {
			t.Errorf("inD(%c, %q) = %q, %v, want %q", tt.flag, tt.arg, got, err, tt.want)
		}
	}
	for _, bad := range []struct {
		flag byte
		arg  string
	}{{'f', "4.56"}, {'P', "a:b"}, {'n', "a:b:c:d:e"}, {'m', "a::"}} {
		if got, err := inD(bad.flag, bad.arg); err == nil {
			t.Errorf("inD(%c, %q) = %q, want an error", bad.flag, bad.arg, got)
		}
	}
}

func TestParseTraceErrors(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-y"}, {"-n"}, {"-p", "x", "-n", "BEGIN"}, {"-x", "nosuchoption", "-n", "BEGIN"},
		{"-b", "1q", "-n", "BEGIN"}, {"-s", "/nonexistent.d"},
	} {
		if _, err := parseTrace(args); err == nil {
			t.Errorf("parseTrace(%q) accepted", args)
		}
	}
}
