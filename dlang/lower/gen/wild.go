package gen

import (
	"fmt"
	"io"
	"strings"

	"dscope.dev/dlang/cpp"
)

// Wild is a random script in the manner of those that people carry about: options by
// constant ?:, headers and macros, typedefs as keys, times in whatever variable is at
// hand, arrays that nobody declares, values kept from entry to return. It is written
// twice. Plain means the same and has none of that: who wrote both knows which arm is
// chosen, what a macro stands for and which variables need 64 bits, so that a compiler
// that takes the one for the other is not asked about itself.
type Wild struct {
	Text, Plain string            // Text is preprocessed
	Macros      map[string]string // $1, $2 and $3 of Text
}

// both is text that Text and Plain spell each in its way. It may stand in such text.
func both(wild, plain string) string { return "\x01" + wild + "\x02" + plain + "\x03" }

// spelled returns one of the two spellings of text: before the mark, or behind it.
func spelled(text string, plain bool) string {
	var b strings.Builder
	for {
		from := strings.IndexByte(text, 1)
		if from < 0 {
			b.WriteString(text)
			return b.String()
		}
		mid, to, depth := 0, 0, 0
		for i := from; to == 0; i++ {
			switch text[i] {
			case 1:
				depth++
			case 2:
				if depth == 1 {
					mid = i
				}
			case 3:
				if depth--; depth == 0 {
					to = i
				}
			}
		}
		b.WriteString(text[:from])
		if plain {
			b.WriteString(spelled(text[mid+1:to], true))
		} else {
			b.WriteString(spelled(text[from+1:mid], false))
		}
		text = text[to+1:]
	}
}

// header is what Text includes.
const header = `#ifndef WILD_H
#define WILD_H
typedef unsigned int word_t;
typedef unsigned long long hr_t;
enum how { HOW_NONE, HOW_SOME = 2, HOW_ALL };
#define ELAPSED(start) (timestamp - (start))
#define MICROS(ns) \
	((ns) / 1000)
#define TELL(fmt, x) printf(fmt, x)
#define ADD(name, key, n) @name[key] = sum(n)
#define TEXT(x) #x
#define PASTE(a, b) a ## b
#endif
`

// wild writes a Wild with what a Maker knows.
type wild struct {
	*Maker
	opts map[string]int // the values of the options
	word string         // $3
}

// Wild writes a script in the manner of the wild.
func (m *Maker) Wild() Wild {
	m.aggs = map[string]string{}
	w := &wild{Maker: m, opts: map[string]int{}, word: pick(m.r, "word", "/etc/passwd", "my-prog")}
	for _, name := range []string{"OPT_a", "OPT_b", "OPT_c", "VERBOSE", "$1"} {
		w.opts[name] = m.r.IntN(2)
	}
	w.opts["LEVEL"], w.opts["$2"] = m.r.IntN(4), m.r.IntN(5)
	var b strings.Builder
	b.WriteString(w.prologue())
	b.WriteString(Decls)
	b.WriteString(w.setup())
	for range 1 + m.r.IntN(3) {
		b.WriteString(w.clause())
	}
	b.WriteString(w.ending())
	out := Wild{Plain: spelled(b.String(), true), Macros: map[string]string{
		"1": fmt.Sprint(w.opts["$1"]), "2": fmt.Sprint(w.opts["$2"]), "3": w.word}}
	included := cpp.Config{Include: []string{"."}, System: []string{"."}, Open: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(header)), nil }}
	res, list := cpp.Process(included, "wild.d", spelled(b.String(), false))
	if list.Failed() {
		panic("gen: " + list[0].Msg)
	}
	out.Text = res.File.Src
	return out
}

// prologue sets the options, and declares what is to be declared.
func (w *wild) prologue() string {
	options := fmt.Sprintf(`#include "wild.h"
#define VERBOSE %d
inline int OPT_a = %d;
inline int OPT_b = %d;
inline int OPT_c = %d;
inline int LEVEL = %d;
inline int OPT_any = OPT_a || OPT_b;
inline string NAME = OPT_a ? "alpha" : nothing;
inline string TITLE = LEVEL == HOW_ALL ? "all" : LEVEL == HOW_SOME ? "some" : "none";
int wmark, wcopy; self int wlast; int64_t wt[word_t, string];
`, w.opts["VERBOSE"], w.opts["OPT_a"], w.opts["OPT_b"], w.opts["OPT_c"], w.opts["LEVEL"])
	if w.opts["OPT_a"] == 0 { // the arm that is there must be a text
		options = strings.Replace(options, `"alpha" : nothing`, `nothing : "beta"`, 1)
	}
	return both(options, `int64_t wmark, wcopy, wchain; self int64_t wlast; int64_t wt[unsigned int, string];
int64_t wtotal; self int64_t wstart; int64_t wn[string]; self int64_t wm[int64_t];
`)
}

