package check

import (
	"fmt"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/lib"
	"dscope.dev/dlang/types"
)

// A pending is a call while it is checked.
type pending struct {
	ast  *ast.Call
	fn   *Function
	info *Call
	args []types.Type // of the arguments; nil for an aggregation
	// kinds tells stack(), sym() and their kin among the values of a printf.
	kinds map[int]KeyKind
}

// call checks f(args). alone says that the call is a statement of its own.
func (c *checker) call(x *ast.Call, alone bool) types.Type {
	return c.set(x, c.callAs(x, alone, false))
}

// callAs checks a call as a statement, as a key of an aggregation, or as a value.
func (c *checker) callAs(x *ast.Call, alone, key bool) types.Type {
	name := x.Fn.Text
	fn := function.Find(name)
	ours := fn.ID != function.None
	if !ours && c.funcs[name] == nil {
		if it := c.fromLibrary(name, lib.Function); it != nil && c.funcs[name] == nil {
			c.looseArgs(x)
			return c.cannot(x.Fn, name+"()", it)
		}
	}
	if f := c.funcs[name]; f != nil {
		return c.userCall(x, f)
	}
	if ours && c.tooNew(name) {
		c.notYet(x.Fn, diag.UnknownFunc, name)
		c.looseArgs(x)
		return types.Bad
	}
	if !ours {
		c.noFunction(x)
		c.looseArgs(x)
		return types.Bad
	}
	p := &pending{ast: x, fn: fn, info: &Call{Fn: fn}}
	if !c.arguments(p) {
		return types.Bad
	}
	if alone && !c.inOrder(p) {
		return types.Bad
	}
	refused := fn.Destructive && !c.opts.Destructive
	if refused {
		c.errorf(x.Fn, diag.Destructive, "%s() is destructive", name).Suggest("allow destructive actions with -w").Set("destructive")
	}
	if fn.Why != "" && !refused {
		c.errorf(x.Fn, diag.Unsupported, "%s() cannot be used: %s", name, fn.Why)
		return types.Bad
	}
	c.prog.Calls[x] = p.info
	c.noAddress(p)
	c.special(p) // also what is refused may have more against it
	if refused {
		return types.Bad
	}
	if alone && (fn.Records || fn.ID == function.Speculate) {
		c.noteRecords(x)
	}
	switch {
	case fn.Result == nil || fn.Action && !key:
		return types.VoidType
	case fn.Struct != "":
		return c.pointerTo(fn.Struct)
	}
	return fn.Result
}

// special checks what the table cannot say, once the arguments are typed.
func (c *checker) special(p *pending) {
	c.behind(p)
	switch p.fn.ID {
	case function.InetNtoa6:
		c.strict(p)
	case function.Trace:
		c.trace(p)
	case function.Tracemem:
		c.tracemem(p)
	case function.Stack, function.Ustack, function.Jstack:
		c.stack(p)
	case function.Normalize:
		c.normalize(p)
	case function.Bcopy, function.Copyinto:
		c.scratchTarget(p)
	case function.Alloca, function.Copyin:
		c.alloca(p)
	case function.Setopt:
		c.setopt(p)
	case function.Printf, function.System:
		c.printf(p)
	case function.Freopen:
		c.freopen(p)
	case function.Chill:
		c.chill(p)
	case function.Raise:
		c.raise(p)
	case function.Stop:
		c.stop(p)
	case function.Print:
		c.print(p)
	case function.Pcap:
		c.pcap(p)
	case function.Printa:
		c.printa(p)
	}
}

func (c *checker) noFunction(x *ast.Call) {
	name := x.Fn.Text
	if f := function.FindAgg(name); f.ID != function.NoAgg {
		c.errorf(x.Fn, diag.AggVoid, "%s() only fills an aggregation", name).Suggest("@ = %s;", f.Example)
		return
	}
	if c.definedBelow(x) {
		return
	}
	if builtinTable[name] != nil || c.vars[varKey{ast.Global, name}] != nil {
		c.errorf(x.Fn, diag.FuncIdent, "%s is a variable, not a function", name)
		return
	}
	say := c.errorf(x.Fn, diag.UnknownFunc, "undefined function name: %s", name)
	if near := c.nearFunc(name); near != "" {
		say.Suggest("did you mean %s()?", near).Instead(x.Fn.Span(), near)
		return
	}
	if strings.HasPrefix(name, "__") && c.prog.Script.File.HasHeaders() {
		say.Suggest("a macro of a header has put it here: write #undef with its name below the #include")
	}
}

