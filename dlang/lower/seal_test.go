package lower_test

import (
	"strings"
	"testing"

	"dscope.dev/dlang/check"
	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/dlang/lower"
	"dscope.dev/dlang/lower/gen"
	"dscope.dev/dlang/types"
)

// lowerSealed lowers a script that passes the checker for somebody.
func lowerSealed(t *testing.T, text string, seal *lower.Seal) (*lower.Result, diag.List) {
	t.Helper()
	p := checked(t, text, check.Options{Destructive: true})
	return lowerFor(p, seal)
}

func lowerFor(p *check.Program, seal *lower.Seal) (*lower.Result, diag.List) {
	env := gen.NewEnv()
	task, cred := env.Target().Task, types.NewStruct(false, "cred", nil)
	var fields []types.Field
	for i, name := range []string{"uid", "gid", "suid", "sgid", "euid", "egid"} {
		fields = append(fields, types.Field{Name: name, Type: types.UInt, Off: 32 * i})
	}
	cred.SetFields(append(fields, types.Field{Name: "cap_permitted", Type: types.UInt64, Off: 256}), 40, 8)
	task.SetFields(append(task.Fields(), types.Field{Name: "real_cred", Type: &types.Pointer{Elem: cred}, Off: 120 * 8}), 128, 8)
	mm := types.NewStruct(false, "mm_struct", nil)
	mm.SetFields([]types.Field{{Name: "flags", Type: types.ULong, Off: 64}, {Name: "arg_start", Type: types.ULong, Off: 128}, {Name: "arg_end", Type: types.ULong, Off: 192}}, 32, 8)
	target := env.Target()
	target.Task, target.Seal = task, seal
	target.Struct = func(tag string) *types.Struct {
		return map[string]*types.Struct{"cred": cred, "mm_struct": mm, "task_struct": task}[tag]
	}
	units := gen.Units(p)
	for i := range units {
		if units[i].Name == "exec" { // stands for tick
			units[i].Timer, units[i].Clock = true, true
		}
	}
	return lower.Lower(p, units, target, gen.Options())
}

// printSealed prints what is complained of for somebody who may see his own processes.
func printSealed(in []byte) []byte {
	p, list := checkScript(string(in))
	if !list.Failed() {
		_, list = lowerFor(p, &lower.Seal{OwnOnly: true, User: 1000, Group: 1000})
	}
	return complaints(p.File, list)
}

// TestSeal tries what somebody must not see who may see his own processes, or those of all:
// each is refused where it is lowered, or its address is put in the place of no memory.
func TestSeal(t *testing.T) {
	own, all := &lower.Seal{OwnOnly: true, User: 1000, Group: 1000}, &lower.Seal{}
	for _, tt := range []struct {
		script string
		seal   *lower.Seal
		want   string // of the complaint; "" if there is none
	}{
		{"read:entry { trace(pid); trace(execname); trace(arg0); ustack(); trace(copyinstr(arg0)); }", own, ""},
		{"read:entry { trace(ppid); trace(execargs); trace(uid); trace(uregs[0]); }", own, ""},
		{"read:entry { trace(curthread); }", own, "curthread"},
		{"read:entry { trace(curthread->pid); }", own, "curthread"},
		{"read:entry { trace(curthread->comm); }", all, "curthread"},
		{"read:entry { trace(curthread->inner.a); }", all, "curthread"},
		{"read:entry { print(*curthread); }", all, "curthread"},
		{"read:entry { this->t = curthread; trace(this->t->pid); }", all, "curthread"},
		{"read:entry { trace((int64_t)&curthread->pid); }", all, "curthread"},
		{"read:entry { trace(stringof(curthread->comm)); }", all, "curthread"},
		{"read:entry { stack(); }", all, "the stack of the kernel"},
		{"read:entry { @[stack(3)] = count(); }", own, "the stack of the kernel"},
		{"read:entry { trace(caller); }", all, "caller"},
		{"read:entry { trace(stackdepth); }", all, "stackdepth"},
		{"BEGIN { ustack(); }", own, "the stack of a process"},
		{"BEGIN { trace(copyinstr(4096)); }", own, "memory of a process"},
		{"BEGIN { copyinto(4096, 8, alloca(8)); }", own, "memory of a process"},
		{"BEGIN { trace(ucaller); }", own, "ucaller"},
		{"END { raise(9); }", own, "what is done to a process"},
		{"END { copyoutstr(\"x\", 4096, 2); }", own, "what is done to a process"},
		{"BEGIN { trace(pid); trace(ucaller); ustack(); }", all, ""},
		{"exec { trace(timestamp); trace(cpu); @ = count(); }", own, ""},
		{"exec { trace(pid); }", own, "the process"},
		{"exec { trace(execname); }", own, "the process"},
		{"exec /execname == \"sh\"/ { @ = count(); }", own, "the process"},
		{"exec { trace(execargs); }", own, "execargs"},
		{"exec { trace(ppid); }", own, "the process"},
		{"exec { trace(uid); }", own, "uid"},
		{"exec { trace(errno); }", own, "errno"},
		{"exec { trace(vtimestamp); }", own, "vtimestamp"},
		{"exec { trace(arg1); }", own, "what the clock interrupted"},
		{"exec { trace(arg0); }", all, "what the clock interrupted"},
		{"exec { ustack(); }", own, "the process"},
		{"exec { self->x = 1; }", own, ""},
		{"exec { raise(9); }", own, "what is done to a process"},
		{"exec { trace(pid); ustack(); trace(arg1); }", all, ""},
		{"read:entry { chill(1); }", all, "chill()"},
	} {
		_, list := lowerSealed(t, tt.script, tt.seal)
		got := ""
		for _, d := range list {
			if d.Code != diag.Denied {
				t.Errorf("%s: %s [%s]", tt.script, d.Msg, d.Code)
			}
			got += d.Msg + "\n"
		}
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s with %+v: got %q, want %q", tt.script, *tt.seal, got, tt.want)
		}
		if _, list := lowerSealed(t, tt.script, nil); list.Failed() {
			t.Errorf("%s without a seal: %s", tt.script, list[0].Msg)
		}
	}
}

