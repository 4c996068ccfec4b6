package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/internal/options"
)

// absentSeed makes the clauses of TestAbsentRandom; another one, with more clauses, finds
// what this one does not.
const (
	absentSeed    = 10
	absentClauses = 3000
	absentBatch   = 10 // clauses in one script
)

// An absentGen writes clauses of probes that are not there.
type absentGen struct{ *rand.Rand }

// one chooses among templates. In them E stands for an expression, A for a value of the
// absent probe, L for what can be assigned to, N for a name and K for a list of keys.
func (g *absentGen) one(depth int, list []string) string {
	var b strings.Builder
	for _, c := range list[g.IntN(len(list))] {
		switch c {
		case 'E':
			b.WriteString(g.expr(depth - 1))
		case 'A':
			b.WriteString(g.arg(depth - 1))
		case 'L':
			b.WriteString(g.one(depth-1, []string{"xN", "xN", "self->xN", "this->xN"}))
		case 'N':
			fmt.Fprint(&b, g.IntN(4))
		case 'K':
			b.WriteString(g.expr(depth - 1))
			for range g.IntN(2) {
				b.WriteString(", " + g.expr(depth-1))
			}
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// arg writes a value whose type nobody knows.
func (g *absentGen) arg(depth int) string {
	base := fmt.Sprintf("args[%d]", g.IntN(6))
	for range g.IntN(3) {
		base += []string{"->n", "->next", "->m.k", "[1]", "->list[2]", "->p->q"}[g.IntN(6)]
	}
	if depth > 0 && g.IntN(4) == 0 {
		return "(" + base + ")"
	}
	return base
}

// expr writes an expression in which such values stand.
func (g *absentGen) expr(depth int) string {
	if depth <= 0 {
		return g.one(1, []string{"A", "A", "arg0", "argN", "1", "\"a\"", "pid", "execname", "timestamp", "probefunc", "xN"})
	}
	return g.one(depth, []string{
		"A", "A", "A", "(A)", "-A", "~A", "!A", "*A", "&A", "(A + E)", "(E - A)", "(A * (E))", "(E / (A))", "(A % E)", "(A << 2)", "(E >> A)",
		"(A & E)", "(E | A)", "(A ^ E)", "(A && E)", "(E || A)", "(A ^^ E)", "(A == E)", "(E != A)", "(A < E)", "(E >= A)", "(A ? E : E)", "(A ? A : A)",
		"(A, E)", "(int)A", "(string)A", "(char *)A", "((struct task_struct *)A)->pid", "*(int *)A", "sizeof (A)", "stringof(A)", "strlen(A)",
		"copyinstr(A)", "copyin(A, 8)", "strjoin(A, A)", "substr(A, A)", "strstr(A, \"a\")", "index(A, A)", "lltostr(A)", "basename(A)", "htonl(A)",
		"inet_ntoa(A)", "json(A, \"a\")", "xlate <psinfo_t *> (A)->pr_pid", "xlate <fileinfo_t> (A).fi_name", "rand() + A", "twice(A)", "TWO[A]",
		"progenyof(A)", "cleanpath(A)", "alloca(A)",
	})
}

// clause writes one, with or without a predicate.
func (g *absentGen) clause() string {
	probe := g.one(0, []string{"nope:::goneN", "nopeN:::gone", "nope:m:f:gone, nopeN:::gone", "fbt::no_such_function_at_all:entry", "fbt::no_such_N:return",
		"sdt:::no_such_tracepoint", "tracepoint:no:such:event", "syscall::no_such_call_N:entry", "nope*:::goneN", "nfsv3:::op-read-start", "iscsi:::xfer-done"})
	var b strings.Builder
	b.WriteString(probe)
	if g.IntN(3) == 0 {
		b.WriteString(" /(" + g.expr(2) + ")/")
	}
	b.WriteString(" { ")
	for range 1 + g.IntN(4) {
		b.WriteString(g.stmt(2) + " ")
	}
	b.WriteString("}\n")
	return b.String()
}

func (g *absentGen) stmt(depth int) string {
	if depth > 0 && g.IntN(5) == 0 {
		return strings.ReplaceAll(g.one(3, []string{"if (E) S", "if (A) S else S", "for (this->i = 0; this->i < A; this->i++; max 5) S", "while (A; max 3) S", "do S while (A; max 3);"}),
			"S", "{ "+g.stmt(depth-1)+" }")
	}
	return g.one(3, []string{
		"L = A;", "L = E;", "aN[K] = A;", "self->aN[K] = A;", "L += 1;", "L++;", "{ int64_t v = A; trace(v); }", "trace(E);", "trace(A);", "print(A);", "tracemem(A, 8);", "tracemem(arg0, 8, A);", "E;", "A;",
		"printf(\"%d\", A);", "printf(\"%s\", A);", "printf(\"%x %s %p\", A, A, A);", "printf(\"%*d %Y\", A, A, A);", "printf(\"%a %k\", A, A);",
		"@ = count();", "@cN[A] = count();", "@sN[A, A] = sum(A);", "@mN = min(A);", "@xN = max(E);", "@vN[A] = avg(A);", "@dN = stddev(A);", "@qN[A] = quantize(A);",
		"@lN = lquantize(A, 0, 100, 10);", "@oN[A] = llquantize(A, 10, 0, 6, 10);", "@iN = quantize(1, A);",
		"stack(A);", "ustack();", "exit(A);", "copyout(A, A, 4);", "raise(A);", "chill(A);", "sym(A);", "usym(A);", "freopen(\"/dev/null\");",
	})
}

// TestAbsentRandom holds for random clauses what TestAbsentClauses holds for a table.
func TestAbsentRandom(t *testing.T) {
	e := openEngine(t)
	g := &absentGen{Rand: rand.New(rand.NewPCG(absentSeed, 0))}
	for range absentClauses / absentBatch {
		var b strings.Builder
		for range absentBatch {
			b.WriteString(g.clause())
		}
		absentCompiles(t, e, b.String())
	}
}

// absentVariables are those that the clauses read and write.
const absentVariables = `int64_t x0, x1, x2, x3;
self int64_t x0; self int64_t x1; self int64_t x2; self int64_t x3;
this int64_t x0; this int64_t x1; this int64_t x2; this int64_t x3;
`

// absentCompiles compiles clauses of probes that are not there under -Z.
func absentCompiles(t *testing.T, e *Engine, clauses string) {
	t.Helper()
	o := options.Default()
	o.ZeroProbes, o.Destructive = true, true
	_, err := e.Compile(context.Background(), Script{Name: "absent", Options: o,
		Text: absentPrelude + absentVariables + clauses + "BEGIN { exit(0); }\nEND { trace(1); }\n"})
	if err == nil {
		return
	}
	list, ok := IsScriptError(err)
	if !ok {
		t.Errorf("%v\n%s", err, clauses)
		return
	}
	for _, d := range list.List {
		if d.Severity == diag.Error {
			_, line, _ := list.File.Place(d.At.From)
			text, _ := list.File.Line(line)
			t.Errorf("line %d: %s [%s]\n%s", line, d.Msg, d.Code, text)
		}
	}
}
