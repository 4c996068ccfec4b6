package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/ir"
	"dscope.dev/engine/internal/options"
)

// A panic of the compiler is a complaint at the place of the script that it was at.
func TestMishap(t *testing.T) {
	e := openEngine(t)
	s := Script{Name: "script", Text: "BEGIN\n{\n\tx = pid;\n\ttrace(x);\n}\n", Options: options.Default()}
	broken := func(string, *ir.Func) {
		var none []int
		_ = none[len(s.Text)]
	}
	s.watch = broken
	_, err := e.Compile(context.Background(), s)
	list, ok := IsScriptError(err)
	if !ok || len(list.List) != 1 {
		t.Fatalf("got %v", err)
	}
	d := list.List[0]
	_, line, _ := list.File.Place(d.At.From)
	if d.Code != diag.Internal || line < 1 || line > 4 || !strings.Contains(d.Msg, "mishap_linux_test.go:") || !strings.Contains(d.Hint, "report it") {
		t.Errorf("line %d: %s %s (%s)", line, d.Code, d.Msg, d.Hint)
	}

	// Code that no pass makes, and no instruction exists for.
	s.watch = func(pass string, f *ir.Func) {
		if pass == "layout" {
			for _, v := range f.Entry().Vals {
				v.Op = 250
			}
		}
	}
	_, err = e.Compile(context.Background(), s)
	if err == nil {
		t.Error("an op that does not exist was compiled")
	}
}

// Who gives up a compilation does not wait for its end.
func TestCompileEnds(t *testing.T) {
	e := openEngine(t)
	ctx, cancel := context.WithCancel(context.Background())
	s := Script{Name: "script", Text: "BEGIN { trace(1); }", Options: options.Default()}
	s.watch = func(string, *ir.Func) { cancel() }
	if _, err := e.Compile(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Compile(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
