package widget

import "strconv"

// Count writes a number of things in English: 1 key, 2 keys, 1,200 keys.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if n < 0 {
		return strconv.Itoa(n) + " " + what + "s"
	}
	return Group(uint64(n)) + " " + what + "s"
}

// Group writes a number with its thousands apart: 12,345.
func Group(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
