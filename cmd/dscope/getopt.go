package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A flagArg is one flag of a command line, in the order given.
type flagArg struct {
	flag byte
	arg  string
}

// numbers returns what reads the argument as a number, of something of which there are
// so many at least, and leaves in err what is wrong with it.
func (o flagArg) numbers(err *error) func(what string, least int) int {
	return func(what string, least int) int {
		n, wrong := strconv.Atoi(o.arg)
		if wrong != nil || n < least {
			*err = fmt.Errorf("invalid %s '%s'", what, o.arg)
		}
		return n
	}
}

// getopt reads args as getopt(3) does: flags may be joined (-qn 'x'), an
// argument may stand in the same word or the next, and -- ends the flags.
// dtrace(1) lets other words stand between the flags, so they are gathered and
// returned apart. In spec each flag is a letter, with a colon if it takes an
// argument. The standard library and its kin know neither joined flags nor the order
// of different flags, which dtrace(1) gives a meaning.
func getopt(args []string, spec string) (opts []flagArg, rest []string, err error) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			return opts, append(rest, args[i+1:]...), nil
		}
		if len(word) < 2 || word[0] != '-' {
			rest = append(rest, word)
			continue
		}
		for j := 1; j < len(word); j++ {
			flag := word[j]
			at := strings.IndexByte(spec, flag)
			if at < 0 || flag == ':' {
				return nil, nil, fmt.Errorf("illegal option -- %c", flag)
			}
			if at+1 == len(spec) || spec[at+1] != ':' {
				opts = append(opts, flagArg{flag: flag})
				continue
			}
			arg := word[j+1:]
			if arg == "" {
				if i++; i == len(args) {
					return nil, nil, fmt.Errorf("option requires an argument -- %c", flag)
				}
				arg = args[i]
			}
			opts = append(opts, flagArg{flag, arg})
			break
		}
	}
	return opts, rest, nil
}
