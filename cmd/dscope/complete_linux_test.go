package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shells says how each shell is started without what its user has set, and what has it
// complete dscope.
var shells = []struct {
	name string
	args []string
	set  string
}{
	{"bash", []string{"--norc", "--noprofile", "-i"}, "PS1='> '; bind 'set bell-style none'; source <(dscope completion bash)"},
	{"zsh", []string{"-f", "-i"}, "PROMPT='> '; unsetopt beep; autoload -Uz compinit; compinit -u -D; source <(dscope completion zsh)"},
	{"fish", []string{"--no-config", "-i"}, "function fish_prompt; echo '> '; end; dscope completion fish | source"},
}

// TestShellsComplete types at real shells, with tabs.
func TestShellsComplete(t *testing.T) {
	for _, sh := range shells {
		t.Run(sh.name, func(t *testing.T) {
			mustHave(t, sh.name)
			dir := t.TempDir()
			for _, name := range []string{"work.d", "workings.txt", "kept.dscope"} {
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			tty := openSize(t, 100, 30, []string{"HOME=" + dir}, sh.name, sh.args...)
			tty.keys("cd " + dir + "; " + sh.set + "; echo re''ady\r")
			tty.shows("ready")
			for _, tt := range []struct{ typed, shows string }{
				{"dscope tra\t", "dscope trace @"},
				{"true; X=1 dscope tra\t", "X=1 dscope trace @"},
				{"dscope che\t-js\t", "dscope check -json @"},
				{"dscope trace --he\t", "dscope trace --help "},
				{"dscope trace -x bufp\tri\t", "-x bufpolicy=ring @"},
				{"dscope trace -xtempo\t", "dscope trace -xtemporal "},
				{"dscope trace -x oformat=nd\t", "-x oformat=ndjson "},
				{"dscope help prov\t", "dscope help providers "},
				{"dscope completion fi\t", "dscope completion fish "},
				{"dscope ask run-\t", "dscope ask run-queue "},
				{"dscope trace -s wor\t", "-s work.d "},
				{"dscope trace -s 'wor\t", "-s 'work.d'"},
				{"dscope replay kep\t", "dscope replay kept.dscope "},
				{"dscope wor\t", "dscope work.d @"},
				{"dscope lockstat -A dscop\t", "dscope lockstat -A dscope"},
				{"dscope trace -n 'sysca\topenat2:r\t", "-n 'syscall::openat2:return'"},
				{"dscope trace -P syscal\t", "-P syscall "},
				{"dscope trace -n BEG\t", "-n BEGIN "},
				{"dscope trace -n syscall::openat2\te\t", "-n syscall::openat2:entry @"},
				{"dscope trace -n 'syscall::openat2\te\t", "-n 'syscall::openat2:entry'"},
				{"dscope trace -qn 'syscall::openat2:return { @[execn\t", "{ @[execname"},
				{"dscope trace -n BEGIN,tick-1\t", "-n BEGIN,tick-1"},
				{"dscope probes syscall::openat2:r\t", "syscall::openat2:return "},
			} {
				tty.keys(tt.typed + "@") // so that a blank before it is seen
				tty.until(tt.typed+" as "+tt.shows, func(p string) bool { return strings.Contains(p, tt.shows) })
				tty.keys("\x15\x0c") // kill the line, clear the screen
				tty.until("an empty line", func(p string) bool { return !strings.Contains(p, "dscope") })
			}
			tty.keys("dscope ask read-late\t\t\t")
			tty.shows("read-latency-files")
			tty.keys("\x15exit\r")
			tty.end()
		})
	}
}
