package cpp

import (
	"strings"

	"dscope.dev/dlang/token"
)

// An output is the text that is being made.
type output struct {
	text []byte
	runs []run
	last place // of the token that was written last, or of the beginning of the line
}

// A run is a token.Run before the sources have become files.
type run struct {
	at  int
	src *source
	off int
	len int
	why origin
}

// An origin is the place in the body of a macro that a stretch comes from. Its
// macro is nil if there is none.
type origin struct {
	macro *macro
	at    place
}

// run begins a stretch that comes from a place. A length of 0 says byte by byte.
func (o *output) run(at place, length int, why origin) {
	if n := len(o.runs); n > 0 && length == 0 && why.macro == nil {
		r := &o.runs[n-1]
		if r.src == at.src && r.len == 0 && r.why.macro == nil && r.off+len(o.text)-r.at == at.off {
			return // goes on
		}
	}
	o.runs = append(o.runs, run{len(o.text), at.src, at.off, length, why})
}

// put writes a token.
func (o *output) put(t *tok) {
	o.gap(t)
	use, why := t.at, origin{}
	length := t.at.len
	if length == len(t.text) {
		length = 0
	}
	if t.via != nil {
		use = t.via.at
		length = max(use.len, 1)
		if t.via.macro.special == "" {
			why = origin{t.via.macro, t.at}
		}
	}
	o.run(use, length, why)
	o.text = append(o.text, t.text...)
	if o.last = t.at; t.via != nil {
		o.last = place{} // what follows in the file does not follow this
	}
}

// gap writes what stands between the last token and t: the blanks of the file if
// t follows in the file, else one blank if there is any or if the two would run
// together.
func (o *output) gap(t *tok) {
	if t.via == nil && o.last.src == t.at.src {
		if end := o.last.off + o.last.len; end <= t.at.off {
			if between := t.at.src.raw[end:t.at.off]; strings.Trim(between, " \t\v\f") == "" {
				o.run(place{t.at.src, end, 0}, 0, origin{})
				o.text = append(o.text, between...)
				return
			}
		}
	}
	if t.space || o.joins(t) {
		o.text = append(o.text, ' ')
	}
}

// joins reports whether the end of the text and t would be read as one token.
func (o *output) joins(t *tok) bool {
	if len(o.text) == 0 || t.text == "" {
		return false
	}
	last, first := o.text[len(o.text)-1], t.text[0]
	switch {
	case isWord(first):
		return isWord(last) || last == '.' && isDigit(first)
	case isWord(last):
		return first == '.' && isDigit(o.lastWord()) || t.kind == number
	}
	return strings.Contains(pairs, string([]byte{' ', last, first, ' '}))
}

// lastWord returns the first byte of the word that the text ends with.
func (o *output) lastWord() byte {
	i := len(o.text)
	for i > 0 && (isWord(o.text[i-1]) || o.text[i-1] == '.') {
		i--
	}
	return o.text[i]
}

// pairs are the punctuators of D that two characters can run together to, and
// the beginnings of comments.
const pairs = " -> -- -= ++ += << <= >> >= == != && &= || |= ^^ ^= /= *= %= ## .. // /* "

// newlines ends the line as many times as the source has ended lines since off
// from, up to to.
func (o *output) newlines(s *source, from, to int) {
	n := strings.Count(s.raw[from:to], "\n")
	for ; n > 1; n-- {
		o.text = append(o.text, '\n')
	}
	if n == 1 {
		o.run(place{s, from + strings.LastIndexByte(s.raw[from:to], '\n'), 1}, 0, origin{})
		o.text = append(o.text, '\n')
	}
}

// begin says that a line begins at a place.
func (o *output) begin(at place) { o.last = at }

// file makes the file.
func (o *output) file(name string) *token.File {
	runs := make([]token.Run, len(o.runs))
	reasons := map[origin]*token.Origin{}
	for i, r := range o.runs {
		runs[i] = token.Run{At: r.at, File: r.src.final(), Off: r.off, Len: r.len}
		if r.why.macro == nil {
			continue
		}
		why := reasons[r.why]
		if why == nil {
			why = &token.Origin{File: r.why.at.src.final(), At: r.why.at.span(),
				Msg: "in the expansion of " + r.why.macro.name}
			reasons[r.why] = why
		}
		runs[i].Why = why
	}
	return token.NewMapped(name, string(o.text), runs)
}
