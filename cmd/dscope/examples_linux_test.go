package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dscope.dev/engine/fleet/nats/natstest"
)

// fixtures are the files that examples speak of.
var fixtures = map[string]string{
	"script.d":  "tick-100ms\n{\n\t@ticks[execname] = count();\n}\n\ntick-1s\n{\n\texit(0);\n}\n",
	"latency.d": "tick-100ms\n{\n\t@ticks[execname] = quantize(cpu);\n}\n",
	"greet.d":   "BEGIN\n{\n\tprintf(\"%s %s\\n\", $$1, $$2);\n\texit(0);\n}\n",
	"shop.d":    "provider shop { probe sale(int); };\n",
	"program.c": `
#include "shop.h"
#include <pthread.h>
#include <unistd.h>
int main(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	for (;;) {
		pthread_mutex_lock(&lock);
		SHOP_SALE(5);
		pthread_mutex_unlock(&lock);
		usleep(1000);
	}
}
`,
}

// mayEndWith are the exit codes of examples that need not end with 0, with the reason.
var mayEndWith = map[string]int{
	"dscope doctor":         exitError, // something is missing here
	"dscope doctor -v":      exitError,
	"sudo ./dscope doctor":  exitError,
	"dscope -H web1 doctor": exitError,
}

// TestExamples runs each command of the README, of the topics and of what is told of commands, as
// somebody would who copies it.
func TestExamples(t *testing.T) {
	dir := exampleFolder(t)
	can := canTrace(t)
	pid := ""
	if can {
		pid = fixtureProcess(t, dir)
	}
	url, _ := natstest.Keeping(t)
	t.Setenv("DSCOPE_NATS", url) // for recordings; a fleet has a server of its own
	there := sync.OnceValue(func() *sshd { return newSSHD(t) })
	pages := documents(t)
	seen := map[string]bool{}
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		for _, e := range examples(page, pages[page]) {
			for _, line := range e.commands() {
				if seen[line] || strings.HasPrefix(line, "go test") { // TestTestCommand has that
					continue
				}
				seen[line] = true
				t.Run(page, func(t *testing.T) {
					if !can && mustBeAllowed.MatchString(line) {
						t.Skip("cannot trace here")
					}
					exampleRuns(t, dir, line, pid, there)
				})
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("%d examples in all pages: are they still found?", len(seen))
	}
}

// mustBeAllowed finds commands that need privileges or a process that has been prepared.
var mustBeAllowed = regexp.MustCompile(`1234|\./program|dscope (trace|record|lockstat|plockstat|doctor|ask -[tpc]|-H)|dscope replay|dscope --metrics|--fleet|pgrep`)

// exampleFolder makes a folder with what the examples speak of.
func exampleFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range fixtures {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := os.ReadFile(filepath.Join("..", "..", "testdata", "runs", "kinds.dscope"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "yesterday.dscope"), recorded, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bin", "share", "syntaxes"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fixtureProcess builds the program of the examples, which carries a probe, runs it, and returns
// its number. A Python runs, too, if there is one.
func fixtureProcess(t *testing.T, dir string) string {
	t.Helper()
	needCompiler(t, "for the program of the examples")
	build := exec.Command("bash", "-c", "dscope trace -h -s shop.d && gcc -O1 -pthread -o program program.c")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command("./program")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if python, err := exec.LookPath("python3"); err == nil {
		busy := exec.Command(python, "-c", "import time\nwhile True: sum(range(10000)); time.sleep(0.002)")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { busy.Process.Kill(); busy.Wait() })
	}
	return strconv.Itoa(cmd.Process.Pid)
}

// onScreen finds commands that open the workbench.
var onScreen = regexp.MustCompile(`^dscope( ((-H|--fleet) \S+ )?[a-z]+\.d| -p \d+| replay .*| --metrics .*)?$`)

// exampleRuns runs one command, on the other machine if it asks for that. Sudo is left out, and
// what is written for all users goes to a folder of the test.
func exampleRuns(t *testing.T, dir, line, pid string, other func() *sshd) {
	t.Log(line)
	want := mayEndWith[line]
	hooked := holds
	if strings.Contains(line, " -H ") { // the other machine is this one
		there := other()
		t.Setenv("PATH", filepath.Join(there.dir, "bin")+":"+os.Getenv("PATH"))
		hooked = func(int) bool { return len(there.held().links) > 0 }
	}
	if strings.Contains(line, " --fleet ") { // of two hosts, which are this one
		f := newFleet(t)
		t.Setenv("DSCOPE_NATS", f.url)
		f.agent(t, "web-1", "--label", "role=web")
		f.agent(t, "db-1", "--label", "role=db")
		hooked = func(int) bool { return false } // it says itself when it runs
	}
	line = strings.ReplaceAll(strings.ReplaceAll(line, "sudo ", ""), "1234", pid)
	line = strings.ReplaceAll(line, "/usr/local", dir)
	switch {
	case strings.Contains(line, "--container "): // there is none of these names here
		tty := open(t, []string{"HOME=" + dir}, "bash", "-c", "cd "+dir+"; "+line)
		tty.shows("there is no container or pod ")
		tty.keys("\x03\x03")
		tty.end()
		return
	case strings.Contains(line, "pgrep") && !has("python3", "pgrep"):
		t.Skip("no python3, or no pgrep to find it")
	case strings.Contains(line, "| man") && !has("man"):
		t.Skip("no man")
	case strings.HasPrefix(line, "CGO_"): // where the source is
		root, err := filepath.Abs(filepath.Join("..", ".."))
		if err != nil {
			t.Fatal(err)
		}
		line = strings.Replace("cd "+root+" && "+line, "go build", "go build -o "+dir+"/dscope", 1)
	case onScreen.MatchString(line):
		words := strings.Fields(line)
		tty := open(t, []string{"HOME=" + dir}, "bash", "-c", "cd "+dir+" && exec "+strings.Join(words, " "))
		tty.shows("1 Probes")
		tty.keys("\x03y")
		tty.end()
		return
	}
	for range 3 {
		said, told, err := obeyed(t, dir, line, hooked)
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled():
			continue // the interrupt came before dscope was ready for one
		case errors.As(err, &exit) && exit.ExitCode() == want && want != 0:
			return
		case err != nil:
			t.Fatalf("%s\n%v\n%s%s", line, err, said, told)
		case said == "" && !silent.MatchString(line):
			t.Fatalf("%s\nprints nothing; on stderr:\n%s", line, told)
		}
		return
	}
	t.Fatalf("%s\nwas ended by an interrupt each time", line)
}

// silent finds commands that print nothing if all is well: where nobody waits for a lock
// nothing is told of locks.
var silent = regexp.MustCompile(`dscope lockstat -A|go build|install|check |relay |fmt -|-h -s|record|export .* -o|> |source|man -d|trace -(S -e|x dropstatus)`)

func has(names ...string) bool {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return false
		}
	}
	return true
}

