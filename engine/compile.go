package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/codegen"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/trace"
	"dscope.dev/probes/kernel"
)

// A Script is the text of a run with what the command line adds to it.
type Script struct {
	Name     string // of the file, for messages
	Text     string
	File     *token.File // what the preprocessor made of the script; nil if it did not run: then Text is read
	Options  options.Options
	Arg0     string                        // $0
	Args     []string                      // $1, $2, …
	Target   int                           // $target; 0 if there is none
	Comm     string                        // the name under which BEGIN and END see the tracer; "" for its own
	Terminal bool                          // whether texts go to a terminal and must be harmless there
	Level    int                           // of optimisation: 0 none, 1 all passes
	Watch    func(pass string, f *ir.Func) // sees every function after every pass, if set
}

// Compiled is a script made ready to run.
type Compiled struct {
	File     *token.File
	Program  *check.Program
	Lowered  *lower.Result
	Object   *codegen.Object
	Options  options.Options
	Target   int // $target; 0 if there is none
	Comm     string
	Terminal bool
	Probes   int // sites that the script enables, each clause counted
	Warnings diag.List
	units    []*unit

	begun    bool             // whether BEGIN may have fired
	estimate trace.Estimate   // of what it takes of the machine
	after    *Session         // whose place the run takes; nil if it takes nobody's
	openings openings         // what may come to be covered while the script runs
	target   lower.Target     // for which the script was lowered
	features codegen.Features // with which it was generated
	level    int              // of optimisation

	plain   func() (*codegen.Object, error)          // makes the object without the walk of stacks by tables; nil if there is none in it
	frames  string                                   // why stacks of processes are walked by frame pointers; "" if they are not
	kprobes func(context.Context) (*Compiled, error) // compiles without trampolines; nil if there are none
}

// Check returns the complaints about a script, warnings included, sorted by
// place. It goes as far as the checker.
func (e *Engine) Check(ctx context.Context, asked trace.Script) (list diag.List) {
	defer recoveredList(&list)
	s, err := called(asked, options.Default())
	if err != nil {
		list.Add(token.Span{From: 1, To: 1}, diag.PragmaOption, "%v", err)
		return list
	}
	f, _, list := e.check(ctx, &s, false)
	return onScreen(f, list)
}

// called returns the script that a caller without a command line asks for, who begins
// with the options o.
func called(asked trace.Script, o options.Options) (Script, error) {
	s := Script{Name: "script", Text: asked.Text, Options: o, Target: asked.Target, Args: asked.Args, Level: 1}
	for _, set := range asked.Options {
		name, value, _ := strings.Cut(set, "=")
		if err := s.Options.Set(name, value); err != nil {
			return s, fmt.Errorf("set option %s: %w", set, err)
		}
	}
	return s, nil
}

// check parses and checks s, and applies the options that it sets. The caller's
// options stay as they are: s has its own from here on. If the script is to be
// compiled as well, the kernel's types begin to be read meanwhile.
func (e *Engine) check(ctx context.Context, s *Script, compiled bool) (*token.File, *check.Program, diag.List) {
	s.Options = s.Options.Clone()
	f := s.File
	if f == nil {
		f = cpp.NewFile(s.Name, s.Text)
	}
	libraries, trouble := e.libraries(ctx, &s.Options)
	v := &env{e: e, ctx: ctx, libraries: libraries, compiled: compiled, target: s.Target}
	tree, list := v.parse(f)
	how := check.Options{
		Macros:       s.macros(),
		Set:          s.Options.Given(),
		DefaultArgs:  s.Options.DefaultArgs,
		ZeroProbesOK: s.Options.ZeroProbes,
		Destructive:  s.Options.Destructive,
		Libraries:    libraries,
	}
	if compiled && list.Failed() { // what clauses mean is no question for words that are not D
		_, more := check.Check(f, declaredBefore(tree, list), v, how)
		return f, nil, withEarlier(list, more)
	}
	if trouble != nil {
		list = append(list, libraryTrouble(trouble))
	}
	p, more := check.Check(f, tree, v, how)
	list = append(list, more...)
	if p != nil {
		f = p.File // with the texts of libraries behind it
		for _, o := range p.Options {
			if err := s.Options.Set(o.Name, o.Value); err != nil {
				list.Add(o.At, diag.PragmaOption, "%v", err)
			}
		}
	}
	list.Sort()
	e.hint(list)
	return f, p, list
}

