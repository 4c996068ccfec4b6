package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// wanderer asks for its parent below two functions of its own.
const wanderer = `#include <sys/syscall.h>
#include <unistd.h>
static int __attribute__((noinline)) inner(void) { int n = syscall(SYS_getppid); __asm__ volatile("" ::: "memory"); return n; }
static int __attribute__((noinline)) outer(int n) { int m = inner(); __asm__ volatile("" ::: "memory"); return n + m; }
int main(void) { return outer(1) == 0; }
`

// TestRowsOfStrippedProgram runs a program without symbols many times, which is loaded to
// another place each time: the printed output has a row for each run, the workbench one.
func TestRowsOfStrippedProgram(t *testing.T) {
	mustTrace(t)
	needCompiler(t, "for the program")
	const runs = 40
	dir := t.TempDir()
	bin := filepath.Join(dir, "wanderer")
	if err := os.WriteFile(bin+".c", []byte(wanderer), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-s", "-O1", "-pie", "-fPIE", "-fno-omit-frame-pointer", "-o", bin, bin+".c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := "syscall::getppid:entry\n/execname == \"wanderer\"/\n{\n\t@[ustack()] = count();\n\t@n = count();\n}\n"
	once := func() {
		if err := exec.Command(bin).Run(); err != nil {
			t.Fatal(err)
		}
	}
	load := func() {
		for range runs {
			once()
		}
	}
	t.Run("trace", func(t *testing.T) {
		tty := openSize(t, 120, 40, nil, "dscope", "trace", "-s", script(t, text+"syscall::getppid:entry\n/execname == \"wanderer\" && !seen++/\n{\n\tprintf(\"it fires\");\n}\n"))
		waitFor(t, "the probe", func() bool { // it says that it matches before it hooks
			once()
			return strings.Contains(tty.output(), "it fires")
		})
		load()
		tty.keys("\x03")
		tty.end()
		tty.settle()
		all := regexp.MustCompile("wanderer`0x[0-9a-f]+").FindAllString(tty.output(), -1)
		places := map[string]bool{}
		for _, s := range all {
			places[s] = true
		}
		if len(places) < runs {
			t.Errorf("%d places are printed, want one for each of %d runs:\n%s", len(places), runs, tty.output())
		}
	})
	t.Run("workbench", func(t *testing.T) {
		tty := openSize(t, 120, 40, nil, "dscope", script(t, text))
		tty.shows("getppid")
		tty.keys("\x12")
		waitFor(t, "the probe", func() bool {
			once()
			return strings.Contains(tty.picture(), "wanderer:0x")
		})
		load()
		// The first stacks may lack callers: how a new program is unwound is read once it runs.
		tty.until("a row or two of all runs", func(p string) bool {
			m := regexp.MustCompile(`([1-4]) keys? from (\d+) rows`).FindStringSubmatch(p)
			if m == nil {
				return false
			}
			rows, err := strconv.Atoi(m[2])
			return err == nil && rows >= runs && regexp.MustCompile("syscall < wanderer:0x[0-9a-f]+ < wanderer:0x").MatchString(p)
		})
		tty.keys("\x03y")
		tty.end()
	})
}
