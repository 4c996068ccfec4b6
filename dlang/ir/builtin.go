package ir

// A Builtin is a fact of the firing that OpBuiltin names by a Sym.
type Builtin struct {
	Name  Sym
	Bytes int    // width of the meaningful part; the word is extended from it
	Sign  bool   // whether it is sign-extended
	Doc   string // what the word is
}

// Builtins lists what OpBuiltin can name. The code generator implements exactly
// this list; facts that lie in the task_struct (pid, tid, execname) are not
// in it, because OpTaskLoad reads them.
func Builtins() []Builtin {
	return []Builtin{
		{"timestamp", 8, false, "nanoseconds of the monotonic clock, read once a firing"},
		{"vtimestamp", 8, false, "nanoseconds that the thread has run on a CPU"},
		{"walltimestamp", 8, true, "nanoseconds since 1970 began, UTC, read anew for each Imm"},
		{"cpu", 4, true, "number of the CPU"},
		{"uid", 4, false, "real user id of the process"},
		{"gid", 4, false, "real group id of the process"},
		{"errno", 4, true, "error of the system call that returns, else 0"},
		{"id", 4, false, "number of the probe that fired; in units of one site a constant is used instead"},
		{"caller", 8, false, "kernel address that the probe's function returns to, 0 if none"},
		{"ucaller", 8, false, "the same of the process"},
		{"stackdepth", 4, false, "frames of the kernel stack"},
		{"ustackdepth", 4, false, "frames of the process's stack"},
		{"ureg", 8, false, "register Imm of the process, as struct pt_regs counts them; only if the thread has one"},
		{"reg", 8, false, "register Imm of what a timer interrupted or of the probed instruction, 0 at other hooks"},
		{"rand", 8, false, "a random number; Imm tells calls apart: equal Imm, equal number"},
		{"stopped", 4, false, "not 0 if exit() was called; Imm tells the places apart that ask"},
	}
}