// declaredBefore returns what a script declares up to its first syntax error: DTrace
// looks at declarations as it reads them.
func declaredBefore(tree *ast.Script, list diag.List) *ast.Script {
	list.Sort()
	early := *tree
	early.Items = slices.DeleteFunc(slices.Clone(tree.Items), func(it ast.Item) bool {
		_, clause := it.(*ast.Clause)
		return clause || it.Span().From >= list[0].At.From
	})
	return &early
}

// withEarlier adds to syntax errors, which are in order, the errors of more that come
// before the first of them.
func withEarlier(list, more diag.List) diag.List {
	first := list[0].At.From
	for _, d := range more {
		if d.Severity == diag.Error && d.At.From < first {
			list = append(list, d)
		}
	}
	list.Sort()
	return list
}

// hint adds to what this kernel does not tell why it does not, and the remedy.
// The compiler knows that a type is missing, and the kernel's files why.
func (e *Engine) hint(list diag.List) {
	for _, d := range list {
		if d.Hint != "" || !strings.HasPrefix(d.Msg, "this kernel") {
			continue
		}
		_, err := e.kernel.Type("struct", "", "task_struct")
		var missing *kernel.Missing
		if errors.As(err, &missing) {
			d.Hint = missing.Error()
		}
	}
}

// Compile turns a script into an object for this kernel. It loads nothing. The
// error of a faulty script is a *diag.ListError.
func (e *Engine) Compile(ctx context.Context, s Script) (*Compiled, error) {
	c, err := e.compile(ctx, s, false)
	if err == nil && c.tramps() {
		c.kprobes = func(ctx context.Context) (*Compiled, error) { return e.compile(ctx, s, true) }
	}
	return c, err
}

// compile is Compile. If plain, no function is hooked by trampoline.
func (e *Engine) compile(ctx context.Context, s Script, plain bool) (_ *Compiled, err error) {
	defer recovered(&err)
	f, p, list := e.check(ctx, &s, true)
	if err := ctx.Err(); err != nil {
		return nil, err // what was found out since is not so
	}
	fail := func() error { return &diag.ListError{File: f, List: list} }
	if list.Failed() {
		return nil, fail()
	}
	c := &Compiled{File: f, Program: p, Options: s.Options, Target: s.Target, Terminal: s.Terminal, Comm: s.Comm}
	if c.Options.FollowFork {
		follow(p)
	}
	c.openings = findOpenings(p, &c.Options)
	c.units = group(p, c.openings.patterns, newBulks(p), e.kernel.RawCookies, func() bool { return !plain && e.trials.Functions().Tramp == nil })
	if len(c.units) > mostPrograms {
		list.Add(c.units[mostPrograms].clauses[0].clause.AST.Probes[0].Span(), diag.Unsupported, "the script needs more than %d programs, one for each hook", mostPrograms).
			Suggest("name fewer probes, or let clauses share them")
		return nil, fail()
	}
	var lowering []lower.Unit
	var generating []*codegen.Unit
	for i, u := range c.units {
		lowering = append(lowering, u.lowering(fmt.Sprintf("u%d", i)))
		lowering[i].Alone = u.alone(e.facts.AtLeast(7, 0))
		generating = append(generating, u.generating())
	}
	for _, clause := range p.Clauses {
		for _, set := range clause.Probes {
			c.Probes += set.Count
		}
	}
	target := lower.Target{Task: e.kernel.Struct("task_struct"), ABI: e.facts.Arch, PIDs: e.trials.PIDs(), Struct: e.kernel.Struct,
		RoundByRound: !e.facts.AtLeast(6, 9), Stopped: func() bool { return ctx.Err() != nil }}
	var more diag.List
	s.Options.LimitFrames(e.facts.MaxStack)
	list = append(list, shallow(p, s.Options.MaxFrames, e.facts.MaxStack)...)
	c.Lowered, more = lower.Lower(p, lowering, target, s.Options.IR())
	if list = append(list, more...); list.Failed() {
		list.Sort()
		e.hint(list)
		return nil, fail()
	}
	if err := optimize(ctx, f, c.Lowered.IR.Funcs, s.Level, s.Watch); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	features, err := e.features(&s.Options, c.units, c.Lowered.IR)
	if err != nil {
		return nil, err
	}
	features.AggRoom, features.AssocRoom = aggRoom(c.Lowered, s.Options.StrSize), assocRoom(p, s.Options.StrSize)
	e.inner(generating, c.Lowered.IR)
	e.multi(generating)
	if err := e.ways(generating, plain); err != nil {
		return nil, err
	}
	if err := e.allocates(generating, c.Lowered.IR); err != nil {
		return nil, err
	}
	e.guard(generating, &features)
	e.keepFrames(generating, c.Lowered.IR)
	if c.Object, err = codegen.Generate(c.Lowered.IR, generating, features); err != nil {
		return nil, generated(err, f)
	}
	c.Object.Quote(f)
	c.target, c.features, c.level, c.Warnings = target, features, s.Level, list
	c.frames = e.byFrames(c)
	if c.Object.Maps.Unwind {
		c.plain = func() (*codegen.Object, error) {
			features.Unwind = nil
			return codegen.Generate(c.Lowered.IR, generating, features)
		}
	}
	return c, nil
}

