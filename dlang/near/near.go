// Package near finds the name that somebody meant who has written another.
package near

// Name returns the candidate that is most like name, or "" if none is like
// enough to be a slip of the hand. Of several that are as like, it is one of the
// same length, then the first of the alphabet, whatever the order of candidates.
func Name(name string, candidates []string) string {
	best, cost := "", (len(name)+1)/4 // one slip in three letters, two in seven
	for _, s := range candidates {
		if s == name {
			continue
		}
		switch d := Distance(name, s, cost); {
		case d < cost, d == cost && (best == "" || likelier(s, best, len(name))):
			best, cost = s, d
		}
	}
	return best
}

// likelier says that s is the likelier of two candidates with as many slips.
func likelier(s, best string, length int) bool {
	if same := len(s) == length; same != (len(best) == length) {
		return same
	}
	return s < best
}

func abs(n int) int { return max(n, -n) }

// Distance counts the letters to insert, drop, change or swap with their neighbours that turn
// a into b. Beyond limit it returns any larger number.
func Distance(a, b string, limit int) int {
	if abs(len(a)-len(b)) > limit {
		return limit + 1
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			change := prev[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, prev[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