// looseArgs checks the arguments of a call that is wrong itself, so that names
// in them are reported in the same run.
func (c *checker) looseArgs(x *ast.Call) {
	for _, a := range x.Args {
		if agg, ok := c.prog.Means.Unparen(a).(*ast.AggRef); ok {
			c.aggKeys(agg)
			continue
		}
		c.expr(a)
	}
}

// arguments checks the number and the types of the arguments by the table.
func (c *checker) arguments(p *pending) bool {
	if !c.argCount(p) {
		c.looseArgs(p.ast)
		return false
	}
	ok := true
	for i, a := range p.ast.Args {
		w := function.Any
		if i < len(p.fn.Params) {
			w = p.fn.Params[i]
		}
		t, good := c.argument(p, i, a, w)
		p.args = append(p.args, t)
		ok = ok && good
	}
	return ok
}

func (c *checker) argCount(p *pending) bool {
	n, most := len(p.ast.Args), len(p.fn.Params)
	if n >= p.fn.Min && (p.fn.Rest || n <= most) {
		return true
	}
	c.errorf(p.ast, diag.ProtoLen, "%s() takes %s, not %d", p.fn.Name, arity(p.fn.Min, most, p.fn.Rest), n).
		Suggest("%s", p.fn.Proto)
	return false
}

// arity spells how many arguments there may be.
func arity(least, most int, rest bool) string {
	switch {
	case rest:
		return "at least " + count(least, "argument")
	case least == most:
		return count(least, "argument")
	case least == 0:
		return "at most " + count(most, "argument")
	}
	return fmt.Sprintf("%d to %s", least, count(most, "argument"))
}

// argument checks one argument.
func (c *checker) argument(p *pending, i int, a ast.Expr, w function.Want) (types.Type, bool) {
	if agg, ok := c.prog.Means.Unparen(a).(*ast.AggRef); ok {
		return nil, c.aggArgument(p, i, agg, w)
	}
	if p.fn.Format && i > 0 {
		if t, ok := c.printedCall(p, i, a); ok {
			return t, !types.IsInvalid(t)
		}
	}
	if w == function.Agg {
		c.value(a)
		c.errorf(a, argCode(p.fn, i), "%s() acts on an aggregation, not on %s", p.fn.Name, c.text(a)).
			Suggest("%s", p.fn.Proto)
		return nil, false
	}
	t := c.valueFor(a, argCode(p.fn, i))
	if types.IsInvalid(t) {
		return t, false
	}
	if _, ok := types.Resolve(t).(*types.Float); ok && !(p.fn.Format && i > 0) {
		c.unsupported(a, "recording floating-point values is").Suggest("printf(\"%%f\", %s) prints one", c.text(a))
		return t, false
	}
	if p.fn.OrString && i == 0 && types.IsString(t) {
		return t, true
	}
	if c.accepts(a, t, w) {
		return t, true
	}
	say := c.errorf(a, argCode(p.fn, i), "argument %d of %s() must be %s, not %s", i+1, p.fn.Name, w, t)
	if w == function.String && types.IsScalar(t) {
		say.Suggest("make it a string: copyinstr(%s) from the process, stringof(%s) from the kernel", c.text(a), c.text(a))
	} else {
		say.Suggest("%s", p.fn.Proto)
	}
	return t, false
}

// argCode gives the tag for an argument that does not fit.
func argCode(fn *Function, i int) diag.Code {
	switch {
	case fn.Format && i > 0:
		return diag.PrintfArgs
	case fn.Code != "" && i == 0:
		return fn.Code
	}
	return diag.ProtoArg
}

