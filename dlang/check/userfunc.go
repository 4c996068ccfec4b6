package check

import (
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/dlang/types"
)

// A Func is a function of the script, or of a library.
type Func struct {
	AST     *ast.FuncItem
	Name    string
	Params  []*Var
	Result  types.Type // void if it has no value
	Records bool       // whether it contains an action that writes to the buffer
	Scratch bool       // whether its value points into scratch memory
	points  bool       // whether Scratch is settled
}

// at is where f is declared.
func (f *Func) at() token.Span { return f.AST.Decl.Names[0].Name.Span() }

// Proto spells f as it is declared.
func (f *Func) Proto() string {
	var params []string
	for _, p := range f.Params {
		params = append(params, p.Type.String()+" "+p.Name)
	}
	return f.Result.String() + " " + f.Name + "(" + strings.Join(params, ", ") + ")"
}

// funcItem checks the definition of a function, and returns it as it was checked. It
// is known below its end, as everything in D, so it cannot call itself.
func (c *checker) funcItem(item *ast.FuncItem) *ast.FuncItem {
	item = c.chosenFunc(item)
	n := item.Decl.Names[0]
	proto := n.Type.(*ast.Func)
	f := &Func{AST: item, Name: n.Name.Text, Result: c.typ(proto.Result)}
	c.resultType(proto, f)
	if proto.Variadic {
		c.errorf(n, diag.DeclProtoType, "a function of a script takes a fixed number of parameters")
	}
	done := c.scope()
	for _, p := range proto.Params {
		c.funcParam(f, p)
	}
	outer := c.loops
	c.fn, c.loops = f, 0
	for _, s := range item.Body.Stmts {
		c.stmt(s)
	}
	c.fn, c.loops = nil, outer
	done()
	if !types.IsVoid(f.Result) && !types.IsInvalid(f.Result) && !ends(item.Body) {
		c.errorf(n.Name, diag.Return, "%s() may end without returning a value", f.Name).
			Suggest("end it with return …;")
	}
	if c.reserved(n, &Var{Name: f.Name}) {
		return item
	}
	if v := c.vars[varKey{ast.Global, f.Name}]; v != nil {
		c.errorf(n.Name, diag.DeclRedef, "%s is a variable already", f.Name).Note(v.First, "here")
		return item
	}
	c.funcs[f.Name] = f
	if c.library == nil {
		c.prog.Funcs = append(c.prog.Funcs, f)
	}
	return item
}

// resultType complains unless a function can give a value of its result type.
func (c *checker) resultType(proto *ast.Func, f *Func) {
	if ast.InUserland(proto.Result) {
		c.errorf(proto.Result, diag.Unsupported, "what a function returns cannot be called userland").
			Suggest("call it so where it is used: ((userland char *)f(x))[1]")
	}
	switch types.Resolve(f.Result).(type) {
	case *types.Void, *types.Invalid, *types.String:
		return
	}
	if !types.IsScalar(f.Result) {
		c.errorf(proto.Result, diag.DeclProtoType, "a function cannot return %s", f.Result).
			Suggest("return an integer, a pointer or a string")
		f.Result = types.Bad
	}
}

// funcParam declares one parameter. Arrays become pointers, as in C.
func (c *checker) funcParam(f *Func, p *ast.Param) {
	v := &Var{Scope: ast.Local, First: p.Span(), Declared: true, Type: types.Decay(c.typ(p.Type))}
	v.userland = ast.InUserland(p.Type) && types.IsPointer(v.Type)
	v.User = v.userland
	f.Params = append(f.Params, v)
	if p.Name == nil {
		c.errorf(p, diag.DeclProtoType, "this parameter needs a name")
		return
	}
	v.Name, v.First = p.Name.Text, p.Name.Span()
	if !types.IsInvalid(v.Type) && !types.IsScalar(v.Type) && !types.IsString(v.Type) {
		c.errorf(p, diag.DeclProtoType, "a parameter cannot be %s", article(v.Type)).
			Suggest("pass an integer, a pointer or a string")
		v.Type = types.Bad
	}
	c.localName(&ast.Declarator{Name: p.Name, At: p.At}, v)
}

// ends reports whether control cannot come to the end of s.
func ends(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.Return:
		return true
	case *ast.Block:
		return len(s.Stmts) > 0 && ends(s.Stmts[len(s.Stmts)-1])
	case *ast.If:
		return s.Else != nil && ends(s.Then) && ends(s.Else)
	case *ast.BadStmt:
		return true // it has been complained about
	}
	return false
}

