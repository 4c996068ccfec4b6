package main

import (
	"bufio"
	"fmt"
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

// story is that of the README. Once it runs it waits until all is over.
var story = []chapter{
	{[]string{"\x10"}, `> `}, // ctrl+p
	{letters("slow reads"), `Which reads are slow\?`},
	{[]string{"\x12"}, `@latency quantize\(\)`}, // ctrl+r
	{append(letters("/wor"), "\r"), `wor .*4 of \d+ keys`},
	{letters("sss"), `p99▼[^\n]*\n[^\n]*▌▾worker-2`}, // which
	{letters("h"), `wor worker-2[^\n]*\n`},           // when
	{letters("v"), `selected @latency  [\d.]+ to [\d.]+ms[^$]*[\d.]+s to [\d.]+s`},
	{letters("d"), `file  differs in at least \d+%[^\n]*\n[^\n]*pipe:\[`}, // why
	{letters("x"), `\d\d\.\d+ms +\d+ +pipe:|pipe:\[|Examples: @latency`},
	{[]string{"\r"}, "shop`fetch"}, // where from
}

// tooFew reports whether the screen says that nothing can be claimed, or that nothing is kept. Whoever reads on
// the rest of the machine takes the places of the workers' examples, so on a busy machine
// it is asked again, which is not counted: what the workers did is what is kept longer.
func tooFew(picture string) bool { return fewWords.MatchString(picture) }

var fewWords = regexp.MustCompile(`no difference can be claimed|no example of it is kept`)

// TestStory plays the story of the README at two sizes: at most 25 keys from a cold
// start to what is slow, when, how, and what is different about it.
func TestStory(t *testing.T) {
	mustTrace(t)
	needCompiler(t, "for the program of the story")
	shop := filepath.Join(t.TempDir(), "shop")
	if out, err := exec.Command("gcc", "-O1", "-fno-omit-frame-pointer", "-o", shop, "../../testdata/story/shop.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			cmd := exec.Command(shop, "4", "9")
			printed, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			from, pressed := time.Now(), 0
			tty := openSize(t, size.w, size.h, nil, "dscope")
			tty.shows("lockstat")
			for i, c := range story {
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
					if tells(tty.picture()) {
						break
					}
					if time.Since(asked) > patience {
						t.Fatalf("chapter %d: still too few examples:\n%s", i, tty.picture())
					}
					tty.keys("\x1b")
					tty.until("the examples closed", func(p string) bool { return !tooFew(p) })
					tty.keys("d")
				}
				if i == 2 { // only now, since on a busy machine it takes its time to come so far
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
					bufio.NewReader(printed).ReadString('\n') // over
				}
			}
			t.Logf("%d keys, %v", pressed, time.Since(from).Round(time.Second))
			if pressed > 25 {
				t.Errorf("%d keys, want at most 25", pressed)
			}
			tty.keys("\x03y")
			tty.end()
		})
	}
}
