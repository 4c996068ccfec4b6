package diag

import (
	"fmt"
	"path"
	"runtime"
	"strings"

	"dscope.dev/dlang/token"
)

// Mishap makes a complaint of a panic that a phase of the compiler has recovered
// from, at the place of the script that it was at. Each phase does so itself:
// whatever a script brings about, it ends the compilation and nothing else.
func Mishap(phase string, at token.Span, why any) *Diagnostic {
	return &Diagnostic{At: at, Code: Internal,
		Msg:  fmt.Sprintf("internal error: %s could not go on here: %v%s", phase, why, where()),
		Hint: "this is a mistake of dscope, not of the script: please report it with the script; to write this differently may help meanwhile"}
}

// where names the place of the compiler that panicked.
func where() string {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for panicked := false; ; {
		f, more := frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
			panicked = true
		case panicked:
			return fmt.Sprintf(" (%s, %s:%d)", path.Base(f.Function), path.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}
