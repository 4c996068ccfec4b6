package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"dscope.dev/engine"
)

// TestMain lets the test binary stand in for the commands that scripts call.
func TestMain(m *testing.M) {
	commands := helpers()
	commands["dscope"] = func() { os.Exit(run(append([]string{"dscope"}, os.Args[1:]...))) }
	commands["dtrace"] = func() { os.Exit(run(append([]string{"dtrace"}, os.Args[1:]...))) }
	testscript.Main(m, commands)
}

// TestScripts runs the scripts of testdata/trace, which use dscope as a person
// would. A script that traces begins with [!trace] skip.
func TestScripts(t *testing.T) {
	can := canTrace(t)
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("..", "..", "testdata", "trace"),
		UpdateScripts: os.Getenv("UPDATE") != "",
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "trace":
				return can, nil
			case "gcc":
				_, err := exec.LookPath("gcc")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}

// canTrace reports whether this machine and these privileges can trace. In CI
// they must.
func canTrace(t testing.TB) bool {
	e, err := engine.New()
	if err == nil {
		defer e.Close()
		err = e.Available()
	}
	if err == nil {
		return true
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("CI must be able to trace: %v", err)
	}
	t.Logf("scripts that trace are skipped: %v", err)
	return false
}
