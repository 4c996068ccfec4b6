package codegen_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cilium/ebpf"

	"dscope.dev/dlang/lower/gen"
	"dscope.dev/engine/codegen"
)

// A heap makes loops whose bodies are heaps of conditions, each with another way
// through: what a verifier that follows ways by themselves would never end with.
type heap struct {
	r    *rand.Rand
	kind string // of statements; "" for all
}

// heaped are the kinds of statements.
var heaped = []string{"string", "number", "aggregation", "if", "loop", "comparison", "record", "leave", "object", "array"}

var heapedStrings = []string{"execname", "gs", "self->ss", "copyinstr(arg2, 8)", "stringof(curthread->comm)", "at[gi]", "probefunc",
	`"abc"`, `strjoin(gs, "x")`, "lltostr(gl)", "substr(gs, gi, 3)", "this->ts", "basename(gs)", `strtok(gs, "b")`, "choose(gl, gs)"}

var heapedNumbers = []string{"gl", "gi", "gc", "gu", "self->si", "self->su", "this->tl", "arg1", "ax[gi, gs]", "an[gl]", "strlen(gs)",
	"args[1]->next->a", `index(gs, "b")`, "round", "go.l", "ao[gi].in[1].x", "self->sa[gi]", "lengths(gi, gs)", "gl++", "--self->si", "ppid",
	"this->to.m[1][gi & 1]", "arg1 / gl", "gi % 7", "(short)arg3", "xlate <struct view> (gi).wide"}

func (h *heap) pick(list ...string) string { return list[h.r.IntN(len(list))] }

func (h *heap) text(depth int) string {
	switch {
	case depth == 0:
		return h.pick(heapedStrings...)
	case h.r.IntN(5) < 3:
		return fmt.Sprintf("(%s ? %s : %s)", h.number(depth-1), h.text(depth-1), h.text(depth-1))
	}
	return fmt.Sprintf("strjoin(%s, %s)", h.text(depth-1), h.text(depth-1))
}

func (h *heap) number(depth int) string {
	switch {
	case depth == 0:
		return h.pick(heapedNumbers...)
	case h.r.IntN(5) < 3:
		return fmt.Sprintf("(%s %s %s)", h.number(depth-1), h.pick("<", "==", "+", "-", "&", "|", "*", "&&", "||"), h.number(depth-1))
	}
	return fmt.Sprintf("(%s ? %s : %s)", h.number(depth-1), h.number(depth-1), h.number(depth-1))
}

func (h *heap) statement(nested int) string {
	kind := h.kind
	if kind == "" {
		kind = h.pick(heaped...)
	}
	if nested >= 2 && (kind == "if" || kind == "loop") {
		kind = h.pick("string", "number", "aggregation")
	}
	switch kind {
	case "string":
		return h.pick("gs", "self->ss", "this->ts") + " = " + h.text(2) + ";"
	case "number":
		return h.pick("gl = ", "self->si = ", "this->tl += ", "gi -= ") + h.number(2) + ";"
	case "aggregation":
		return h.pick("@a["+h.text(1)+"] = count();", fmt.Sprintf("@b[%s, %s] = sum(%s);", h.number(1), h.text(1), h.number(1)),
			"@q = quantize("+h.number(2)+");", fmt.Sprintf("@l[%s] = lquantize(%s, 0, 100, 10);", h.number(1), h.number(1)))
	case "if":
		return fmt.Sprintf("if (%s) { %s } else { %s }", h.number(2), h.statement(nested+1), h.statement(nested+1))
	case "loop":
		return fmt.Sprintf("while (%s; max 4) { %s %s }", h.number(1), h.statement(nested+1), h.statement(nested+1))
	case "comparison":
		return fmt.Sprintf("gl += (%s < %s);", h.text(1), h.text(1))
	case "leave":
		return fmt.Sprintf("if (%s) %s;", h.number(1), h.pick("break", "continue"))
	case "object":
		return h.pick("go = ao["+h.number(1)+"];", "ao["+h.number(1)+"] = go;", "go.in[gi & 1].x = "+h.number(1)+";",
			"this->to = self->so;", "self->so.s[gi & 3] = "+h.number(1)+";")
	case "array":
		return h.pick("at[gi] = "+h.text(1)+";", "ax[gi, gs] = "+h.number(1)+";", "an[gl] += "+h.number(1)+";", "self->sa["+h.number(1)+"]++;")
	}
	return h.pick("trace("+h.number(2)+");", "trace("+h.text(1)+");", fmt.Sprintf(`printf("%%d %%s", %s, %s);`, h.number(1), h.text(1)))
}

