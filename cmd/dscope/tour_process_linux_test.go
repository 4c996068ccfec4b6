package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"dscope.dev/probes/binary/binarytest"
)

// shopProgram sells without end, with a function that is called again and again, a
// lock, and a probe of its own.
const shopProgram = `
#include <pthread.h>
#include <unistd.h>

struct item { int price; char name[8]; };

static pthread_mutex_t till = PTHREAD_MUTEX_INITIALIZER;

#define MARK(a) __asm__ volatile("990: nop\n" \
	".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n" \
	".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
	"993: .8byte 990b\n.8byte 0\n.8byte 0\n" \
	".asciz \"shop\"\n.asciz \"sold\"\n.asciz \"-4@%0\"\n" \
	"994: .balign 4\n.popsection\n" :: "nor"(a))

__attribute__((noinline, noclone)) static int
sell(struct item *tea, int count)
{
	pthread_mutex_lock(&till);
	MARK(count);
	tea->price += count;
	pthread_mutex_unlock(&till);
	return tea->price;
}

int
main(void)
{
	struct item tea = {3, "tea"};

	for (int n = 0;; n++) {
		sell(&tea, 5 + n % 2);
		usleep(1000);
	}
}
`

// TestProcessTour chooses a process in the browser, looks at what of it can be probed,
// makes it the target, and traces its functions, its own probes and its locks; then the
// process is killed.
func TestProcessTour(t *testing.T) {
	mustTrace(t)
	program := binarytest.Compile(t, "teashop.c", shopProgram, "-O1", "-g", "-pthread")
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			shop := exec.Command(program)
			if err := shop.Start(); err != nil {
				t.Fatal(err)
			}
			defer shop.Wait()
			defer shop.Process.Kill()
			processTour(t, openSize(t, size.w, size.h, nil, "dscope"), shop)
		})
	}
}

// TestProcessNamed opens the workbench on a process, whose probes a script names by
// $target.
func TestProcessNamed(t *testing.T) {
	mustTrace(t)
	sleeper := exec.Command("sleep", "1000")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer sleeper.Wait()
	defer sleeper.Process.Kill()
	pid := sleeper.Process.Pid
	tty := openSize(t, 100, 30, nil, "dscope", "-p", fmt.Sprint(pid))
	tty.shows(fmt.Sprintf("$target is process %d (sleep)", pid))
	tty.shows(fmt.Sprintf("▾ pid%d", pid))
	tty.keys(`BEGIN { printf("<%d>", $target); }` + "\x12")
	tty.shows(fmt.Sprintf("<%d>", pid))
	tty.keys("\x14")
	tty.shows("done")
	tty.keys("\x11y") // quit, without the script
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

func processTour(t *testing.T, tty *terminal, shop *exec.Cmd) {
	pid := shop.Process.Pid
	tty.until("the providers", func(p string) bool { return strings.Contains(p, "plockstat") || strings.Contains(p, "dtrace") })
	tty.keys("\x1b1p") // to the browser, and choose
	tty.shows("▌")
	tty.keys(fmt.Sprintf("%d teashop", pid))
	tty.shows(fmt.Sprintf("process %d of", pid))
	tty.keys("\r")
	tty.shows(fmt.Sprintf("▾ pid%d", pid))
	tty.shows("not read")
	tty.keys("\r") // its executable
	tty.shows("▾ teashop")
	tty.keys("/sell:entry")
	tty.shows("struct item *")
	tty.keys("\x1b") // back to the tree, and make it the target
	tty.until("the tree", func(p string) bool { return strings.Contains(p, "▾ teashop") && !strings.Contains(p, "/sell:entry") })
	tty.keys("t")
	tty.shows(fmt.Sprintf("$target is process %d", pid))
	tty.keys("/sell:entry")
	tty.shows("args[1] int count")
	tty.keys("\r")
	tty.shows("pid$target:teashop:sell:entry")
	tty.keys(`@["price"] = max(args[0]->price); @count[args[1]] = count();`)
	tty.keys("\x1bh") // what is known of it
	tty.shows("struct item *  tea")
	tty.keys("\x1b")
	tty.until("the box to be gone", func(p string) bool { return !strings.Contains(p, "The word and its clause") })
	tty.keys("\x1b[1;5F\r" + `shop$target:::sold { @sold[arg0] = count(); }` + "\r" +
		`plockstat$target:::mutex-acquire { @locks = count(); }` + "\r")
	tty.shows("@locks = count();")
	tty.keys("\x12\x1b3+") // run, and enlarge the live pane
	for _, name := range []string{"@ max()", "price", "@count count()", "@sold count()", "@locks count()"} {
		tty.shows(name)
	}
	held := heldBy(t, tty.cmd.Process.Pid)
	if err := shop.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	tty.keys("+\x1b1") // the browser says so
	tty.shows("━ ended")
	tty.shows(fmt.Sprintf("process %d (teashop) ha", pid))
	tty.keys("\x14")
	tty.shows("done")
	held.gone(t)
	tty.keys("\x1b\x1b")
	tty.keys("q")
	tty.shows("?")
	tty.keys("y")
	if code := tty.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	tty.givenBack()
}
