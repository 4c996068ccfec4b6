package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
)

// What a unit may hold, and what one statement and the beginnings and ends of units add
// to that at most before they are counted: a list of 4000 values and what they need.
const (
	unitBudget = 1 << 17
	overdraft  = 1 << 16
)

// TestBudget lowers scripts of half a megabyte, and short ones that become long. Steps
// are counted, not time: what is made is bounded whatever the script, and a script that
// would go beyond is refused by name.
func TestBudget(t *testing.T) {
	long := func(head, format, tail string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < 500_000; i++ {
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		b.WriteString(tail)
		return b.String()
	}
	chain := func(body string, n int) string {
		var b strings.Builder
		b.WriteString("int f0(int a) { return a + 1; }\n")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, "int f%d(int a) { return %s; }\n", i, strings.ReplaceAll(body, "#", fmt.Sprint(i-1)))
		}
		fmt.Fprintf(&b, "BEGIN { trace(f%d(pid)); }", n)
		return b.String()
	}
	const tooLarge, tooDeep = "the script becomes too large here", "calls are nested more than 400 deep here"
	for _, tt := range []struct{ name, text, want string }{
		{"statements", long("BEGIN { x = 0;", "x += pid;", "}"), tooLarge},
		{"variables", long("BEGIN {", "this->x# = #;", "}"), ""},
		{"doubling", long("BEGIN { this->x = pid;", "this->x ^= this->x >> 7;", "trace(this->x); }"), tooLarge},
		{"strings", long("BEGIN {", "trace(strstr(execname, \"a\"));", "}"), tooLarge},
		{"elements", long("BEGIN {", "a[#] = #;", "}"), tooLarge},
		{"aggregations", long("BEGIN {", "@a# = quantize(pid);", "}"), tooLarge},
		{"clauses", long("", "BEGIN { trace(#); }\n", ""), tooLarge},
		{"loops", long("BEGIN { x = 0;", "for (this->i = 0; this->i < 100; this->i++) { x += this->i; }", "}"), tooLarge},
		{"last", "BEGIN {" + strings.Repeat("printf(\"%d\", pid);", 29500) + "@[" + strings.Repeat("pid,", 3900) + "1] = count(); }", tooLarge},
		{"functions twice", chain("f#(a) + f#(a + 1)", 40), tooLarge},
		{"functions deep", chain("f#(a)", 5000), tooDeep},
		{"functions 400 deep", chain("f#(a)", 399), ""},
		{"functions called often", "int f(int a) { return a * a; }\n" + long("BEGIN {", "trace(f(pid));", "}"), tooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := checked(t, tt.text, check.Options{})
			env := gen.NewEnv()
			res, list := lower.Lower(p, gen.Units(p), env.Target(), gen.Options())
			if tt.want == "" {
				if list.Failed() {
					t.Error(list)
				}
			} else if len(list) != 1 || list[0].Code != diag.Unsupported || !strings.HasPrefix(list[0].Msg, tt.want) || list[0].Hint == "" {
				t.Errorf("%d complaints: %v, want one, %q", len(list), list, tt.want)
			}
			if n := made(res); n > unitBudget+overdraft {
				t.Errorf("%d things are made, the budget of the unit is %d", n, unitBudget)
			}
		})
	}
}

func made(res *lower.Result) (n int) {
	for _, f := range res.IR.Funcs {
		n += f.Size()
	}
	return n
}