// begins finds what a command says when it has begun and goes on until it is interrupted.
var begins = regexp.MustCompile(`Ctrl-C| speaks for `)

// obeyed runs a command in a shell and interrupts it, if it does not end by itself, once it traces.
func obeyed(t *testing.T, dir, line string, hooked func(pid int) bool) (said, told string, err error) {
	t.Helper()
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "NO_COLOR=1")
	if strings.Contains(line, "go build") {
		cmd.Env = append(cmd.Env, goFolders(t)...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out, errs lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = patience
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	endless := strings.HasPrefix(line, "dscope trace") && !strings.Contains(line, "exit(0)") && !strings.Contains(line, "-c ") ||
		strings.HasPrefix(line, "dscope ask -p") || strings.HasPrefix(line, "dscope relay")
	late := time.After(4 * patience)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return out.String(), errs.String(), err
		case <-late:
			t.Fatalf("%s\ndoes not end:\n%s%s", line, out.String(), errs.String())
		case <-look.C:
			if begun := out.Len() > 0 || begins.MatchString(errs.String()) || hooked(cmd.Process.Pid); endless && begun {
				endless = false
				// What it traces is to happen: this very process reads all the time.
				time.Sleep(300 * time.Millisecond)
				syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
			}
		}
	}
}

// holds reports whether a process has programs hooked in the kernel.
func holds(pid int) bool {
	o, err := objectsOf(strconv.Itoa(pid))
	return err == nil && len(o.progs) > 0 && len(o.links) > 0
}

// goFolders are the settings by which the go command finds what it has built and fetched, in a
// home that is none.
func goFolders(t *testing.T) (set []string) {
	t.Helper()
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Skipf("no go command here: %v", err)
		}
		set = append(set, name+"="+strings.TrimSpace(string(out)))
	}
	return set
}

// A lockedBuffer is written by one and read by another.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *lockedBuffer) Len() int { return len(l.String()) }
