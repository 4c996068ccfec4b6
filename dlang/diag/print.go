package diag

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dscope.dev/dlang/token"
)

// margin stands before a quoted line and before a hint.
const margin = "    "

// Print writes list for people: each complaint with its place, its tag, the
// line that it is about and a mark under the words.
//
//	script.d:2:29: @n cannot hold both count() and sum() [D_AGG_REDEF]
//	    syscall::read:return { @n = sum(arg0); }
//	                                ^^^
//
// Bytes of the script that would move the cursor or change colours are escaped.
func Print(w io.Writer, f *token.File, list List) error {
	var b strings.Builder
	for _, d := range list {
		word := ""
		if d.Severity == Warning {
			word = "warning: "
		}
		place(&b, f, d.At, word+d.Msg+" ["+string(d.Code)+"]")
		for _, o := range f.Reasons(d.At) {
			place(&b, o.File, o.At, "note: "+o.Msg)
		}
		for _, n := range d.Notes {
			place(&b, f, n.At, "note: "+n.Msg)
		}
		if d.Hint != "" {
			fmt.Fprintf(&b, "%shint: %s\n", margin, clean(d.Hint))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// place writes a sentence about a place with the line that it is about.
func place(b *strings.Builder, f *token.File, at token.Span, msg string) {
	if !at.IsValid() {
		fmt.Fprintf(b, "%s: %s\n", clean(f.Name), clean(msg))
		return
	}
	name, line, col := f.Place(at.From)
	fmt.Fprintf(b, "%s:%d:%d: %s\n", clean(name), line, col, clean(msg))
	quote(b, f, at)
}

// quote writes the line in which at begins, as somebody wrote it, and marks what
// at covers of it, at least one column. The mark stands right whatever the width of a tab, because
// the line of the mark has tabs where the line of the script has them.
func quote(b *strings.Builder, f *token.File, at token.Span) {
	src, at := f.Origin(at)
	text, off := src.LineAt(at.From)
	from := min(off, len(text))
	to := max(from, min(off+int(at.To-at.From), len(text)))
	text, from, to = clip(text, from, to)
	b.WriteString(margin)
	b.WriteString(strings.TrimRight(escape(text, true), " \t"))
	b.WriteByte('\n')
	b.WriteString(margin)
	for _, r := range escape(text[:from], true) {
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteString(strings.Repeat(" ", columns(r)))
		}
	}
	width := 0
	for _, r := range escape(text[from:to], false) {
		width += columns(r)
	}
	b.WriteString(strings.Repeat("^", max(1, width)))
	b.WriteByte('\n')
}

// clip returns the part of a long line that lies around text[from:to]. Scripts
// that a program has written may be one line altogether.
func clip(text string, from, to int) (string, int, int) {
	const most, before, mark = 240, 80, "…"
	if len(text) <= most {
		return text, from, to
	}
	head, tail := "", ""
	begin := runeStart(text, max(0, from-before))
	end := runeStart(text, min(len(text), begin+most))
	if begin > 0 {
		head = mark
	}
	if end < len(text) {
		tail = mark
	}
	shift := len(head) - begin
	return head + text[begin:end] + tail, from + shift, min(to, end) + shift
}

// runeStart moves off back to the beginning of a character, if it is in one.
func runeStart(text string, off int) int {
	for n := 1; n < utf8.UTFMax && off > 0 && off < len(text) && !utf8.RuneStart(text[off]); n++ {
		off--
	}
	return off
}

// clean escapes all control characters of a sentence.
func clean(s string) string { return escape(s, false) }

// escape writes what is not printable as Go would, so that no byte of a script
// reaches the terminal as a command.
func escape(s string, tabs bool) string {
	ok := func(r rune) bool { return r == '\t' && tabs || r != utf8.RuneError && unicode.IsGraphic(r) }
	if strings.IndexFunc(s, func(r rune) bool { return !ok(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case ok(r):
			b.WriteString(s[:n])
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		s = s[n:]
	}
	return b.String()
}

// columns returns how wide a terminal draws r: two columns for the scripts of
// East Asia and for pictures, none for marks that combine.
func columns(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
		return 0
	case r < 0x1100:
		return 1
	case r <= 0x115f, 0x2e80 <= r && r <= 0x303e, 0x3041 <= r && r <= 0xa4cf, 0xac00 <= r && r <= 0xd7a3,
		0xf900 <= r && r <= 0xfaff, 0xfe30 <= r && r <= 0xfe6f, 0xff00 <= r && r <= 0xff60,
		0xffe0 <= r && r <= 0xffe6, 0x1f300 <= r && r <= 0x1faff, 0x20000 <= r && r <= 0x3fffd:
		return 2
	}
	return 1
}

// Classic returns a complaint in the one line of dtrace(1), to which it adds
// "dtrace: failed to compile script FILE: ". The tag comes with the option of
// that name only. A file that the script includes is named.
func Classic(f *token.File, d *Diagnostic, withTag bool) string {
	tag := ""
	if withTag {
		tag = "[" + string(d.Code) + "] "
	}
	if !d.At.IsValid() {
		return tag + clean(d.Msg)
	}
	name, line, _ := f.Place(d.At.From)
	if f.Included(d.At.From) {
		tag += fmt.Sprintf("%q, ", clean(name))
	}
	return fmt.Sprintf("%sline %d: %s", tag, line, clean(d.Msg))
}
