package engine

import (
	"context"
	"strings"
	"testing"

	"dscope.dev/engine/internal/options"
)

// absentForms are clauses of a probe that is not there; ARG stands for a value whose
// type nobody knows, in every position that the language has for one.
var absentForms = []string{
	`{ ARG; }`, `{ trace(ARG); }`, `{ print(ARG); }`, `{ printf("%d", ARG); }`, `{ printf("%s", ARG); }`, `{ printf("%*d", ARG, 1); }`,
	`{ printf("%Y %a %p %k", ARG, ARG, ARG, ARG); }`, `/ARG/ { trace(1); }`, `/ARG == 1/ { trace(3); }`, `/ARG != NULL && stringof(ARG) == "a"/ { trace(2); }`,
	`{ x = ARG; }`, `{ x = ARG / 1024; }`, `{ x = 7 % ARG; }`, `{ x = -ARG; y = ~ARG; z = !ARG; }`, `{ self->x = ARG; }`, `{ this->x = ARG; trace(this->x); }`,
	`{ x = ARG; y = x; z[y] = x; }`, `{ x = ARG; x += 1; x++; --x; }`, `{ int64_t g; g = ARG; trace(g); }`, `{ int64_t g = ARG; trace(g); }`,
	`{ x[ARG] = 1; }`, `{ x[1, ARG] = ARG; trace(x[1, ARG]); }`, `{ self->x[ARG] = timestamp; }`, `{ x[ARG]++; }`, `{ x[ARG] = 1; x[ARG] += ARG; }`,
	`{ @ = count(); @n[ARG] = count(); }`, `{ @[ARG, 1] = sum(ARG); }`, `{ @ = min(ARG); @b = max(ARG); @c = avg(ARG); @d = stddev(ARG); }`,
	`{ @ = quantize(ARG); }`, `{ @ = quantize(1, ARG); }`, `{ @ = lquantize(ARG, 0, 10); }`, `{ @ = lquantize(ARG, 0, 10, 1, ARG); }`, `{ @ = lquantize(1, 0, ARG); }`,
	`{ @ = llquantize(ARG, 10, 0, 6, 10); }`, `{ @[ARG] = llquantize(1, 10, 0, 6, ARG); }`, `{ @[ARG] = count(); printa("%s %@d", @); }`,
	`{ @[stack(ARG)] = count(); }`, `{ @[sym(ARG)] = count(); @u[usym(ARG)] = count(); }`, `{ @n[ARG] = sum(ARG); normalize(@n, ARG); trunc(@n, ARG); }`,
	`{ x = (int)ARG; }`, `{ x = (string)ARG; }`, `{ x = ((struct task_struct *)ARG)->pid; }`, `{ x = *(int *)ARG; }`, `{ x = *ARG; }`, `{ x = &ARG; }`,
	`{ x = ARG->a->b; }`, `{ x = ARG->a.b[3]; }`, `{ x = ARG[2]; }`, `{ x = sizeof (ARG); }`, `{ x = stringof(ARG); }`, `{ x = copyinstr(ARG); }`,
	`{ x = copyinstr(ARG, ARG); }`, `{ x = copyin(ARG, 8); }`, `{ x = copyin(arg0, ARG); }`, `{ x = alloca(ARG); }`, `{ this->p = alloca(8); bcopy(ARG, this->p, ARG); }`,
	`{ copyinto(ARG, 8, alloca(8)); }`, `{ tracemem(ARG, 8); }`, `{ tracemem(arg0, 8, ARG); }`, `{ x = strlen(ARG); }`, `{ x = strjoin(ARG, "a"); }`, `{ x = substr(ARG, 1, ARG); }`,
	`{ x = strtok(ARG, "a"); }`, `{ x = lltostr(ARG); }`, `{ x = basename(ARG); }`, `{ x = index(ARG, ARG); }`, `{ x = inet_ntoa(ARG); }`, `{ x = inet_ntop(ARG, ARG); }`,
	`{ x = htons(ARG); }`, `{ x = ARG ? 1 : 2; }`, `{ x = 1 ? ARG : 2; }`, `{ x = pid ? ARG : "a"; }`, `{ x = (ARG, 1); }`, `{ x = ARG && ARG; }`, `{ x = ARG < ARG || 1 ^^ ARG; }`,
	`{ x = ARG << 2; y = 1 >> ARG; }`, `{ x = ARG == "a"; }`, `{ x = ARG + "a"; }`, `{ if (ARG) { trace(1); } else trace(ARG); }`, `{ for (this->i = 0; this->i < ARG; this->i++; max 5) trace(ARG); }`,
	`{ while (ARG; max 3) { x = ARG; } }`, `{ do { x = ARG; } while (ARG; max 3); }`, `{ for (int i = ARG; i < 3; i++; max 4) trace(i); }`,
	`{ self->s = speculation(); speculate(ARG); trace(ARG); } NOPE { commit(ARG); discard(ARG); }`, `{ exit(ARG); }`, `{ setopt("quiet", ARG); }`,
	`{ stack(ARG); ustack(ARG); jstack(ARG, ARG); }`, `{ sym(ARG); func(ARG); mod(ARG); usym(ARG); uaddr(ARG); ufunc(ARG); umod(ARG); }`, `{ x = rand() + ARG; }`,
	`{ x = xlate <fileinfo_t> (ARG).fi_name; }`, `{ x = xlate <psinfo_t *> (ARG)->pr_pid; }`, `{ x = twice(ARG); }`, `{ x = TWO[ARG]; }`, `{ x = msgsize(ARG) + getmajor(ARG); }`,
	`{ x = mutex_owned(ARG); y = rw_read_held(ARG); }`, `{ x = progenyof(ARG); }`, `{ x = json(ARG, "a"); }`, `{ x = strstr(ARG, ARG); y = strchr(ARG, 'a'); }`,
	`{ x = ddi_pathname(ARG, 1); }`, `{ x = cleanpath(ARG); y = dirname(ARG); }`, `{ pcap(ARG, 1); }`, `{ x = getf(ARG)->f_flags; }`,
	`{ s.x = ARG; }`, `{ s = ARG; }`, `{ trace(x = ARG); }`, `{ x = y = ARG; }`, `{ printf("%d %s", x = ARG, ARG->s); }`, `{ x = (ARG ? ARG : ARG)->n; }`,
}

// absentPrelude is what the forms use.
const absentPrelude = `inline int TWO[int n] = n + n;
int twice(int n) { return n + n; }
struct pair { int x; } s;
`

// Clauses of probes that are not there never need a type under -Z: whatever they do
// with their arguments they compile, or better, nothing is made of them.
func TestAbsentClauses(t *testing.T) {
	e := openEngine(t)
	for _, probe := range []string{"nope:::gone", "nope3:::gone", "nope:::gone, nope3:::gone"} {
		for _, value := range []string{"args[0]", "args[1]->n", "(args[0])"} {
			for _, form := range absentForms {
				clause := probe + " " + strings.ReplaceAll(form, "ARG", value)
				clause = strings.ReplaceAll(clause, "NOPE", probe)
				o := options.Default()
				o.ZeroProbes, o.Destructive = true, true
				_, err := e.Compile(context.Background(), Script{Name: "absent", Options: o,
					Text: absentPrelude + clause + "\nBEGIN { exit(0); }\nEND { trace(1); }\n"})
				if err != nil {
					t.Errorf("%s: %v", clause, err)
				}
			}
		}
	}
}