// script returns a clause with a loop of n statements.
func (h *heap) script(n int) string {
	var body []string
	for range n {
		body = append(body, h.statement(0))
	}
	return gen.Decls + `string choose(int64_t a, string b) { return a > 3 ? at[a] : b; }
int64_t lengths(int a, string b) { int64_t l; while (a-- > 0; max 5) l += strlen(b); return l; }
exec { for (int round = 0; round < 6; round++) { ` + strings.Join(body, "\n") + " } }\n"
}

// mostFollowed is how often the verifier may follow an instruction of a program with
// loops, on the average, however many conditions its loops have. In 250 programs it
// was 6.6 times at most.
const mostFollowed = 16

// most is how many statements a loop has at the most: with more, loops of loops and of
// branches are longer than a jump can cross.
const most = 18

// TestLoopCost loads programs with ever more conditions in loops: what the verifier
// follows must grow as they do, and not with the ways through them. STRESS gives the
// number of programs of each kind.
func TestLoopCost(t *testing.T) {
	codegen.NeedKernel(t)
	m := newMachine(t)
	if m.features.Verifier.Has(codegen.RoundByRound) {
		t.Skip("the verifier of this kernel follows loops round by round: they are weighed before it sees them")
	}
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv("STRESS")); err == nil {
		rounds = n
	}
	worst, loaded, tooLong := 0.0, 0, 0
	own := m.features.Verifier
	for _, kind := range append(heaped, "") {
		for n := range rounds {
			h := &heap{r: rand.New(rand.NewPCG(uint64(n), uint64(len(kind)))), kind: kind}
			text := h.script(2 + most*n/max(rounds-1, 1))
			p, list := m.check(text, nil)
			if list.Failed() {
				t.Fatalf("%s\n%s", list[0].Msg, text)
			}
			if m.features.Verifier = own; n%2 == 1 {
				m.features.Verifier |= codegen.IdleRegs // as older kernels want it, which must not harm here
			}
			for _, level := range levels {
				o, _, err := m.compile(p, level, gen.Options())
				if err != nil {
					tooLong++
					continue
				}
				followed, size, err := m.followed(o)
				if err != nil && strings.Contains(err.Error(), "16-bit range") {
					tooLong++ // once the kernel has put helpers in line
					continue
				}
				if err != nil {
					t.Errorf("%q, %d, -O%d: %v\n%s", kind, n, level, refusal(err, o), text)
					continue
				}
				loaded++
				worst = max(worst, float64(followed)/float64(size))
				if followed > mostFollowed*size {
					t.Errorf("%q, %d, -O%d: the verifier follows %d instructions of a program of %d\n%s", kind, n, level, followed, size, text)
				}
			}
		}
	}
	t.Logf("%d programs, %d more are too long; the verifier followed an instruction %.1f times at most", loaded, tooLong, worst)
	if tooLong > loaded/4 {
		t.Errorf("%d programs are too long, %d not: the test does too little", tooLong, loaded)
	}
}

// followed loads an object and returns how many instructions the verifier followed in
// its largest program, and how many that has.
func (m *machine) followed(o *codegen.Object) (followed, size int, err error) {
	shared := map[string]*ebpf.Map{}
	if o.Maps.Rings != "" {
		shared[o.Maps.Rings] = m.outer
	}
	c, err := ebpf.NewCollectionWithOptions(o.Spec, ebpf.CollectionOptions{MapReplacements: shared})
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	return effort(c, o)
}

// effort returns how many instructions the verifier followed in the largest program of
// an object, and how many that has.
func effort(c *ebpf.Collection, o *codegen.Object) (followed, size int, err error) {
	for name, prog := range c.Programs {
		if n := len(o.Spec.Programs[name].Instructions); n > size {
			info, err := prog.Info()
			if err != nil {
				return 0, 0, err
			}
			all, _ := info.VerifiedInstructions()
			followed, size = int(all), n
		}
	}
	return followed, size, nil
}
