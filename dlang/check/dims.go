package check

import (
	"fmt"
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// Where examples are kept of what an aggregation takes in (option examples), each bears
// what is known there of its firing: the dimensions in which some firings may differ
// from the others. They are D expressions like those of the script, made here because
// only here it is known what an expression means at this place. One that cannot be had is
// left out without a word: nobody has asked for it by name.

// A Dim is one of them.
type Dim struct {
	Name string // for people: "file", "process"
	Text string // in D
	X    ast.Expr
	Key  bool // one of the keys of the aggregation
}

// mostDims is how many an example has at most, and mostMembers how many of them are
// members of one argument: each costs room in a record, and the verifier work.
const (
	mostDims    = 40
	mostMembers = 10
)

// exampleFrames is how many frames an example has of each stack.
const exampleFrames = 32

// A dimmer collects the dimensions of one aggregating assignment.
type dimmer struct {
	*checker
	at    ast.At
	list  []Dim
	taken map[string]bool // by their texts
}

// dims returns the dimensions of the examples of s: nil if none are kept.
func (c *checker) dims(s *ast.AggAssign) []Dim {
	if c.examples == 0 || c.clause == nil || c.fn != nil || c.library != nil || c.clause.special() {
		return nil
	}
	said, at := c.list, c.at
	defer func() { c.list, c.at = said, at }()
	d := &dimmer{checker: c, at: s.At, taken: map[string]bool{}}
	for _, k := range s.Agg.Keys {
		d.key(k)
	}
	for _, b := range []struct{ name, builtin string }{
		{"process", "execname"}, {"pid", "pid"}, {"thread", "tid"}, {"user", "uid"}, {"CPU", "cpu"},
	} {
		d.ident(b.name, b.builtin)
	}
	d.cgroup()
	d.firing()
	d.file()
	d.args()
	d.variables(s)
	d.stack("user stack", "ustack")
	d.stack("kernel stack", "stack")
	return d.list
}

// special reports whether the clause belongs to BEGIN, END or ERROR.
func (cl *Clause) special() bool {
	for i := range cl.Probes {
		if cl.Probes[i].Special != "" {
			return true
		}
	}
	return false
}

// add keeps x unless it cannot be had, or is there already.
func (d *dimmer) add(name, text string, x ast.Expr) {
	if d.taken[text] || len(d.list) == mostDims || !d.recordable(x) {
		return
	}
	d.taken[text] = true
	d.list = append(d.list, Dim{Name: name, Text: text, X: x})
}

// recordable checks x, and reports whether it is sound and a number or a text.
func (d *dimmer) recordable(x ast.Expr) bool {
	d.checker.list = nil
	t := d.value(x)
	return !d.checker.list.Failed() && isFact(t)
}

func isFact(t types.Type) bool {
	return t != nil && !types.IsInvalid(t) && (types.IsString(t) || types.IsCharArray(t) || types.IsInteger(types.Decay(t)))
}

// key adds a key of the aggregation. One that changes something as it is computed
// cannot be computed once more.
func (d *dimmer) key(k ast.Expr) {
	text := strings.Join(strings.Fields(d.text(k)), " ")
	if d.taken[text] || d.hasStep(k) {
		return
	}
	if call, ok := d.prog.Means.Unparen(k).(*ast.Call); ok && function.Find(call.Fn.Text).Action {
		if d.taken[text] = true; d.prog.Calls[call] == nil {
			return
		}
	} else if !isFact(d.prog.Types[k]) {
		return
	}
	d.taken[text] = true
	d.list = append(d.list, Dim{Name: text, Text: text, X: k, Key: true})
}

// hasStep reports whether computing x changes something, or may. What a part of x stands for
// does not.
func (d *dimmer) hasStep(x ast.Expr) bool {
	found := false
	ast.Walk(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign, *ast.Postfix:
			found = true
		case *ast.Unary:
			found = found || isStep(n.Op)
		case *ast.Call:
			found = found || function.Find(n.Fn.Text).Remembers || d.funcs[n.Fn.Text] != nil
		}
		return !found
	})
	return found
}

func (d *dimmer) name(text string) *ast.Name { return &ast.Name{Text: text, At: d.at} }

func (d *dimmer) identifier(name string) ast.Expr {
	return &ast.Ident{Name: name, Outer: true, At: d.at}
}