// optimize runs the passes over functions, which know nothing of one another: side
// by side, unless somebody watches.
func optimize(ctx context.Context, f *token.File, funcs []*ir.Func, level int, watch func(pass string, f *ir.Func)) error {
	errs := make([]error, len(funcs))
	run := func(i int) {
		defer func() {
			if why := recover(); why != nil {
				errs[i] = &diag.ListError{File: f, List: diag.List{diag.Mishap("the optimiser", funcs[i].Place(), why)}}
			}
		}()
		switch {
		case ctx.Err() != nil:
			errs[i] = ctx.Err()
		case watch != nil:
			errs[i] = ir.Optimize(funcs[i], level, watch)
		default:
			errs[i] = ir.OptimizeFast(funcs[i], level)
		}
	}
	var passing sync.WaitGroup
	for i := range funcs {
		if watch != nil {
			run(i)
			continue
		}
		passing.Go(func() { run(i) })
	}
	passing.Wait()
	return errors.Join(errs...)
}

// Join makes one script of several sources, as dtrace(1) does with several -n
// and -s: they share their variables.
func Join(texts []string) string {
	var b strings.Builder
	for i, t := range texts {
		b.WriteString(t)
		if end := strings.TrimRight(t, " \t\r\n"); i < len(texts)-1 && !strings.HasSuffix(end, "}") && !strings.HasSuffix(end, ";") {
			b.WriteString("\n;")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// JoinFiles does for files what Join does for texts: one file, whose places are
// those of the files that it was made of. starts says where each begins.
func JoinFiles(name string, files []*token.File) (joined *token.File, starts []int) {
	var texts []string
	var runs []token.Run
	for _, f := range files {
		start := 0
		if texts = append(texts, f.Src); len(texts) > 1 {
			start = len(Join(texts)) - len(f.Src) - 1
		}
		starts = append(starts, start)
		if len(f.Runs()) == 0 {
			runs = append(runs, token.Run{At: start, File: f})
		}
		for _, r := range f.Runs() {
			r.At += start
			runs = append(runs, r)
		}
	}
	return token.NewMapped(name, Join(texts), runs), starts
}

// IsScriptError reports whether err is a complaint about the script, and
// returns it.
func IsScriptError(err error) (*diag.ListError, bool) {
	var list *diag.ListError
	ok := errors.As(err, &list)
	return list, ok
}
