package ssh

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScript has shells read what the other machine is asked to do, as a login there would.
func TestScript(t *testing.T) {
	for _, shell := range []string{"sh", "dash", "bash", "zsh", "fish", "ksh", "busybox"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue // one of them is everywhere
		}
		t.Run(shell, func(t *testing.T) {
			args := []string{"-c", script("0123", []string{"serve"})}
			if shell == "busybox" {
				args = append([]string{"sh"}, args...)
			}
			cmd := exec.Command(path, args...)
			cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir()}
			cmd.Stdin = strings.NewReader("send 3\nxyz") // which is no program
			out, err := cmd.Output()
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if err == nil || len(lines) != 2 || len(strings.Fields(lines[0])) != 7 || lines[1] != boots+"failed" {
				t.Errorf("%v: %q", err, out)
			}
			left, _ := filepath.Glob(strings.TrimPrefix(cmd.Env[1], "HOME=") + "/.cache/dscope/*/*")
			if len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// TestNoMachine refuses what ssh would take for a flag.
func TestNoMachine(t *testing.T) {
	for _, host := range []string{"", "-oProxyCommand=true"} {
		if _, err := Dial(t.Context(), host, Options{}); err == nil || !strings.Contains(err.Error(), "is no machine") {
			t.Errorf("%q: %v", host, err)
		}
	}
}
