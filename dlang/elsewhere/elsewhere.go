// Package elsewhere knows how other kernels call what Linux has too: members of
// illumos's threads and processes, variables of its kernel, FreeBSD's threads. Find
// says of everything of that kind in a script how Linux spells it, and Rewrite puts it
// so.
//
// It looks at words and grammar alone. What the script declares itself is left alone;
// whether Linux's own spelling is there is the checker's business.
package elsewhere

import (
	"cmp"
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/token"
)

// A Name is something in a script that another kernel calls so.
type Name struct {
	At    token.Span
	Text  string // as the script has it
	Linux string // what to write instead; "" if Linux has nothing of the kind
	Note  string // what is to be known of it; may be empty
}

// Find returns the names in s, in order of place.
func Find(s *ast.Script) []Name {
	f := &finder{file: s.File, own: map[string]bool{}, seen: map[ast.Node]bool{}}
	ast.Walk(s, f.declared)
	ast.Walk(s, f.visit)
	slices.SortStableFunc(f.found, func(a, b Name) int { return cmp.Compare(a.At.From, b.At.From) })
	return slices.CompactFunc(f.found, func(a, b Name) bool { return a.At == b.At }) // a type is visited for each of its names
}

// Rewrite returns the text of s with the names that Linux has another word for
// replaced.
func Rewrite(s *ast.Script, names []Name) string {
	return replaced(s.File, token.Span{From: s.File.Base() + 1, To: s.File.Base() + token.Pos(len(s.File.Src)+1)}, names)
}

// replaced returns the text at a place with the names in it replaced, which are in
// order.
func replaced(file *token.File, at token.Span, names []Name) string {
	var b strings.Builder
	done := at.From
	for _, n := range names {
		if n.Linux != "" {
			b.WriteString(file.Text(token.Span{From: done, To: n.At.From}))
			b.WriteString(n.Linux)
			done = n.At.To
		}
	}
	return b.String() + file.Text(token.Span{From: done, To: at.To})
}

// IsModule reports whether another kernel calls its own module so.
func IsModule(name string) bool { return slices.Contains(modules, name) }

type finder struct {
	file  *token.File
	own   map[string]bool   // what the script declares: members, types and tags
	seen  map[ast.Node]bool // parts of what was found
	found []Name
}

// declared notes what the script declares.
func (f *finder) declared(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Decl:
		for _, d := range n.Names {
			if d.Name != nil {
				f.own[d.Name.Text] = true
			}
		}
	case *ast.Struct:
		if n.Defined {
			f.own["struct "+n.Tag] = true
		}
	}
	return true
}

func (f *finder) visit(n ast.Node) bool {
	if f.seen[n] {
		return true
	}
	switch n := n.(type) {
	case *ast.ProbeDesc:
		f.module(n)
	case *ast.Named:
		if isKernels(n.Module) && !f.own[n.Name] {
			f.add(n.Span(), types[n.Name])
		}
	case *ast.Struct:
		if name := "struct " + n.Tag; !n.Defined && isKernels(n.Module) && !f.own[name] {
			f.add(n.Span(), types[name])
		}
	case *ast.Ident:
		if !f.own[n.Name] {
			f.add(n.Span(), words[n.Name])
		}
	case *ast.Member:
		return f.chain(n)
	case *ast.Index:
		if k, ok := n.X.(*ast.KSym); ok && isKernels(k.Module) && len(n.Args) == 1 {
			if s, ok := symbols["`"+k.Name+"[]"]; ok {
				s.linux = strings.ReplaceAll(s.linux, "[]", "["+f.rewritten(n.Args[0])+"]")
				f.add(n.Span(), s)
				return false
			}
		}
	case *ast.KSym:
		if isKernels(n.Module) {
			f.add(n.Span(), symbols["`"+n.Name])
		}
	}
	return true
}

// module finds a description that names the kernel's module as another kernel does.
func (f *finder) module(n *ast.ProbeDesc) {
	if !IsModule(n.Module) || strings.HasPrefix(n.Provider, "pid") {
		return
	}
	parts := strings.Split(n.Text, ":")
	for i, part := range parts[:max(len(parts)-2, 0)] {
		if part == n.Module {
			parts[i] = Module
		}
	}
	f.add(n.Span(), spelling{linux: strings.Join(parts, ":"), note: "what other kernels keep in a module of this name is in Linux's own"})
}

// isKernels reports whether a module, or none, is the kernel itself.
func isKernels(module string) bool { return module == "" || IsModule(module) }

// A link is a member that is selected in a chain.
type link struct {
	text string // ->name or .name
	node *ast.Member
}

// chain finds what is known in a chain of members, the longest parts first, and
// reports whether what it begins with is still to be looked at.
func (f *finder) chain(n *ast.Member) bool {
	links, base := f.links(n)
	inner := true
	for from := 0; from < len(links); {
		to, s := f.longest(links, from, base)
		if to == 0 {
			from++
			continue
		}
		at := token.Span{From: base.Span().To, To: links[to-1].node.Span().To}
		if from > 0 {
			at.From = links[from-1].node.Span().To
		}
		if !strings.HasPrefix(s.linux, "->") && from == 0 {
			s.linux = strings.ReplaceAll(s.linux, "BASE", f.rewritten(base))
			at.From, inner = n.Span().From, false
		}
		if strings.HasPrefix(s.linux, "->") || from == 0 {
			f.add(at, s)
		}
		from = to
	}
	return inner
}

// links takes a chain apart.
func (f *finder) links(n *ast.Member) (list []link, base ast.Expr) {
	base = n
	for {
		m, ok := base.(*ast.Member)
		if !ok {
			slices.Reverse(list)
			return list, base
		}
		sep := "."
		if m.Arrow {
			sep = "->"
		}
		list = append(list, link{sep + m.Name.Text, m})
		f.seen[m] = true
		base = m.X
	}
}

// longest returns the end of the longest part of a chain from a link on that is known,
// 0 if none is.
func (f *finder) longest(links []link, from int, base ast.Expr) (to int, s spelling) {
	if f.own[links[from].node.Name.Text] {
		return 0, s
	}
	text := ""
	for i, l := range links[from:] {
		text += l.text
		found, ok := members[text]
		if w, isWhole := whole[baseName(base)+text]; isWhole && from == 0 {
			found, ok = w, true
		}
		if ok {
			to, s = from+i+1, found
		}
	}
	return to, s
}

// rewritten returns the text of x with the names in it replaced.
func (f *finder) rewritten(x ast.Expr) string {
	inner := &finder{file: f.file, own: f.own, seen: map[ast.Node]bool{}}
	ast.Walk(x, inner.visit)
	return replaced(f.file, x.Span(), inner.found)
}

// baseName spells what a chain begins with, if the table may know it.
func baseName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.KSym:
		if isKernels(x.Module) {
			return "`" + x.Name
		}
	}
	return "?"
}

// add notes what was found, unless the table has nothing.
func (f *finder) add(at token.Span, s spelling) {
	if s == (spelling{}) {
		return
	}
	f.found = append(f.found, Name{At: at, Text: f.file.Text(at), Linux: s.linux, Note: s.note})
}
