package main

import (
	"reflect"
	"testing"
)

func TestGetopt(t *testing.T) {
	for _, tt := range []struct {
		args []string
		opts []flagArg
		rest []string
		err  string
	}{
		{[]string{"-qn", "BEGIN"}, []flagArg{{'q', ""}, {'n', "BEGIN"}}, nil, ""},
		{[]string{"-nBEGIN", "-q"}, []flagArg{{'n', "BEGIN"}, {'q', ""}}, nil, ""},
		{[]string{"-s", "a.d", "one", "-q", "two"}, []flagArg{{'s', "a.d"}, {'q', ""}}, []string{"one", "two"}, ""},
		{[]string{"-q", "--", "-n"}, []flagArg{{'q', ""}}, []string{"-n"}, ""},
		{[]string{"-"}, nil, []string{"-"}, ""},
		{[]string{"-n"}, nil, nil, "option requires an argument -- n"},
		{[]string{"-y"}, nil, nil, "illegal option -- y"},
		{[]string{"-:"}, nil, nil, "illegal option -- :"},
	} {
		opts, rest, err := getopt(tt.args, "n:s:q")
		if got := errText(err); got != tt.err {
			t.Errorf("getopt(%q): error %q, want %q", tt.args, got, tt.err)
			continue
		}
		if !reflect.DeepEqual(opts, tt.opts) || !reflect.DeepEqual(rest, tt.rest) {
			t.Errorf("getopt(%q) = %v, %q, want %v, %q", tt.args, opts, rest, tt.opts, tt.rest)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