// aggArgument checks an aggregation that is an argument.
func (c *checker) aggArgument(p *pending, i int, agg *ast.AggRef, w function.Want) bool {
	switch {
	case p.fn.ID == function.Printa:
	case p.fn.ID == function.Trace:
		c.errorf(agg, diag.TraceDyn, "trace() cannot record an aggregation").Suggest("printa(@%s)", agg.Name)
		return false
	case w != function.Agg:
		c.errorf(agg, argCode(p.fn, i), "argument %d of %s() cannot be an aggregation", i+1, p.fn.Name)
		return false
	}
	if len(agg.Keys) > 0 {
		c.aggKeys(agg)
		c.errorf(agg, diag.ProtoArg, "%s() acts on all of @%s, not on one key", p.fn.Name, agg.Name).
			Suggest("%s(@%s)", p.fn.Name, agg.Name)
		return false
	}
	p.info.Aggs = append(p.info.Aggs, c.useAgg(agg))
	if p.info.Agg == nil {
		p.info.Agg = p.info.Aggs[0]
	}
	return true
}

// accepts reports whether a value of type t is good where w is wanted.
func (c *checker) accepts(a ast.Expr, t types.Type, w function.Want) bool {
	d := types.Decay(t)
	switch w {
	case function.Int:
		return types.IsInteger(t)
	case function.Addr:
		return types.IsScalar(d)
	case function.Pointer:
		return types.IsPointer(d) || c.isZero(a)
	case function.String:
		if c.isZero(a) {
			c.asEmpty(a)
			return true
		}
		return types.IsStringLike(t)
	}
	return true
}

// maxTrace bounds what one action records, in bytes.
const maxTrace = 4096

// trace() of a struct or array records its bytes, which must lie somewhere.
func (c *checker) trace(p *pending) {
	x, t := p.ast.Args[0], types.Resolve(p.args[0])
	_, isArray := t.(*types.Array)
	if !isStruct(t) && !isArray || types.IsCharArray(t) {
		return
	}
	if t.Size() > maxTrace {
		c.unsupported(x, "recording more than %d bytes at once is", maxTrace).Suggest("%s has %d bytes: trace its members", t, t.Size())
		return
	}
	if t.Size() == 0 || c.placeOf(x) == placeNone {
		c.errorf(x, diag.ProtoArg, "trace() cannot record %s: its size or place is not known", t).Suggest("trace its members")
	}
}

func (c *checker) tracemem(p *pending) {
	n, ok := c.prog.Consts[p.ast.Args[1]]
	switch {
	case !ok || n <= 0:
		c.errorf(p.ast.Args[1], diag.TracememSize, "tracemem() needs a positive constant as its size").
			Suggest("tracemem(addr, 64, n) shows n bytes of 64")
	case n > maxTrace:
		c.errorf(p.ast.Args[1], diag.TracememSize, "tracemem() records at most %d bytes at once", maxTrace)
	}
}

// stack checks stack() and ustack(), whose arguments are constants.
func (c *checker) stack(p *pending) {
	codes := []diag.Code{diag.StackSize}
	if p.fn.ID != function.Stack {
		codes = []diag.Code{diag.UstackFrames, diag.UstackStr}
	}
	words := []string{"the number of frames", "the size for names"}
	for i, a := range p.ast.Args {
		n, ok := c.prog.Consts[a]
		if !ok || !types.IsInteger(p.args[i]) || n < 0 || i == 0 && n == 0 || n > 1<<16 {
			c.errorf(a, codes[i], "%s of %s() must be a positive constant", words[i], p.fn.Name).Suggest("%s(20)", p.fn.Name)
			return
		}
		if i == 0 {
			p.info.Depth = int(n)
		}
	}
}

func (c *checker) normalize(p *pending) {
	if c.isZero(p.ast.Args[1]) {
		c.errorf(p.ast.Args[1], diag.DivZero, "this divides by zero")
	}
}

// scratchTarget checks that what is written to is scratch memory.
func (c *checker) scratchTarget(p *pending) {
	if to := p.ast.Args[p.fn.To]; !c.scratch(to) {
		c.errorf(to, diag.ProtoArg, "%s() writes only to memory from alloca()", p.fn.Name).
			Suggest("this->buf = alloca(size); %s", p.fn.Proto)
	}
}

func (c *checker) alloca(p *pending) {
	size := p.ast.Args[len(p.ast.Args)-1]
	n, ok := c.prog.Consts[size]
	if ok && (n < 0 || n > int64(c.scratchsize)) {
		c.errorf(size, diag.AllocaSize, "%s() cannot give %d bytes: the scratchsize option is %d", p.fn.Name, n, c.scratchsize)
	}
}
