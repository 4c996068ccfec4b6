package rights

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/dlang/ast"
	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/function"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/internal/plan"
	"dscope.dev/probes"
)

// What of the language needs the right kernel: the kernel's own numbers and memory.
var kernelNames = []string{"curthread", "caller", "stackdepth", "regs"}

// What a clause must not ask that fires in no process of the asker's. At tick it is that
// which the clock interrupts; at BEGIN, END and ERROR that of dscope, whose memory holds
// more than the asker may know.
var (
	clockNames = []string{"pid", "tid", "ppid", "execname", "uid", "gid", "errno", "vtimestamp", "execargs", "cwd", "root",
		"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9"}
	memoryNames = []string{"uregs", "ucaller", "ustackdepth"}
)

// A judge holds one script to somebody's rights.
type judge struct {
	*Rights
	p      *check.Program
	target int
	list   diag.List
	told   map[token.Span]bool
}

// Check returns what of a script the rights do not cover, by name and place. Target is
// the process that $target stands for.
func (r *Rights) Check(p *check.Program, destructive bool, target int) diag.List {
	if r == nil {
		return nil
	}
	j := &judge{Rights: r, p: p, target: target, told: map[token.Span]bool{}}
	if destructive && !r.Destructive {
		j.deny(j.optionAt("destructive"), "destructive actions (-w) need the right destructive")
	}
	for _, c := range p.Clauses {
		j.clause(c)
	}
	p.Means.Walk(p.Chosen, func(n ast.Node) bool { // functions and declarations of the script
		_, inClause := n.(*ast.Clause)
		if !inClause {
			j.node(n, n.Span(), firesIn{})
		}
		return !inClause
	})
	return j.list
}

// optionAt is where the script sets an option; its start if the command line does.
func (j *judge) optionAt(name string) token.Span {
	for _, o := range j.p.Options {
		if o.Name == name {
			return o.At
		}
	}
	return token.Span{From: 1, To: 1}
}

func (j *judge) deny(at token.Span, format string, args ...any) {
	if j.told[at] {
		return
	}
	j.told[at] = true
	j.list.Add(at, diag.Denied, "%s", j.has(fmt.Sprintf(format, args...))).Suggest("dscope doctor says what you may trace")
}

// firesIn says where a clause fires if not in processes that the asker may look into.
type firesIn struct {
	clock  string // the probe whose clock interrupts anything; "" if none
	dscope string // the probe that fires in dscope itself; "" if none
	timer  string // the probe whose arg0 is where the kernel was interrupted
}

func (j *judge) clause(c *check.Clause) {
	var in firesIn
	for i := range c.Probes {
		j.probes(c, i, &in)
	}
	at := c.AST.Span()
	j.p.Means.Walk(c.AST, func(n ast.Node) bool {
		if n == ast.Node(c.AST) {
			return true
		}
		if _, is := n.(*ast.ProbeDesc); is {
			return false
		}
		if span := n.Span(); span.IsValid() && !j.p.File.Outside(span.From) {
			at = span // what a library writes in its place is told here
		}
		j.node(n, at, in)
		return true
	})
}

