package widget

// IndexFold returns where query begins in s, or -1; ASCII letters match
// whatever their case. What matches is as long as query. An empty query is nowhere.
func IndexFold(s, query string) int {
	if query == "" {
		return -1
	}
	first := lower(query[0])
	for i := 0; i+len(query) <= len(s); i++ {
		if lower(s[i]) == first && equalFold(s[i:i+len(query)], query) {
			return i
		}
	}
	return -1
}

func equalFold(a, b string) bool {
	for i := range len(b) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
