package shelf

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Change says in few words what has become of a script: how many lines came and went, and
// the first that tells which.
func Change(before, after string) string {
	if before == after {
		return "same script"
	}
	gone, came := changed(lines(before), lines(after))
	switch {
	case len(gone)+len(came) == 0:
		return "blanks alone"
	case len(gone) == 0:
		return fmt.Sprintf("+%d: %s", len(came), came[0])
	case len(came) == 0:
		return fmt.Sprintf("-%d: %s", len(gone), gone[0])
	case slices.Equal(gone, came):
		return "moved: " + came[0]
	case len(gone) == 1 && len(came) == 1:
		return words(gone[0], came[0])
	}
	return fmt.Sprintf("+%d -%d: %s", len(came), len(gone), came[0])
}

// words says what has become of a line, from the first word that differs to the last.
func words(before, after string) string {
	a, b := []rune(before), []rune(after)
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	for from > 0 && isWord(a[from-1]) {
		from--
	}
	a, b = a[from:], b[from:]
	behind := 0
	for behind < min(len(a), len(b)) && a[len(a)-1-behind] == b[len(b)-1-behind] {
		behind++
	}
	for behind > 0 && isWord(a[len(a)-behind]) {
		behind--
	}
	was, is := strings.TrimSpace(string(a[:len(a)-behind])), strings.TrimSpace(string(b[:len(b)-behind]))
	switch {
	case was == "" && is == "":
		return "blanks alone"
	case was == "":
		return "with " + is
	case is == "":
		return "without " + was
	}
	return is + " for " + was
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// lines returns the lines of a script that are not blank, without blanks around them.
func lines(script string) []string {
	var out []string
	for _, line := range strings.Split(script, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// most is how many lines are compared each with each: 16 M steps would take longer than
// a frame.
const most = 1000

// changed returns which lines are in one of two lists alone. Lines keep their order, but
// in the middle of very long lists, where they are compared as a set.
func changed(a, b []string) (gone, came []string) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) > most || len(b) > most {
		return without(a, b), without(b, a)
	}
	// length[i][j] is that of the longest common part of a[i:] and b[j:].
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := range slices.Backward(a) {
		for j := range slices.Backward(b) {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for len(a) > 0 || len(b) > 0 {
		i, j := len(length)-1-len(a), len(length[0])-1-len(b)
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			a, b = a[1:], b[1:]
		case len(b) == 0 || len(a) > 0 && length[i+1][j] >= length[i][j+1]:
			gone, a = append(gone, a[0]), a[1:]
		default:
			came, b = append(came, b[0]), b[1:]
		}
	}
	return gone, came
}

// without returns the lines of a that are not in b.
func without(a, b []string) (out []string) {
	in := map[string]bool{}
	for _, line := range b {
		in[line] = true
	}
	for _, line := range a {
		if !in[line] {
			out = append(out, line)
		}
	}
	return out
}
