package engine

import (
	"os/exec"
	"strings"
	"testing"
)

// TestTargetInContainer runs the compiled command in a pid namespace of its own:
// there too $target is the number that pid gives.
func TestTargetInContainer(t *testing.T) {
	tracing(t)
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		t.Skip("unshare(1) is needed to make a pid namespace")
	}
	if testing.Short() {
		t.Skip("builds the command")
	}
	bin := t.TempDir() + "/dscope"
	if out, err := exec.Command("go", "build", "-o", bin, "dscope.dev/cmd/dscope").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := `syscall::nanosleep:entry, syscall::clock_nanosleep:entry /pid == $target/ { printf("found\n"); exit(0); } tick-5s { exit(1); }`
	out, err := exec.Command(unshare, "-pf", "--mount-proc", bin, "trace", "-q", "-c", "sleep 3", "-n", script).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "found") {
		t.Errorf("%v\n%s", err, out)
	}
}