func (d *dimmer) number(n int) ast.Expr {
	return &ast.Int{Text: strconv.Itoa(n), Value: uint64(n), At: d.at}
}

func (d *dimmer) index(x ast.Expr, i ast.Expr) ast.Expr {
	return &ast.Index{X: x, Args: []ast.Expr{i}, At: d.at}
}

// member makes x->a->b of the names a, b.
func (d *dimmer) member(x ast.Expr, names ...string) ast.Expr {
	for _, n := range names {
		x = &ast.Member{X: x, Arrow: true, Name: d.name(n), At: d.at}
	}
	return x
}

// ident adds a built-in variable, unless the script has given its name to another thing.
func (d *dimmer) ident(name, builtin string) {
	d.add(name, builtin, d.identifier(builtin))
}

// cgroup adds the last part of the name of the process's control group.
func (d *dimmer) cgroup() {
	x := d.member(d.identifier("curthread"), "cgroups", "dfl_cgrp", "kn", "name")
	d.add("cgroup", "stringof(curthread->cgroups->dfl_cgrp->kn->name)", &ast.Unary{Op: token.KwStringof, X: x, At: d.at})
}

// firing adds which probe fired, if there are several, and how a system call ended.
func (d *dimmer) firing() {
	n := 0
	for i := range d.clause.Probes {
		n += d.clause.Probes[i].Count
	}
	if n > 1 {
		d.ident("probe", "probefunc")
		d.ident("name", "probename")
	}
	if d.allProbes(func(p *ast.ProbeDesc) bool { return p.Provider == "syscall" && p.Name == "return" }) {
		d.ident("error", "errno")
	}
}

func (d *dimmer) allProbes(is func(*ast.ProbeDesc) bool) bool {
	for _, p := range d.clause.AST.Probes {
		if !is(p) {
			return false
		}
	}
	return len(d.clause.AST.Probes) > 0
}

// file adds the path behind the descriptor that a system call is about. Where it
// returns, the process's register still has what it was called with, on machines that do
// not return values in the same register.
func (d *dimmer) file() {
	at := ""
	about := d.allProbes(func(p *ast.ProbeDesc) bool {
		if p.Provider != "syscall" || p.ID != 0 || at != "" && p.Name != at {
			return false
		}
		entry := *p
		at, entry.Name = p.Name, "entry"
		entry.Text = fmt.Sprintf("%s:%s:%s:entry", p.Provider, p.Module, p.Function)
		set, err := d.env.Probes(&entry)
		return err == nil && set.First == "fd"
	})
	var fd ast.Expr
	text := "arg0"
	switch {
	case !about:
		return
	case at == "entry":
		fd = d.identifier("arg0")
	case at == "return":
		text, fd = "uregs[R_RDI]", d.index(d.identifier("uregs"), d.identifier("R_RDI"))
	default:
		return
	}
	d.add("file", "fds["+text+"].fi_pathname", &ast.Member{X: d.index(d.identifier("fds"), fd), Name: d.name("fi_pathname"), At: d.at})
	d.add("descriptor", "(int)"+text, fd)
}

// args adds the typed arguments that are numbers, and the members of those that a
// translator makes. Functions of processes and of the kernel whose arguments have no
// types have their raw ones.
func (d *dimmer) args() {
	seen := map[string]bool{}
	for i, a := range d.clause.Args {
		if a.As == "" && a.Name != "" && seen[a.Name] { // what a system call returns is there twice
			continue
		}
		seen[a.Name] = true
		text := fmt.Sprintf("args[%d]", i)
		arg := func() ast.Expr { return d.index(d.identifier("args"), d.number(i)) }
		if a.Why != "" {
			continue
		}
		if a.As != "" || a.to != nil {
			d.members(a, text, arg)
			continue
		}
		name := a.Name
		if name == "" {
			name = text
		}
		if a.User && i < 10 && types.IsStringLike(a.Type) && (strings.Contains(name, "path") || strings.Contains(name, "name")) {
			raw := "arg" + strconv.Itoa(i)
			d.add(name, "copyinstr("+raw+")", &ast.Call{Fn: d.name("copyinstr"), Args: []ast.Expr{d.identifier(raw)}, At: d.at})
			continue
		}
		if types.IsInteger(types.Decay(a.Type)) {
			d.add(name, text, arg())
		}
	}
	if len(d.clause.Args) > 0 {
		return
	}
	raw := []string{"arg0", "arg1", "arg2"}
	switch {
	case d.allProbes(func(p *ast.ProbeDesc) bool { return isFunctions(p.Provider) && p.Name == "entry" }):
	case d.allProbes(func(p *ast.ProbeDesc) bool { return isFunctions(p.Provider) && p.Name == "return" }):
		raw = []string{"arg1"}
	default:
		return
	}
	for _, name := range raw {
		d.ident(name, name)
	}
}

