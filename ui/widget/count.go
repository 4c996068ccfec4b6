package widget

import "strconv"

// Count writes a number of things in English: 1 key, 2 keys.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
