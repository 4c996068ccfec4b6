package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// A chapter of the story is some keys, and what the screen tells then.
type chapter struct {
	keys  []string // each is one
	tells string   // expression
}

// letters are the keys that type a text.
func letters(text string) []string { return strings.Split(text, "") }

// A slowness is a way of the shop in which some reads are slow.
type slowness struct {
	name  string // as shop.c has it
	w, h  int    // of the screen
	keys  int    // of the table that are the shop's
	which string // of them has the slow reads
	first string // the dimension in which these differ most
	value string // what it is for them
}

var slownesses = []slowness{
	{"pipe", 80, 24, 4, "worker-2", "file", `pipe:\[`},
	{"user", 120, 40, 1, "worker", "user (uid)", "65534"},
	{"size", 120, 40, 1, "worker", "ret (args[0])", "8388608"},
}

// opening is how the story of the README begins. Once it runs it waits until all is over.
var opening = []chapter{
	{[]string{"\x10"}, `> `}, // ctrl+p
	{letters("slow reads"), `Which reads are slow\?`},
	{[]string{"\x12"}, `@latency quantize\(\)`}, // ctrl+r
}

// story is the rest of it, which can be read from a recording, too.
func (l *slowness) story() []chapter {
	differs := regexp.QuoteMeta(l.first) + `  differs in at least \d+%[^\n]*\n[^\n]*` + l.value
	return []chapter{
		{append(letters("/wor"), "\r"), fmt.Sprintf(`wor .*%d of \d+ keys`, l.keys)},
		{letters("sss"), `p99▼[^\n]*\n[^\n]*▌▾` + l.which + ` `},                        // which
		{letters("h"), `wor ` + l.which + `[^\n]*\n`},                                   // when
		{letters("v"), `selected @latency  [\d.]+ to [\d.]+m?s[^$]*[\d.]+s to [\d.]+s`}, // how slow
		{letters("d"), differs}, // why
		{letters("x"), `\d\d\.\d+ms +\d+ +pipe:|pipe:\[|Examples: @latency`},
		{[]string{"\r"}, "(?s)─ Example of @.*shop`fetch"}, // where from
	}
}

// tell plays chapters, and returns how many keys that took.
func (l *slowness) tell(t *testing.T, tty *terminal, chapters []chapter) (pressed int) {
	t.Helper()
	for i, c := range chapters {
		for _, key := range c.keys {
			if utf8.RuneCountInString(key) != 1 {
				t.Fatalf("%q is no key", key)
			}
			tty.keys(key)
			pressed++
		}
		tells := regexp.MustCompile(c.tells).MatchString
		for asked := time.Now(); ; {
			tty.until("chapter "+fmt.Sprint(i), func(p string) bool { return tells(p) || tooFew(p) })
			picture := tty.picture()
			if tells(picture) {
				if d := differsIn.FindStringSubmatch(picture); c.keys[0] == "d" && d[1] != l.first {
					t.Errorf("they are said to differ in %s first, not %s:\n%s", d[1], l.first, picture)
				}
				break
			}
			if time.Since(asked) > patience {
				t.Fatalf("chapter %d: still too few examples:\n%s", i, picture)
			}
			tty.keys("\x1b")
			tty.until("the examples closed", func(p string) bool { return !tooFew(p) })
			tty.keys("d")
		}
	}
	return pressed
}

// differsIn finds the first dimension of which a difference is told.
var differsIn = regexp.MustCompile(`│ +(\S.*?)  differs in at least`)

// tooFew reports whether the screen says that nothing can be claimed, or that nothing is kept. Whoever reads on
// the rest of the machine takes the places of the workers' examples, so on a busy machine
// it is asked again, which is not counted: what the workers did is what is kept longer.
func tooFew(picture string) bool { return fewWords.MatchString(picture) }

var fewWords = regexp.MustCompile(`no difference can be claimed|no example of it is kept`)

// Of how many runs of each load the story is told.
var stories = flag.Int("stories", 1, "how often TestStory plays each load")

// TestStory plays the story of the README with each load: at most 25 keys from a cold start to
// what is slow, when, how, and what is different about it. Then the same from a recording of
// it, by somebody who may do nothing else.
func TestStory(t *testing.T) {
	mustTrace(t)
	needCompiler(t, "for the program of the story")
	needs(t, "setpriv")
	shop := filepath.Join(t.TempDir(), "shop")
	if out, err := exec.Command("gcc", "-O1", "-fno-omit-frame-pointer", "-o", shop, "../../testdata/story/shop.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for n := range *stories * len(slownesses) {
		l := &slownesses[n%len(slownesses)]
		t.Run(fmt.Sprintf("%s at %dx%d", l.name, l.w, l.h), func(t *testing.T) {
			openToAll(t)
			t.Chdir(t.TempDir())
			cmd := exec.Command(shop, "4", "9", l.name)
			printed, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			from := time.Now()
			tty := openSize(t, l.w, l.h, nil, "dscope")
			tty.shows("lockstat")
			pressed := l.tell(t, tty, opening)
			// only now, since on a busy machine it takes its time to come so far
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
			bufio.NewReader(printed).ReadString('\n') // over
			pressed += l.tell(t, tty, l.story())
			t.Logf("%d keys, %v", pressed, time.Since(from).Round(time.Second))
			if pressed > 25 {
				t.Errorf("%d keys, want at most 25", pressed)
			}
			for _, page := range []string{"─ Example of @", "─ Examples: @", "─ What is different"} {
				tty.keys("\x1b")
				tty.until("the page closed", func(p string) bool { return !strings.Contains(p, page) })
			}
			tty.keys("W")
			tty.shows("run 1 is in dscope-")
			tty.keys("\x03y")
			tty.end()
			l.toldAgain(t)
		})
	}
}

// toldAgain tells the story once more from the recording in the working directory, as a user
// who may not trace.
func (l *slowness) toldAgain(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob("dscope-*.dscope")
	if err != nil || len(files) != 1 {
		t.Fatalf("the recordings are %q (%v)", files, err)
	}
	if err := os.Chmod(files[0], 0o644); err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp("", "dscope-story") // folders of a test are its user's alone
	if err == nil {
		err = os.Chmod(home, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(home)
	tty := openSize(t, l.w, l.h, []string{"XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home},
		"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "dscope", "replay", "-speed", "inf", files[0])
	tty.shows("done")
	tty.keys("\x1b3") // alt+3: from the script to the pictures
	pressed := 1 + l.tell(t, tty, l.story())
	t.Logf("from a recording %d keys", pressed)
	tty.keys("\x03y")
	tty.end()
}
