package main

import (
	"fmt"
	"strings"
)

// around is how many lines that stay are shown around each change.
const around = 3

// An edit is a line that stays (' '), goes ('-') or comes ('+').
type edit struct {
	mark byte
	text string // with its newline, if it has one
}

// unified shows how b differs from a, as diff -u does.
func unified(nameA, nameB, a, b string) string {
	all := edits(strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n"))
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", nameA, nameB)
	for i := 0; i < len(all); i++ {
		if all[i].mark != ' ' {
			i = hunk(&out, all, i)
		}
	}
	return out.String()
}

// hunk writes the changes from the one at index at on, up to where more lines
// stay than would be shown, and returns the index of the last line written.
func hunk(out *strings.Builder, all []edit, at int) int {
	from, to := max(0, at-around), at+1
	for i := at; i < len(all) && i <= to+2*around-1; i++ {
		if all[i].mark != ' ' {
			to = i + 1
		}
	}
	to = min(len(all), to+around)
	beforeA, beforeB := count(all[:from])
	a, b := count(all[from:to])
	fmt.Fprintf(out, "@@ -%s +%s @@\n", stretch(beforeA, a), stretch(beforeB, b))
	for _, e := range all[from:to] {
		if e.text == "" {
			continue
		}
		out.WriteByte(e.mark)
		out.WriteString(e.text)
		if !strings.HasSuffix(e.text, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
	return to - 1
}

// count returns how many lines of both texts are among edits.
func count(list []edit) (a, b int) {
	for _, e := range list {
		if e.text != "" && e.mark != '+' {
			a++
		}
		if e.text != "" && e.mark != '-' {
			b++
		}
	}
	return a, b
}

// stretch spells n lines behind so many, as diff does.
func stretch(before, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, n)
}

// mostCells bounds the table by which edits are found; larger texts are shown as
// one that goes and one that comes.
const mostCells = 1 << 24

// edits finds a shortest way from the lines a to the lines b.
func edits(a, b []string) []edit {
	var head, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = append([]edit{{' ', a[len(a)-1]}}, tail...)
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return append(append(head, middle(a, b)...), tail...)
}

// middle does what edits does for texts that differ at both ends.
func middle(a, b []string) []edit {
	var list []edit
	if (len(a)+1)*(len(b)+1) > mostCells {
		for _, line := range a {
			list = append(list, edit{'-', line})
		}
		for _, line := range b {
			list = append(list, edit{'+', line})
		}
		return list
	}
	// same[i][j] is how many lines a[i:] and b[j:] have in common, in order.
	same := make([][]int32, len(a)+1)
	for i := range same {
		same[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				same[i][j] = same[i+1][j+1] + 1
			} else {
				same[i][j] = max(same[i+1][j], same[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			list = append(list, edit{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || same[i+1][j] >= same[i][j+1]):
			list = append(list, edit{'-', a[i]})
			i++
		default:
			list = append(list, edit{'+', b[j]})
			j++
		}
	}
	return list
}