// name and title are the values of NAME and TITLE.
func (w *wild) name() string {
	return both("NAME", fmt.Sprintf("%q", [...]string{"beta", "alpha"}[w.opts["OPT_a"]]))
}

func (w *wild) title() string {
	return both("TITLE", fmt.Sprintf("%q", [...]string{"none", "none", "some", "all"}[w.opts["LEVEL"]]))
}

// setup gives undeclared variables their first values, which are ints, and then times.
func (w *wild) setup() string {
	return fmt.Sprintf(`exec
/self->si >= 0/
{
	wtotal = 0; self->wstart = 0; wn["first"] = 0; self->wm[1] = 0;
	wmark = 1; self->wlast = 0; wchain = 2;
}
syscall::read:entry, exec
{
	%s;
	wtotal += timestamp; self->wstart = timestamp; wn[execname] = timestamp; self->wm[timestamp] = (int64_t)arg0;
	wmark = timestamp; self->wlast = timestamp - wtotal; wchain = wcopy; wcopy = wmark + 1;
}
`, w.action())
}

// ending reads at the return what was kept at the entry.
func (w *wild) ending() string {
	return fmt.Sprintf(`syscall:::return
/%sself->wstart/
{
	this->wdelta = %s;
	%s;
	@wtime[probefunc, execname, %s] = sum(this->wdelta);
	printf("%%-8d %%s|%%x\n", this->wdelta, %s, wtotal);
	trace(%s);
	self->wstart = 0;
}
`, w.guard(), both("ELAPSED(self->wstart)", "(timestamp - (self->wstart))"), w.action(), w.wideInt(), w.title(), both("wmark", "(int)wmark"))
}

// guard is what a predicate asks of the options, which is true.
func (w *wild) guard() string {
	cond, value := w.cond()
	if !value {
		cond = "!(" + cond + ")"
	}
	return pick(w.r, "", both("("+cond+") && ", "1 && "))
}

// clause writes a clause of choices.
func (w *wild) clause() string {
	var b strings.Builder
	b.WriteString(pick(w.r, "syscall:::entry", "syscall:::return", "syscall::write:entry", "exec", "syscall::read:entry, syscall::write:return"))
	if w.r.IntN(2) == 0 {
		fmt.Fprintf(&b, "\n/%s(%s)/", w.guard(), w.number())
	}
	b.WriteString("\n{\n\tgu++;\n")
	for range 2 + w.r.IntN(3) {
		fmt.Fprintf(&b, "\t%s;\n", w.action())
	}
	b.WriteString("}\n")
	return b.String()
}

// cond is a constant condition, and whether it is true.
func (w *wild) cond() (string, bool) {
	opt := func(name string) (string, bool) { return name, w.opts[name] != 0 }
	switch n := w.opts["LEVEL"]; w.r.IntN(14) {
	case 0:
		return opt("VERBOSE")
	case 1:
		return opt("$1")
	case 2:
		k := w.r.IntN(5)
		return fmt.Sprintf("$2 == %d", k), w.opts["$2"] == k
	case 3:
		k := w.r.IntN(4)
		return fmt.Sprintf("LEVEL %s %d", "==", k), n == k
	case 4:
		return "LEVEL > HOW_SOME", n > 2
	case 5:
		return "OPT_any", w.opts["OPT_a"]+w.opts["OPT_b"] > 0
	case 6:
		return `NAME == "alpha"`, w.opts["OPT_a"] == 1
	case 7:
		return `$$3 == "word"`, w.word == "word"
	case 8:
		return "sizeof (word_t) == 4", true
	case 9:
		return "((OPT_b + OPT_c) * 3 & 2) / 2", (w.opts["OPT_b"]+w.opts["OPT_c"])*3&2 != 0
	case 10:
		return "(PASTE(OPT_, b) ^^ !OPT_c)", (w.opts["OPT_b"] != 0) != (w.opts["OPT_c"] == 0)
	case 11:
		a, is := w.cond()
		b, does := w.cond()
		if w.r.IntN(2) == 0 {
			return fmt.Sprintf("(%s) && (%s)", a, b), is && does
		}
		return fmt.Sprintf("(%s) || (%s)", a, b), is || does
	case 12:
		a, is := w.cond()
		return "!(" + a + ")", !is
	}
	return opt(pick(w.r, "OPT_a", "OPT_b", "OPT_c"))
}

