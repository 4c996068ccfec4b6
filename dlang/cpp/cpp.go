// Package cpp is the preprocessor that dtrace -C runs a script through: C's,
// after C99, without a compiler that would have to be installed.
//
// It goes over the script once. Lines that begin with # are directives and leave
// an empty line behind; in all other lines the names of macros are replaced and
// comments become a blank, and everything else stays as it is. What D has and C
// has not survives: `symbols, @aggregations, $1 and $$1, probe descriptions with
// colons and globs, a quote that has no partner on its line, and #pragma lines,
// whose names are not replaced. As with the compilers' own preprocessors a name
// behind @ or ` is a name like any other, and $ is a letter. A first line that
// begins with #! is passed over.
//
// A script that includes headers of the system goes on to speak D: where a macro of
// theirs has the name of one of D's variables or functions (errno, basename), it counts
// in the headers and not in the script (Config.Reserved).
//
// A token remembers where it was written and, if the body of a macro has given
// it, where that macro is used. From this the text that comes out knows its
// origin byte for byte (token.Run), so that whatever the compiler complains about
// later is shown in the script or in the file that it includes, at the use of
// the macro, with a note that shows the words of its definition.
//
// Macros are expanded with a stack of token lists (expand.go). While the list
// that a macro gave is being read, the macro is off; a name that is met in this
// time is marked and never expanded again. This is what the standard asks for,
// and it needs no sets of names at the tokens.
//
// Whoever writes a script may be hostile, and root runs it. Nothing here
// recurses without a limit: inclusion, nested arguments and #if expressions have a
// depth; all work is charged to one budget, so that macros that double each other
// end with a complaint and not with the memory. Headers are read from regular
// files only, up to a size.
//
// Complaints are values as everywhere in the compiler. They may lie in any of
// the files, but a diag.List speaks of one: so each complaint gets a blank of
// its own behind the end of the text, whose origin is the place meant.
//
// Not here: trigraphs, #assert, _Pragma, __VA_OPT__ and what else the compilers
// have added since.
package cpp

import (
	"io"
	"strings"
	"time"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
)

// A Config says how a text is to be preprocessed. The zero value is ready for use.
type Config struct {
	Defines []Define // -D and -U in their order
	Include []string // folders of -I
	System  []string // folders searched after them; nil means those of this machine
	Arch    string   // for which to define macros: amd64, arm64; "" defines none
	Std     string   // of -x stdc: a, c, s or t; "" means a
	Now     time.Time
	Macros  bool // list the macros as #define lines, in place of the text
	// Reserved reports whether D itself means something by a name: in the script the
	// macros of the system's headers do not replace it. nil means that it does not.
	Reserved func(name string) bool
	// Open opens a header; nil means files of this machine.
	Open func(path string) (io.ReadCloser, error)
}

// A Define is -D NAME, -D NAME=VALUE, or with Undef -U NAME.
type Define struct {
	Text  string
	Undef bool
}

// A Header is a file that was included.
type Header struct {
	Path  string
	Depth int // 1 if the script itself includes it
}

// A Result is a preprocessed text.
type Result struct {
	File    *token.File // the text, with the origin of each of its bytes
	Headers []Header    // in the order in which they were read
}

// The limits. They are far beyond what scripts and the headers of this machine
// need.
const (
	maxDepth  = 100      // of inclusion, nested arguments and parentheses
	maxWork   = 32 << 20 // bytes of tokens read, copied and made
	maxOutput = 16 << 20 // bytes of text
	maxFiles  = 4096     // headers, each counted as often as it is included
)

// Process preprocesses src, the text of the file name. There is always a result;
// if the list has failed it is good for showing the complaints only.
func Process(cfg Config, name, src string) (*Result, diag.List) {
	p := &processor{cfg: cfg, macros: map[string]*macro{}, once: map[string]bool{}}
	p.predefine()
	if !p.dead {
		p.file(newSource(name, strings.TrimPrefix(src, "\ufeff")))
	}
	return p.finish(name), p.list
}

// A processor is one run over one script.
type processor struct {
	cfg     Config
	macros  map[string]*macro
	once    map[string]bool // paths that #pragma once has closed
	headers []Header
	counter int // of __COUNTER__

	lex      *lexer    // of the file that is being read
	contexts []context // tokens to be read before those of the file, the last first
	nesting  int       // of arguments being expanded

	out  output
	list diag.List
	// anchors are the places of the complaints: the i-th is that of position i+1.
	anchors []place
	work    int  // left is maxWork - work
	dead    bool // a limit was met: nothing more is read
}

// A place is a stretch of a source as it was written.
type place struct {
	src *source
	off int
	len int
}

// errorf complains about a place.
func (p *processor) errorf(at place, code diag.Code, format string, args ...any) *diag.Diagnostic {
	return p.list.Add(p.anchor(at), code, format, args...)
}

// anchor returns a span that finish will make one at a place.
func (p *processor) anchor(at place) token.Span {
	if len(p.list) < diag.Max {
		p.anchors = append(p.anchors, at)
	}
	n := token.Pos(len(p.anchors))
	return token.Span{From: n, To: n + 1}
}

// fatal complains and ends the run.
func (p *processor) fatal(at place, format string, args ...any) {
	if !p.dead {
		p.errorf(at, diag.Preprocess, format, args...)
		p.dead = true
	}
}

// charge pays for work and reports whether there is enough left.
func (p *processor) charge(at place, bytes int) bool {
	if p.work += bytes + 8; p.work > maxWork {
		p.fatal(at, "this expands to more than the preprocessor takes")
	}
	return !p.dead
}

// finish makes the file, and gives the complaints their places in it.
func (p *processor) finish(name string) *Result {
	if p.cfg.Macros {
		p.listMacros()
	}
	base := token.Pos(len(p.out.text))
	for _, at := range p.anchors {
		p.out.run(at, max(at.len, 1), origin{})
		p.out.text = append(p.out.text, ' ')
	}
	p.list.Move(base)
	return &Result{File: p.out.file(name), Headers: p.headers}
}
