package parser

import (
	"strconv"
	"strings"
)

// A pack is what a #pragma pack says: from a token on, members are aligned at so many
// bytes at most.
type pack struct{ before, bytes int }

// readPacks reads the control lines that pack.
func (p *parser) readPacks() {
	var stack []int
	now := 0
	for _, l := range p.lines {
		words, ok := packWords(l.pragma.Text)
		if !ok {
			continue
		}
		if len(words) == 0 {
			now = 0
		}
		for _, w := range words {
			n, err := strconv.Atoi(w)
			switch {
			case w == "push":
				stack = append(stack, now)
			case w == "pop" && len(stack) > 0:
				now, stack = stack[len(stack)-1], stack[:len(stack)-1]
			case err == nil:
				now = n
			}
		}
		p.packs = append(p.packs, pack{l.before, now})
	}
}

// packWords returns what stands between the parentheses of #pragma pack.
func packWords(text string) ([]string, bool) {
	text, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(text, "#")), "pragma")
	if text = strings.TrimSpace(text); !ok || !strings.HasPrefix(text, "pack") {
		return nil, false
	}
	words := strings.FieldsFunc(text[len("pack"):], func(r rune) bool { return strings.ContainsRune(" \t(),", r) })
	return words, true
}

// packing returns what the last #pragma pack before the current token says. Tokens are
// read in order, so what lies behind is forgotten.
func (p *parser) packing() int {
	for len(p.packs) > 1 && p.packs[1].before < p.next {
		p.packs = p.packs[1:]
	}
	if len(p.packs) == 0 || p.packs[0].before >= p.next {
		return 0
	}
	return p.packs[0].bytes
}
