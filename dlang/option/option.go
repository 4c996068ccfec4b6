// Package option is the table of D's options, a row for each, and reads their values: flags,
// sizes, times, shares. All who take one read it here, so that a value means the same in a
// pragma, behind -x and in setopt().
//
// To add an option, give it a row in table.go; what sets it is a row in the engine's
// options.
package option

import (
	"fmt"
	"strconv"
	"strings"
)

// Flag reads the value of a flag. None means on, and so does any number but 0: DTrace
// takes numbers alone, the words are for people.
func Flag(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "", "yes", "enable", "enabled", "true", "on", "set":
		return true, nil
	case "no", "disable", "disabled", "false", "off", "unset":
		return false, nil
	}
	if n, err := strconv.ParseUint(s, 0, 63); err == nil {
		return n != 0, nil
	}
	return false, fmt.Errorf("it is on or off, not %q", s)
}

// Size reads a number of bytes: 512, 16k, 4m, 1g.
func Size(s string) (int64, error) {
	digits, shift := s, uint(0)
	if s != "" {
		if i := strings.IndexByte("kmgt", s[len(s)-1]|0x20); i >= 0 {
			digits, shift = s[:len(s)-1], 10*uint(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 0, 64)
	if err != nil || n < 0 || n > (1<<62)>>shift {
		return 0, fmt.Errorf("it takes a size such as 512, 16k or 4m, not %q", s)
	}
	return n << shift, nil
}

// rateUnits gives the nanoseconds of a unit, from the guide's chapter on options.
var rateUnits = map[string]int64{
	"ns": 1, "nsec": 1, "us": 1e3, "usec": 1e3, "ms": 1e6, "msec": 1e6, "s": 1e9, "sec": 1e9, "m": 60e9, "min": 60e9,
	"h": 3600e9, "hour": 3600e9, "d": 86400e9, "day": 86400e9,
}

// Rate reads a time between two actions in nanoseconds: 100ms, 10hz. A bare number
// is a frequency.
func Rate(s string) (int64, error) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	v, err := strconv.ParseInt(s[:n], 10, 64)
	unit := strings.ToLower(s[n:])
	bad := fmt.Errorf("it takes a time or frequency such as 100ms, 1s or 10hz, not %q", s)
	if err != nil {
		return 0, bad
	}
	if unit == "" || unit == "hz" {
		if v == 0 {
			return 0, bad
		}
		return 1e9 / v, nil
	}
	ns, ok := rateUnits[unit]
	if !ok || v > (1<<62)/ns {
		return 0, bad
	}
	return v * ns, nil
}

// Share reads a part of all CPUs, 0 to 1: 20%, or off, which is 0.
func Share(s string) (float64, error) {
	if s == "off" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || !(n >= 0 && n <= 100) {
		return 0, fmt.Errorf("%q is neither off nor a part of all CPUs such as 20%%", s)
	}
	return n / 100, nil
}