func isFunctions(provider string) bool {
	return provider == "fbt" || provider == "syscall" || strings.HasPrefix(provider, "pid")
}

// dull are members of the translated types of D's libraries that say what another of them
// says better, or what is of no use to tell firings apart.
var dull = map[string]bool{
	"b_addr": true, "b_bufsize": true, "b_edev": true, "b_iodone": true, "b_lblkno": true, "b_resid": true,
	"dev_instance": true, "dev_major": true, "dev_minor": true, "dev_name": true, "dev_pathname": true,
	"fi_dirname": true, "fi_name": true, "fi_fs": true, "pr_addr": true, "pr_dmodel": true, "pr_egid": true, "pr_euid": true,
	"pr_flag": true, "pr_lwpid": true, "pr_nlwp": true, "pr_pgid": true, "pr_sid": true, "pr_sname": true, "pr_stype": true, "pr_wchan": true,
}

// members adds the numbers and texts of an argument that a translator makes, or the
// argument itself if it is one.
func (d *dimmer) members(a Arg, text string, arg func() ast.Expr) {
	d.checker.list = nil
	to := a.to
	if to == nil {
		to = d.written(a.As)
	}
	if isFact(to) {
		d.add(a.Name, text, arg())
		return
	}
	whole, ok := types.Resolve(pointee(to)).(*types.Struct)
	if !ok {
		return
	}
	n := 0
	for _, f := range whole.Fields() {
		if f.Name == "" || !isFact(f.Type) || dull[f.Name] {
			continue
		}
		if n++; n > mostMembers {
			return
		}
		d.add(f.Name, text+"->"+f.Name, d.member(arg(), f.Name))
	}
}

// variables adds the single variables that the clause reads, other than those that the
// aggregated value is made of.
func (d *dimmer) variables(s *ast.AggAssign) {
	made := map[varKey]bool{}
	for _, a := range s.Args {
		d.prog.Means.Walk(a, func(n ast.Node) bool {
			if k, ok := variableOf(n); ok {
				made[k] = true
			}
			return true
		})
	}
	d.prog.Means.Walk(d.clause.AST, func(n ast.Node) bool {
		k, ok := variableOf(n)
		if v := d.vars[k]; !ok || v == nil || v.Keys != nil || made[k] {
			return true
		}
		if k.scope == ast.Global {
			d.add(k.name, k.name, &ast.Ident{Name: k.name, At: d.at})
			return true
		}
		text := k.scope.String() + "->" + k.name
		d.add(text, text, &ast.Var{Scope: k.scope, Name: k.name, At: d.at})
		return true
	})
}

// variableOf returns which variable n names, if it names one.
func variableOf(n ast.Node) (varKey, bool) {
	switch x := n.(type) {
	case *ast.Ident:
		return varKey{ast.Global, x.Name}, true
	case *ast.Var:
		return varKey{x.Scope, x.Name}, true
	}
	return varKey{}, false
}

// stack adds one of the two stacks.
func (d *dimmer) stack(name, fn string) {
	text := fn + "()"
	if d.taken[text] || len(d.list) == mostDims {
		return
	}
	call := &ast.Call{Fn: d.name(fn), Args: []ast.Expr{d.number(exampleFrames)}, At: d.at}
	d.checker.list = nil
	d.set(call, d.callAs(call, false, true))
	if d.checker.list.Failed() || d.prog.Calls[call] == nil {
		return
	}
	d.list = append(d.list, Dim{Name: name, Text: text, X: call})
}

// noteExamples takes in the value of the option examples.
func (c *checker) noteExamples(value string) {
	if n, err := strconv.Atoi(value); err == nil && n >= 0 {
		c.examples = n
	}
}
