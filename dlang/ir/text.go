package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/dlang/token"
)

// The text form of a program is one line for each table entry and value:
//
//	options strsize=256 stackframes=20 ustackframes=20
//	var 0 self->ts self offset=0 size=8
//	agg 0 time func=avg key=16 words=2
//	record 0 clause=1 unit=0 size=16 fields=8+8
//	string 0 "read"
//
//	func syscall_read unit=0
//	b0:
//		v1 = task
//		v2 = taskload.8 v1 #1234
//		v3 = keyin {0,3}
//		branch v3 b1 b2
//	b1: cold
//		v5 = phi b0:v2 b3:v4
//
// An operation is followed by a dot and Size, its arguments, # and Imm, and its
// Aux: a key set in braces or a $name. Size and Imm are left out where they are
// zero. What follows a semicolon is a comment. The places of values are not
// part of the form: Print shows the lines of the script as comments.

// Print writes p in the text form. With a file, the lines of the script stand
// as comments over the values that were made for them.
func Print(p *Program, file *token.File) string {
	w := &printer{file: file}
	w.header(p)
	for _, f := range p.Funcs {
		w.printf("\n")
		w.fn(f)
	}
	return w.b.String()
}

// String returns f in the text form.
func (f *Func) String() string {
	w := &printer{}
	w.fn(f)
	return w.b.String()
}

// String returns the line for v.
func (v *Value) String() string {
	w := &printer{}
	w.value(v)
	return strings.TrimSpace(w.b.String())
}

type printer struct {
	b    strings.Builder
	file *token.File
	line int // the last line of the script that was shown
}

func (w *printer) printf(format string, args ...any) { fmt.Fprintf(&w.b, format, args...) }

func (w *printer) header(p *Program) {
	o := p.Options
	w.printf("options strsize=%d stackframes=%d ustackframes=%d", o.StrSize, o.StackFrames, o.UstackFrames)
	w.flag("temporal", o.Temporal)
	if o.Specs != 0 {
		w.printf(" nspec=%d specsize=%d", o.Specs, o.SpecSize)
	}
	w.printf("\n")
	for i, v := range p.Vars {
		w.printf("var %d %s %s offset=%d size=%d key=%d", i, v.Name, varKinds[v.Kind], v.Offset, v.Size, v.Key)
		w.flag("lasts", v.Lasts)
		w.printf("\n")
	}
	for i, a := range p.Aggs {
		w.printf("agg %d @%s func=%s key=%d words=%d", i, a.Name, a.Func, a.Key, a.Words)
		w.flag("shared", a.Shared)
		w.flag("touch", a.Touch)
		w.flag("parts", a.Parts)
		w.flag("tail", a.Tail)
		if a.Short != 0 {
			w.printf(" short=%d", a.Short)
		}
		if a.In != 0 {
			w.printf(" in=%d+%d", a.In-1, a.At)
		}
		if a.Pool != 0 {
			w.printf(" pool=%d", a.Pool)
		}
		for _, s := range a.Stacks {
			kind := "stack"
			if s.User {
				kind = "ustack"
			}
			w.printf(" %s=%d+%d", kind, s.Off, s.Depth)
		}
		w.printf("\n")
	}
	for i, r := range p.Records {
		w.printf("record %d clause=%d unit=%d size=%d", i, r.Clause, r.Unit, r.Size)
		w.flag("exits", r.Exits)
		for j, f := range r.Fields {
			w.printf("%s%d+%d", [...]string{" fields=", ","}[min(j, 1)], f.Off, f.Size)
		}
		w.printf("\n")
	}
	for i, s := range p.Strings {
		w.printf("string %d %s\n", i, strconv.Quote(s))
	}
}

var varKinds = [...]string{GlobalVar: "global", SelfVar: "self", AssocVar: "assoc"}

func (w *printer) flag(name string, set bool) {
	if set {
		w.printf(" %s", name)
	}
}

func (w *printer) fn(f *Func) {
	if f.Unit >= 0 {
		w.printf("func %s unit=%d\n", f.Name, f.Unit)
	} else {
		w.printf("sub %s", f.Name)
		w.flag("result", f.Result)
		w.printf("\n")
	}
	w.line = 0
	for _, b := range f.Blocks {
		w.printf("b%d:", b.ID)
		w.flag("cold", b.Cold)
		w.printf("\n")
		for _, v := range b.Vals {
			w.place(v)
			w.value(v)
		}
	}
}

// place shows the line of the script where it changes.
func (w *printer) place(v *Value) {
	if w.file == nil || !v.At.IsValid() {
		return
	}
	line, _ := w.file.Position(v.At.From)
	if line != w.line {
		text, _ := w.file.LineAt(v.At.From)
		w.printf("\t; %d: %s\n", line, strings.TrimSpace(text))
		w.line = line
	}
}

func (w *printer) value(v *Value) {
	w.printf("\t")
	if v.Type() != None {
		w.printf("v%d = ", v.ID)
	}
	w.printf("%s", v.Op)
	if v.Size != 0 {
		w.printf(".%d", v.Size)
	}
	if v.Op == OpPhi {
		w.phiArgs(v)
	} else {
		for _, a := range v.Args {
			w.printf(" v%d", a.ID)
		}
	}
	if v.Imm != 0 || v.Op == OpConst {
		w.printf(" #%d", v.Imm)
	}
	switch aux := v.Aux.(type) {
	case KeySet:
		w.printf(" {")
		for i, k := range aux {
			w.printf("%s%d", [...]string{"", ","}[min(i, 1)], k)
		}
		w.printf("}")
	case Sym:
		w.printf(" $%s", string(aux))
	}
	if v.Op.IsTerminator() {
		for _, s := range v.Block.Succs {
			w.printf(" b%d", s.ID)
		}
	}
	w.printf("\n")
}

// phiArgs prints the arguments in the order of the blocks, so that the text
// does not depend on the order in which edges were made.
func (w *printer) phiArgs(v *Value) {
	type arg struct{ pred, val int }
	var list []arg
	for i, a := range v.Args {
		list = append(list, arg{v.Block.Preds[i].ID, a.ID})
	}
	slices.SortFunc(list, func(a, b arg) int { return a.pred - b.pred })
	for _, a := range list {
		w.printf(" b%d:v%d", a.pred, a.val)
	}
}
