package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/cpp"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/internal/mishap"
	"dscope.dev/engine/internal/options"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/engine/trace"
)

// A Script is the text of a run with what the command line adds to it.
type Script struct {
	Name     string // of the file, for messages
	Text     string
	File     *token.File // what the preprocessor made of the script; nil if it did not run: then Text is read
	Options  Options     // the zero value is DTrace's defaults; what is set otherwise begins with DefaultOptions
	Arg0     string      // $0
	Args     []string    // $1, $2, …
	Target   int         // $target; 0 if there is none
	Follow   []int       // the processes that descriptions mean too which name no provider; nil is Target
	Comm     string      // the name under which BEGIN and END see the tracer; "" for its own
	Terminal bool        // whether texts go to a terminal and must be harmless there

	// Tests look at what the passes do, and at what would be without them.
	watch       func(pass string, f *ir.Func)
	unoptimised bool
	group       string // folder of the control group outside of which nothing fires; "" if all does

	keeper *parser.Keeper // of the tree; nil if there is no other to begin with
}

// followed returns the processes that the script follows.
func (s *Script) followed() []int {
	if s.Follow == nil && s.Target != 0 {
		return []int{s.Target}
	}
	return s.Follow
}

// Check returns the complaints about a script, warnings included, sorted by
// place. It goes as far as the checker.
func (e *Engine) Check(ctx context.Context, asked trace.Script) (list diag.List) {
	defer mishap.CatchList(&list)
	s, err := called(asked, options.Default())
	if err != nil {
		list.Add(token.Span{From: 1, To: 1}, diag.PragmaOption, "%v", err)
		return list
	}
	if s.keeper = e.keeper.Swap(nil); s.keeper == nil { // in use, or never was
		s.keeper = new(parser.Keeper)
	}
	f, p, list := e.check(ctx, &s, false)
	if p != nil {
		p.Release()
	}
	e.keeper.Store(s.keeper)
	return onScreen(f, list)
}

// called returns the script that a caller without a command line asks for, who begins
// with the options o.
func called(asked trace.Script, o options.Options) (Script, error) {
	s := Script{Name: "script", Text: asked.Text, Options: o, Target: asked.Target, Args: asked.Args}
	for _, set := range asked.Options {
		name, value, _ := strings.Cut(set, "=")
		if err := s.Options.Set(name, value); err != nil {
			return s, fmt.Errorf("set option %s: %w", set, err)
		}
	}
	return s, nil
}

// long is the length in bytes of a script that is taken to need the kernel's types, as most do: to
// parse it takes long enough to begin with them before.
const long = 1 << 12

// check parses and checks s, and applies the options that it sets. The caller's
// options stay as they are: s has its own from here on. If the script is to be
// compiled as well, the kernel's types begin to be read meanwhile.
func (e *Engine) check(ctx context.Context, s *Script, compiled bool) (*token.File, *check.Program, diag.List) {
	s.Options = s.Options.OrDefault()
	f := s.File
	if f == nil {
		f = cpp.NewFile(s.Name, s.Text)
	}
	inside := e.contain(ctx, s)
	libraries, trouble := e.libraries(ctx, &s.Options)
	v := &env{e: e, ctx: ctx, libraries: libraries, compiled: compiled, target: s.Target, followed: s.followed()}
	if compiled && len(f.Src) > long {
		v.readTypes()
	}
	tree, list := v.parse(f, s.keeper)
	how := check.Options{
		Macros:       s.macros(),
		Set:          s.Options.Given(),
		DefaultArgs:  s.Options.DefaultArgs,
		ZeroProbesOK: s.Options.ZeroProbes,
		Destructive:  s.Options.Destructive,
		Libraries:    libraries,
		NoAttributes: !compiled,
	}
	if compiled && list.Failed() { // what clauses mean is no question for words that are not D
		how.EmptyOK = true
		_, more := check.Check(f, declaredBefore(tree, list), v, how)
		return f, nil, withEarlier(list, more)
	}
	if trouble != nil {
		list = append(list, libraryTrouble(trouble))
	}
	if inside != nil {
		list.Add(token.Span{From: 1, To: 1}, diag.PragmaOption, "option container: %v", inside)
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
	if p != nil {
		list = append(list, e.rights.Check(p, s.Options.Destructive, s.Target)...)
	}
	e.rights.Limit(&s.Options)
	list.Sort()
	e.machine.Hint(list)
	e.foreign(f, s.Target, list)
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

// Compile turns a script into an object for this kernel. It loads nothing. The
// error of a faulty script is a *diag.ListError.
func (e *Engine) Compile(ctx context.Context, s Script) (*Compiled, error) {
	p, err := e.compile(ctx, s, false)
	if err != nil {
		return nil, err
	}
	if p.HasTramps() {
		p.WithoutTramps = func(ctx context.Context) (*plan.Plan, error) { return e.compile(ctx, s, true) }
	}
	return &Compiled{p, e}, nil
}

// compile is Compile. If plain, no function is hooked by trampoline.
func (e *Engine) compile(ctx context.Context, s Script, plain bool) (_ *plan.Plan, err error) {
	defer mishap.Catch(&err)
	f, p, list := e.check(ctx, &s, true)
	if err := ctx.Err(); err != nil {
		return nil, err // what was found out since is not so
	}
	if list.Failed() {
		return nil, &diag.ListError{File: f, List: list}
	}
	level := 1
	if s.unoptimised {
		level = 0
	}
	return e.machine.Make(ctx, plan.Draft{File: f, Program: p, List: list, Options: s.Options, Target: s.Target, Comm: s.Comm,
		Terminal: s.Terminal, Level: level, Watch: s.watch, Plain: plain, Group: s.group})
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
