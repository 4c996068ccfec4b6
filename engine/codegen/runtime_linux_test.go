package codegen_test

import (
	"fmt"
	"testing"

	"dscope.dev/dlang/lower/gen"
	"dscope.dev/engine/codegen"
)

// looping are calls of subroutines that have loops, and comparisons that do.
var looping = []string{
	`cleanpath((char *)arg1)`, `basename(execname)`, `dirname(execname)`, `toupper(execname)`, `strlen(execname)`,
	`strtok(execname, "ab")`, `index(execname, "b")`, `rindex(execname, "c")`, `strstr(execname, "ab")`, `strchr(execname, 97)`,
	`strrchr(execname, 97)`, `substr(execname, 2, 3)`, `(execname == probefunc)`, `(copyinstr(arg1) < probefunc)`, `json(execname, "a.b")`,
	`lltostr(arg1)`, `strtoll(execname)`, `inet_ntoa((ipaddr_t *)arg1)`, `inet_ntoa6((struct in6_addr *)arg1)`,
	`link_ntop(1, (void *)arg1)`, `progenyof(1)`,
}

// TestLoopsAreFollowedOnce loads each of looping with short strings and with long ones:
// with may_goto the verifier is to be content after a few rounds, however many there
// are. Linux 7.2 counted the bytes of a path one by one before a loop's counter was
// hidden from what limits it.
func TestLoopsAreFollowedOnce(t *testing.T) {
	codegen.NeedKernel(t)
	m := newMachine(t)
	if m.features.Verifier.Has(codegen.RoundByRound) {
		t.Skip("the verifier of this kernel follows loops round by round")
	}
	for _, call := range looping {
		text := fmt.Sprintf("exec { trace(%s); }", call)
		p, list := m.check(text, nil)
		if list.Failed() {
			t.Fatalf("%s\n%s", list[0].Msg, text)
		}
		var short int
		for _, size := range []int{64, 512} {
			opts := gen.Options()
			opts.StrSize = size
			o, _, err := m.compile(p, 2, opts)
			if err != nil {
				t.Fatalf("%s: %v", call, err)
			}
			followed, n, err := m.followed(o)
			if err != nil {
				t.Errorf("%s, strings of %d: %v", call, size, refusal(err, o))
				continue
			}
			t.Logf("%s, strings of %d: %d followed of %d", call, size, followed, n)
			if short == 0 {
				short = followed
			}
			if followed > 2*short+1000 { // long strings are also copied by more instructions
				t.Errorf("%s: the verifier follows %d instructions with strings of %d, and %d with short ones", call, followed, size, short)
			}
		}
	}
}
