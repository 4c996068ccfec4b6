package syntax

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// lexer is a chroma.Lexer for scripts of DTrace.
type lexer struct{}

// Lexer returns the chroma lexer of D scripts, for chroma's formatters. It
// joins no registry: there the ending .d belongs to another language.
func Lexer() chroma.Lexer { return lexer{} }

// Config describes the language. It names no files, see Lexer.
func (lexer) Config() *chroma.Config {
	return &chroma.Config{Name: "DTrace", Aliases: []string{"dtrace", "dscript"}, MimeTypes: []string{"text/x-dtrace"}}
}

// Tokenise returns the words and the blanks between them, the whole text and
// nothing else, whatever state it is told to begin in.
func (lexer) Tokenise(o *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	if o != nil && o.EnsureLF {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	var out []chroma.Token
	at := 0
	for _, w := range Words(text) {
		if w.From > at {
			out = append(out, chroma.Token{Type: chroma.TextWhitespace, Value: text[at:w.From]})
		}
		out = append(out, chroma.Token{Type: w.Class.Chroma(), Value: text[w.From:w.To]})
		at = w.To
	}
	if at < len(text) {
		out = append(out, chroma.Token{Type: chroma.TextWhitespace, Value: text[at:]})
	}
	return chroma.Literator(out...), nil
}

// SetRegistry returns the lexer as it is: it asks no other.
func (l lexer) SetRegistry(*chroma.LexerRegistry) chroma.Lexer { return l }

// SetAnalyser returns the lexer as it is: it has an analyser of its own.
func (l lexer) SetAnalyser(func(string) float32) chroma.Lexer { return l }

// AnalyseText says how likely text is a D script.
func (lexer) AnalyseText(text string) float32 {
	first, _, _ := strings.Cut(text, "\n")
	switch {
	case strings.HasPrefix(first, "#!") && (strings.Contains(first, "dtrace") || strings.Contains(first, "dscope")):
		return 1
	case strings.Contains(text, "#pragma D "):
		return 0.9
	case strings.Contains(text, ":::"), strings.Contains(text, "dtrace:::BEGIN"):
		return 0.5
	}
	return 0
}
