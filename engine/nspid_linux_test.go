package engine

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestTranslate finds a process that has a number in each of several namespaces.
func TestTranslate(t *testing.T) {
	row := func(tgid uint64, numbers ...[2]uint64) pidRow {
		r := pidRow{TGID: tgid, Level: uint64(len(numbers) - 1)}
		for i, n := range numbers {
			r.Numbers[i].Nr, r.Numbers[i].Namespace = uint32(n[0]), n[1]
		}
		return r
	}
	rows := []pidRow{
		row(900, [2]uint64{900, 1}, [2]uint64{1, 2}),
		row(901, [2]uint64{901, 1}, [2]uint64{7, 2}),
		row(902, [2]uint64{902, 1}, [2]uint64{8, 2}, [2]uint64{7, 3}),
		row(7, [2]uint64{7, 1}),
	}
	for _, tt := range []struct{ self, pid, want int }{
		{900, 7, 901}, {900, 8, 902}, {902, 7, 902}, {7, 7, 7}, {900, 9, 0}, {42, 7, 0},
	} {
		if got, ok := translate(rows, tt.self, tt.pid); got != tt.want || ok != (tt.want != 0) {
			t.Errorf("%d of process %d is %d in the kernel, want %d", tt.pid, tt.self, got, tt.want)
		}
	}
}

// TestPidRows reads the numbers of all processes, our own among them.
func TestPidRows(t *testing.T) {
	e := tracing(t)
	rows, err := e.pidRows()
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := translate(rows, e.self(), os.Getpid()); !ok || got != e.self() {
		t.Errorf("our own number is %d in the kernel, want %d", got, e.self())
	}
}

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