// action is a statement. What a choice leaves out has no meaning at all.
func (w *wild) action() string {
	switch w.r.IntN(8) {
	case 0, 1:
		cond, value := w.cond()
		live, dead := w.simple(), w.dead()
		if value {
			return both(fmt.Sprintf("%s ? %s : %s", cond, live, pick(w.r, "1", "0", "-1", "NULL", "("+dead+")")), live)
		}
		return both(fmt.Sprintf("%s ? %s : (%s)", cond, pick(w.r, "1", dead), live), live)
	case 2:
		cond, value := w.cond()
		if !value {
			cond = "!(" + cond + ")"
		}
		return both(fmt.Sprintf("%s ? 1 : %s", cond, pick(w.r, "trace(nobody)", "unknown(1)", "x1")), "")
	case 3:
		cond, value := w.cond()
		a, b := w.simple(), w.simple()
		text := fmt.Sprintf("%s ? (%s, %s) : %s", cond, a, b, "1")
		if !value {
			text = fmt.Sprintf("%s ? %s : (%s, %s)", cond, w.dead(), a, b)
		}
		return both(text, a+"; "+b)
	case 4:
		outer, is := w.cond()
		inner, does := w.cond()
		arms := [4]string{w.dead(), w.dead(), w.dead(), w.dead()}
		at := 0
		if !is {
			at = 2
		}
		if !does {
			at++
		}
		arms[at] = w.simple()
		return both(fmt.Sprintf("%s ? %s ? %s : (%s) : %s ? %s : (%s)", outer, inner, arms[0], arms[1], inner, arms[2], arms[3]), arms[at])
	}
	return w.act()
}

// dead is an action that no script could have.
func (w *wild) dead() string {
	return pick(w.r, "printf(\"%s\", nobody)", "@wtime[1] = count()", "@wsum = max(nothing)", "unknown(nobody)", "trace(self->never->seen)",
		"this->wdelta = \"text\"", "exit(nobody)", "trace(1, 2, 3)", "@wn[stack(), 3] = lquantize(nothing)", "panic()")
}

// act is an action without a choice around it, or what any script has.
func (w *wild) act() string {
	if w.r.IntN(3) == 0 {
		return w.stmt()
	}
	return w.simple()
}