// userCall checks a call of a function of the script.
func (c *checker) userCall(x *ast.Call, f *Func) types.Type {
	c.prog.Calls[x] = &Call{User: f}
	if f.Records {
		c.noteRecords(x)
	}
	if len(x.Args) != len(f.Params) {
		c.errorf(x, diag.ProtoLen, "%s() takes %s, not %d", f.Name, count(len(f.Params), "argument"), len(x.Args)).
			Note(f.at(), "it is defined here")
		c.looseArgs(x)
		return f.Result
	}
	for i, a := range x.Args {
		p := f.Params[i]
		t := c.valueFor(a, diag.ProtoArg)
		switch {
		case types.IsInvalid(t) || types.IsInvalid(p.Type):
		case !c.converts(p.Type, t, nil, a):
			c.errorf(a, diag.ProtoArg, "argument %d of %s() must be %s, not %s", i+1, f.Name, article(p.Type), t).
				Note(p.First, "it is declared here")
		default:
			c.pointAt(p, a, a)
			c.squeezed(a, p.Type, "the parameter "+p.Name)
		}
	}
	return f.Result
}

// noteRecords notes that the clause or function around x writes to the buffer.
func (c *checker) noteRecords(x *ast.Call) {
	if c.clause != nil {
		c.clause.Records = true
	}
	if c.fn == nil {
		return
	}
	c.fn.Records = true
	if !types.IsVoid(c.fn.Result) && !types.IsInvalid(c.fn.Result) {
		c.errorf(x, diag.FuncRecords, "%s() has a value, so it cannot contain the action %s()", c.fn.Name, x.Fn.Text).
			Note(c.fn.at(), "its value is declared here").
			Suggest("make it void, or record where it is called")
	}
}

// definedBelow complains if x calls a function that the script defines later.
func (c *checker) definedBelow(x *ast.Call) bool {
	if c.cyclic[x.Fn.Text] {
		return true // and has been complained about
	}
	for _, item := range c.prog.Script.Items {
		f, ok := item.(*ast.FuncItem)
		if !ok || f.Decl.Names[0].Name.Text != x.Fn.Text || f.From < x.From {
			continue
		}
		c.errorf(x.Fn, diag.UnknownFunc, "%s() is defined below", x.Fn.Text).
			Note(f.Decl.Names[0].Name.Span(), "here").Suggest("move its definition up")
		return true
	}
	return false
}

// recursion complains about functions that come to call themselves: a function is
// expanded where it is called, and that would never end.
func (c *checker) recursion(s *ast.Script) {
	calls := map[string][]string{}
	var items []*ast.FuncItem
	for _, item := range s.Items {
		f, ok := item.(*ast.FuncItem)
		if !ok {
			continue
		}
		items = append(items, f)
		name := f.Decl.Names[0].Name.Text
		c.prog.Means.Walk(f.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.Call); ok {
				calls[name] = append(calls[name], call.Fn.Text)
			}
			return true
		})
	}
	left := endless(calls)
	for _, f := range items {
		n := f.Decl.Names[0].Name
		if c.cyclic[n.Text] || !left[n.Text] {
			continue
		}
		if way := cycle(calls, n.Text, n.Text, map[string]bool{}); way != nil {
			for _, name := range way {
				c.cyclic[name] = true
			}
			c.errorf(n, diag.Recursion, "%s() comes to call itself: %s", n.Text, strings.Join(way, " → ")).
				Suggest("write a loop: functions are expanded where they are called")
		}
	}
}

// endless returns the functions that lead to a circle of calls, or stand in one: what
// is left when functions whose calls all end are taken away, again and again.
func endless(calls map[string][]string) map[string]bool {
	callers, open := map[string][]string{}, map[string]int{}
	var ended []string
	for name, list := range calls {
		for _, callee := range list {
			if len(calls[callee]) > 0 {
				callers[callee] = append(callers[callee], name)
				open[name]++
			}
		}
		if open[name] == 0 {
			ended = append(ended, name)
		}
	}
	for len(ended) > 0 {
		last := ended[len(ended)-1]
		ended = ended[:len(ended)-1]
		for _, name := range callers[last] {
			if open[name]--; open[name] == 0 {
				ended = append(ended, name)
			}
		}
	}
	left := map[string]bool{}
	for name, n := range open {
		left[name] = n > 0
	}
	return left
}

// cycle returns the way from one function to another by calls, or nil.
func cycle(calls map[string][]string, from, to string, seen map[string]bool) []string {
	for _, callee := range calls[from] {
		if callee == to {
			return []string{from, to}
		}
		if seen[callee] {
			continue
		}
		seen[callee] = true
		if way := cycle(calls, callee, to, seen); way != nil {
			return append([]string{from}, way...)
		}
	}
	return nil
}
