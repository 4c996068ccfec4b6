package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"dscope.dev/engine"
	"dscope.dev/engine/container"
	"dscope.dev/probes"
	"dscope.dev/probes/resolver"
)

// TestMain lets the test binary stand in for the commands that scripts call.
func TestMain(m *testing.M) {
	if resolver.Asked() {
		resolver.Serve()
	}
	commands := helpers()
	commands["dscope"] = func() { begin(); os.Exit(run(append([]string{"dscope"}, os.Args[1:]...))) }
	commands["dtrace"] = func() { begin(); os.Exit(run(append([]string{"dtrace"}, os.Args[1:]...))) }
	testscript.Main(m, commands)
}

// TestScripts runs the scripts of testdata/trace, which use dscope as a person
// would. A script that traces begins with [!trace] skip.
func TestScripts(t *testing.T) {
	openToAll(t)
	testscript.Run(t, scriptParams(t, filepath.Join("..", "..", "testdata", "trace")))
}

// scriptParams says how the scripts of a folder run: what they may ask for and
// the commands that they have in addition.
func scriptParams(t *testing.T, dir string) testscript.Params {
	can := canTrace(t)
	scripts, err := filepath.Abs(filepath.Join("..", "..", "testdata", "scripts"))
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Dir:           dir,
		UpdateScripts: os.Getenv("UPDATE") != "",
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "trace":
				return can, nil
			case "gcc":
				_, err := exec.LookPath("gcc")
				return err == nil, nil
			case "disk":
				return onDisk(t.TempDir()), nil
			case "cgroup2": // that groups can be made in
				dir, err := container.Here().Dir(&container.Container{ID: "all", Group: "/"})
				if err == nil {
					var own string
					if own, err = os.MkdirTemp(dir, "dscope-test-"); err == nil {
						err = os.Remove(own)
					}
				}
				return err == nil, nil
			case "timens":
				_, err := os.Stat("/proc/self/ns/time")
				return err == nil, nil
			}
			if pattern, ok := strings.CutPrefix(cond, "probe:"); ok {
				return hasProbe(pattern)
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "await": await},
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			env.Setenv("SCRIPTS", scripts)
			env.Setenv("RUNS", filepath.Join(filepath.Dir(scripts), "runs"))
			env.Setenv("REAL_HOME", os.Getenv("HOME")) // for compilers that live there
			return nil
		},
	}
}

// hasProbe reports whether this kernel has a probe that the pattern matches, and can
// give it.
func hasProbe(pattern string) (bool, error) {
	e, err := engine.Open()
	if err != nil {
		return false, err
	}
	defer e.Close()
	if _, err := probes.ParsePattern(pattern); err != nil {
		return false, err
	}
	list, _, err := e.Probes(context.Background(), pattern)
	if err != nil {
		return false, nil // nothing matches, or the provider is not available
	}
	for _, p := range list {
		if info, err := e.Describe(context.Background(), p); err == nil && info.Unavailable == "" {
			return true, nil
		}
	}
	return false, nil
}

// openToAll lets every user find the commands of this test.
func openToAll(t testing.TB) {
	t.Helper()
	path, err := exec.LookPath("dscope")
	if err == nil {
		err = os.Chmod(filepath.Dir(filepath.Dir(path)), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// status N command … runs a command, which must end with exit code N.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status code command args...")
	}
	code := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// await file pattern waits until a file holds what matches the pattern: the
// output of a command that runs meanwhile.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await file pattern")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && re.Match(b) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s never held %s:\n%s", args[0], args[1], b)
		}
	}
}

// canTrace reports whether this machine and these privileges can trace. In CI
// they must.
func canTrace(t testing.TB) bool {
	e, err := engine.Open()
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