// ours are the names for which we read memory of the kernel ourselves.
var ours = []string{"ppid", "execargs", "progenyof", "cwd", "root"}

// TestSealedReads holds of random scripts that nothing of them which passes the seal reads
// memory of the kernel, but what is the program's own.
func TestSealedReads(t *testing.T) {
	passed := 0
	n := *programs / 4
	for i := range uint64(n) {
		m := gen.NewMaker(*seed + i)
		text := strings.NewReplacer("curthread->pid", "arg1", "ppid", "tid").Replace(m.Script())
		p, list := checkScript(text)
		if list.Failed() {
			continue
		}
		res, list := lowerFor(p, &lower.Seal{})
		if list.Failed() {
			continue
		}
		for _, name := range ours {
			if strings.Contains(text, name) {
				res.IR.Funcs = nil
			}
		}
		if len(res.IR.Funcs) > 0 {
			passed++
		}
		for _, f := range res.IR.Funcs {
			if msg := readsOut(f); msg != "" {
				t.Fatalf("seed %d: %s\n%s\n%s", *seed+i, msg, text, f)
			}
		}
	}
	if passed < n/10 {
		t.Errorf("of %d scripts %d pass the seal: too few to tell", n, passed)
	}
	t.Logf("%d scripts pass, of %d", passed, n)
}

// readsOut says what of the kernel a function reads that is not the program's own.
func readsOut(f *ir.Func) string {
	for _, b := range f.Blocks {
		for _, v := range b.Vals {
			switch v.Op {
			case ir.OpReadK, ir.OpReadKN, ir.OpReadStrK:
				from := v.Args[1]
				if from.Type() != ir.Ptr && (from.Op != ir.OpConst || from.Imm != 0) {
					return "it reads memory of the kernel"
				}
			case ir.OpTask:
			case ir.OpStack, ir.OpStackID:
				if v.Imm == 0 {
					return "it takes the stack of the kernel"
				}
			case ir.OpTaskLoad:
			default:
				for _, a := range v.Args {
					if a.Op == ir.OpTask {
						return "it has the address of a task"
					}
				}
			}
		}
	}
	return ""
}

// TestSealedSpare holds that behind each variable whose address a script takes there is as
// much memory of its own as a string may have, which could lack an end.
func TestSealedSpare(t *testing.T) {
	const script = `char global[8]; self char mine[8];
read:entry { self->mine[7] = 'x'; global[7] = 'x'; this->p = &global[7]; this->q = &self->mine[7];
	trace(stringof(this->p)); trace(stringof(this->q)); }`
	res, list := lowerSealed(t, script, &lower.Seal{})
	if list.Failed() {
		t.Fatal(list[0].Msg)
	}
	seen := 0
	for _, v := range res.IR.Vars {
		if v.Name == "global" || v.Name == "self->mine" {
			seen++
			if want := 8 + gen.Options().StrSize; v.Size < want {
				t.Errorf("%s has %d bytes, want %d", v.Name, v.Size, want)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d of 2 variables are kept", seen)
	}
}