// simple is an action that can be an arm.
func (w *wild) simple() string {
	switch w.r.IntN(16) {
	case 0:
		return fmt.Sprintf("printf(\"%s\", %s, %s)", pick(w.r, "%d %s\\n", "%-12x|%16s|", "%u%s", "%5d.%s"), w.number(), w.textual())
	case 1:
		n := w.number()
		return both("TELL(\"%d\", ("+n+"))", "printf(\"%d\", "+n+")")
	case 2:
		n := w.wideInt()
		return both("ADD(wsum, execname, ("+n+"))", "@wsum[execname] = sum("+n+")")
	case 3:
		return fmt.Sprintf("@wmix[%s, %s, %s] = %s", w.textual(), both("(word_t)", "(unsigned int)")+"("+w.number()+")", both("wmark", "(int)wmark"), "max("+w.wideInt()+")")
	case 4:
		return fmt.Sprintf("@wq[%s] = quantize(%s)", w.textual(), w.wideInt())
	case 5:
		return fmt.Sprintf("%s = %s", pick(w.r, "wtotal", "self->wstart", "wmark", "self->wlast", "wn["+w.textual()+"]"), w.wideInt())
	case 6:
		// A sum of ints is cut to 32 bits, but not one of a variable to which the rest of the
		// script assigns 64: so those are cast.
		sum := pick(w.r, "(int)gi + (int)this->ti", "pid + (int)gi", "curthread->pair->a + pid")
		return fmt.Sprintf("%s = %s", pick(w.r, "wmark", "self->wlast"), pick(w.r, both("arg0", "(int)arg0"), both(sum, "(int)("+sum+")"), "(int)("+w.number()+")", "0"))
	case 7:
		return fmt.Sprintf("%s %s %s", pick(w.r, "wtotal", "self->wstart", "wmark", "self->wlast"), pick(w.r, "+=", "-=", "^=", "|="), w.wideInt())
	case 8:
		return pick(w.r, "wcopy = self->wlast - 3", "wchain = wcopy", "trace(wchain)", "trace((wcopy ^ wmark) == timestamp)", "wmark++", "--self->wlast", "wtotal++", "wn[execname]++", "self->wm[timestamp]--")
	case 9:
		return fmt.Sprintf("wt[%s, %s] = %s", w.word32(), w.textual(), w.wideInt())
	case 10:
		return fmt.Sprintf("trace(%s)", pick(w.r, both("wmark", "(int)wmark"), both("self->wlast / 3", "(int)(self->wlast / 3)"), "wtotal", "self->wstart", "wn[execname]", "self->wm[timestamp]"))
	case 11:
		return fmt.Sprintf("trace(%s)", w.textual())
	case 12:
		return pick(w.r, "self->wstart = 0", "self->wlast = 0", "wn[execname] = 0")
	case 13:
		return fmt.Sprintf("gs = %s", w.textual())
	}
	return fmt.Sprintf("trace(%s)", w.number())
}

// word32 is a key of type word_t.
func (w *wild) word32() string {
	return pick(w.r, "1", "cpu", both("(word_t)arg3", "(unsigned int)arg3"), "arg0", both("LEVEL", fmt.Sprint(w.opts["LEVEL"])))
}

// wideInt is a number of a type of 64 bits.
func (w *wild) wideInt() string {
	switch w.r.IntN(10) {
	case 0:
		return "timestamp"
	case 1:
		return both("ELAPSED(self->wlast)", "(timestamp - (self->wlast))")
	case 2:
		return both("MICROS(timestamp - wmark)", "((timestamp - wmark) / 1000)")
	case 3:
		return "(timestamp - self->wstart)"
	case 4:
		return fmt.Sprintf("wt[%s, %s]", w.word32(), w.textual())
	case 5:
		return both("(hr_t)", "(unsigned long long)") + "(" + w.number() + ")"
	case 6:
		return pick(w.r, "wn[execname]", "wn["+w.textual()+"]", "self->wm[arg0]", "self->wm[1]", "wtotal")
	case 7:
		return w.chosen(w.wideInt(), "\"text\"", "execname", "nobody")
	}
	return fmt.Sprintf("(int64_t)(%s)", w.number())
}

// number is any number.
func (w *wild) number() string {
	if w.r.IntN(3) > 0 {
		return w.top()
	}
	switch w.r.IntN(5) {
	case 0:
		return "(" + w.chosen(w.wideInt(), "nobody", "execname", "\"\"") + ")"
	case 1:
		return "((int64_t)arg4 + self->wlast)"
	case 2:
		return "(self->wlast >> 3 == wmark % 1000)"
	case 3:
		return both("LEVEL * $2 + HOW_ALL", fmt.Sprint(w.opts["LEVEL"]*w.opts["$2"]+3))
	}
	return w.wideInt()
}

// textual is any text.
func (w *wild) textual() string {
	switch w.r.IntN(8) {
	case 0:
		return w.name()
	case 1:
		return w.title()
	case 2:
		return both("$$3", fmt.Sprintf("%q", w.word))
	case 3:
		return both("TEXT(in a macro)", "\"in a macro\"")
	case 4:
		return "(" + w.chosen("execname", "1", "pid", "nobody") + ")"
	}
	w.Maker.depth = 1
	return w.str()
}

// chosen is live, by a choice between it and something without a meaning.
func (w *wild) chosen(live string, dead ...string) string {
	cond, value := w.cond()
	if value {
		return both(fmt.Sprintf("%s ? %s : %s", cond, live, pick(w.r, dead...)), live)
	}
	return both(fmt.Sprintf("%s ? %s : %s", cond, pick(w.r, dead...), live), live)
}