// probes judges those of the i-th description of a clause.
func (j *judge) probes(c *check.Clause, i int, in *firesIn) {
	d := c.AST.Probes[i]
	set := c.Probes[i]
	if pid, ok := processOf(d.Text, j.target); ok {
		if err := j.Mine(pid); err != nil && !errors.Is(err, fs.ErrNotExist) { // one that may come
			j.list.Add(d.Span(), diag.Denied, "%v", err).Suggest("dscope doctor says what you may trace")
		}
	}
	seen := map[string]bool{}
	for _, s := range plan.SitesOf(&set) {
		name := s.Probe.Provider
		switch h := s.Hook; {
		case h.Kind == probes.Timer && !h.PerCPU && j.OwnOnly():
			in.clock = s.Probe.Name
			in.timer = s.Probe.Name
		case h.Kind == probes.Timer:
			in.timer = s.Probe.Name
		case h.Kind == probes.Test && j.OwnOnly():
			in.dscope = s.Probe.Name
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		switch {
		case !ofProcesses(s) && !j.Kernel:
			j.deny(d.Span(), "%s needs the right kernel", d.Text)
		case !j.provides(s):
			j.deny(d.Span(), "%s is of provider %s, which is none of %s", d.Text, name, strings.Join(j.Providers, ", "))
		}
	}
}

// ofProcesses reports whether a probe is about what a process does of itself.
func ofProcesses(s *probes.Site) bool {
	if d := s.Derived; d != nil {
		for _, st := range d.State {
			if !ofProcesses(st.On) {
				return false
			}
		}
		return ofProcesses(d.On)
	}
	return s.Hook.Sealed()
}

// provides reports whether the provider of a site may be used. BEGIN and END always may.
func (j *judge) provides(s *probes.Site) bool {
	return s.Hook.Kind == probes.Test || j.Provides(s.Probe.Provider)
}

// Provides reports whether a provider may be used.
func (r *Rights) Provides(provider string) bool {
	return r == nil || r.Providers == nil || slices.ContainsFunc(r.Providers, func(p string) bool { return probes.Glob(p, provider) })
}

// node judges one part of a clause.
func (j *judge) node(n ast.Node, at token.Span, in firesIn) {
	switch n := n.(type) {
	case *ast.Call:
		if c := j.p.Calls[n]; c != nil && c.Fn != nil {
			j.call(n, at, in)
		}
	case ast.Expr:
		switch ref := j.p.Refs[n].(type) {
		case *check.KernelSym:
			if !j.Kernel {
				j.deny(at, "`%s is memory of the kernel, which needs the right kernel", ref.Name)
			}
		case *check.Builtin:
			j.name(ref.Name, at, in)
		}
	}
}

func (j *judge) name(name string, at token.Span, in firesIn) {
	switch {
	case j.Kernel:
	case slices.Contains(kernelNames, name):
		j.deny(at, "%s is the kernel's, which needs the right kernel", j.shown(name, at))
	case in.timer != "" && name == "arg0":
		j.deny(at, "arg0 of %s is an address of the kernel, which needs the right kernel", in.timer)
	case in.clock != "" && (slices.Contains(clockNames, name) || slices.Contains(memoryNames, name)):
		j.deny(at, "%s is that of whatever process %s interrupts, which needs the right user", name, in.clock)
	case in.dscope != "" && slices.Contains(memoryNames, name):
		j.deny(at, "%s at %s is of dscope itself, which needs the right user", name, in.dscope)
	}
}

// shown is how the script calls what is called name somewhere in a library.
func (j *judge) shown(name string, at token.Span) string {
	text := j.p.File.Src
	from, to := at.From.Offset(), at.To.Offset()
	if from < 0 || to > len(text) || from >= to || to-from > 60 {
		return name
	}
	return strings.Join(strings.Fields(text[from:to]), " ")
}

func (j *judge) call(n *ast.Call, at token.Span, in firesIn) {
	fn := j.p.Calls[n].Fn
	name := n.Fn.Text + "()"
	switch {
	case fn.Destructive && !j.Destructive:
		j.deny(at, "%s needs the right destructive", name)
	case j.Kernel:
	case fn.About == function.Kernel:
		j.deny(at, "%s is about the kernel, which needs the right kernel", name)
	case in.clock != "" && fn.About == function.Process:
		j.deny(at, "%s is about whatever process %s interrupts, which needs the right user", name, in.clock)
	case in.dscope != "" && fn.About == function.Process:
		j.deny(at, "%s at %s is about dscope itself, which needs the right user", name, in.dscope)
	}
}

// Foreign makes the complaint that a process has no probes one about rights, where that is
// why: the providers find nothing in what may not be read.
func (r *Rights) Foreign(f *token.File, target int, list diag.List) {
	if r == nil || !r.OwnOnly() {
		return
	}
	for _, d := range list {
		if d.Severity != diag.Error || !d.At.IsValid() || f.Outside(d.At.From) || d.At.To.Offset() > len(f.Src) {
			continue
		}
		pid, ok := processOf(f.Src[d.At.From.Offset():d.At.To.Offset()], target)
		if !ok {
			continue
		}
		if err := r.Mine(pid); err != nil {
			d.Code, d.Msg, d.Hint = diag.Denied, err.Error(), "dscope doctor says what you may trace"
		}
	}
}

// processOf returns the process that the provider of a description names.
func processOf(desc string, target int) (int, bool) {
	desc = strings.Replace(desc, "$target", strconv.Itoa(target), 1)
	provider, _, found := strings.Cut(desc, ":")
	digits := provider[len(strings.TrimRight(provider, "0123456789")):]
	pid, err := strconv.Atoi(digits)
	return pid, found && err == nil
}
