package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/creack/pty"

	"dscope.dev/probes/binary/binarytest"
)

// evil is what no terminal may be told: to set its title, in three ways.
const evil = "x\x1b]0;owned\x07\u009b31m\x9b\u202e"

// TestNothingSaidMovesTheTerminal has each command speak of names that would move a
// terminal: in its arguments, in files, in symbols of a program. On a terminal nothing
// but text comes out, in a pipe nothing that begins a sequence.
func TestNothingSaidMovesTheTerminal(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprintf(z, "{\"format\":%q}\n", evil)
	z.Close()
	script := write(evil+".d", []byte("BEGIN { "+evil+" }\n"))
	tidy := write("tidy.d", []byte("/* "+evil+" */\nBEGIN { exit(0); }\n"))
	program := write(evil, binarytest.ELF(binarytest.Symbol{Name: evil, Addr: 0x401010, Size: 16, Info: binarytest.Function}))
	recording := write(evil+".rec", zipped.Bytes())
	holder := holding(t, program)

	for _, args := range [][]string{
		{evil}, {evil, evil}, {"-p", evil}, {"-" + evil},
		{"trace", "-n", evil}, {"trace", "-n", "BEGIN { printf(" + evil}, {"trace", "-P", evil}, {"trace", "-m", evil}, {"trace", "-f", evil}, {"trace", "-i", evil},
		{"trace", "-x", evil}, {"trace", "-x", "bufsize=" + evil, "-n", "BEGIN{exit(0)}"}, {"trace", "-b", evil}, {"trace", "-" + evil},
		{"trace", "-s", script}, {"trace", "-s", evil}, {"trace", "-C", "-s", script}, {"trace", "-L", evil, "-n", "BEGIN{exit(0)}"}, {"trace", "-I", evil, "-D", evil, "-C", "-n", "BEGIN{exit(0)}"},
		{"trace", "-c", evil, "-n", "BEGIN{exit(0)}"}, {"trace", "-p", evil, "-n", "BEGIN{exit(0)}"}, {"trace", "-o", dir + "/" + evil + "/" + evil, "-n", "BEGIN{exit(0)}"},
		{"trace", "-c", program, "-n", "BEGIN{exit(0)}"}, {"trace", "-n", "BEGIN { exit(0); }", evil}, {"trace", "-h", "-s", script}, {"trace", "-G", program},
		{"trace", "-l", "-n", fmt.Sprintf("pid%d:::entry", holder)}, {"trace", "-lv", "-n", fmt.Sprintf("pid%d:::entry", holder)}, {"trace", "-l", "-n", evil}, {"trace", "-l", "-P", evil},
		{"trace", "-n", fmt.Sprintf("pid%d:::entry,BEGIN { trace(probefunc); exit(0); }", holder)},
		{"probes", evil}, {"probes", "./" + evil}, {"probes", program}, {"probes", fmt.Sprintf("pid%d:::entry", holder)}, {"probes", fmt.Sprint(holder)}, {"probes", "-" + evil},
		{"check", script}, {"check", evil}, {"check", "-" + evil}, {"check", "--json", script},
		{"fmt", evil}, {"fmt", script}, {"fmt", tidy}, {"fmt", "-d", tidy}, {"fmt", "-l", tidy}, {"fmt", "-" + evil},
		{"record", evil}, {"record", dir + "/none/" + evil, tidy}, {"record", dir + "/out.rec", evil}, {"record", dir + "/out.rec", script}, {"record", "-t", evil, "a", "b"},
		{"replay", recording}, {"replay", evil}, {"replay", "-speed", evil, "x"},
		{"lockstat", evil}, {"lockstat", "-" + evil}, {"lockstat", "-x", evil, "true"},
		{"plockstat", "-p", evil}, {"plockstat", "-" + evil}, {"plockstat", evil},
		{"doctor", evil},
		{"ask", evil}, {"ask", "-t", evil}, {"ask", "-x", evil}, {"ask", "-p", evil}, {"ask", "--print", "slow " + evil}, {"ask", "-c", evil, "target-calls"},
		{"help", evil}, {"man", evil}, {"man", "-d", script + "/" + evil}, {"completion", evil}, {"completion", "--words", evil, evil},
		{"completion", "--words", "zsh", "trace", "-n", evil}, {"completion", "--words", "bash", "dscope trace -p " + evil, ""},
		{"completion", "--words", "zsh", "trace", "-n", fmt.Sprintf("pid%d:x", holder)},
	} {
		onTerminal, inPipe := bothWays(t, args)
		if !utf8.ValidString(onTerminal) || strings.ContainsFunc(onTerminal, movesTerminal) {
			t.Errorf("dscope %q on a terminal: %q", args, onTerminal)
		}
		scripts := args[0] == "fmt" // whose output is the script itself, byte by byte
		if !scripts && (strings.Contains(inPipe, "\x1b") || strings.Contains(inPipe, "\u009b")) {
			t.Errorf("dscope %q in a pipe: %q", args, inPipe)
		}
	}
}

// movesTerminal reports whether a terminal does more with r than to draw it. It is the
// terminal itself that ends lines with a return.
func movesTerminal(r rune) bool {
	return unicode.IsControl(r) && !strings.ContainsRune("\r\n\t", r) || r == 0x202e
}

// holding has a process map a program, so that it can be executed there, and returns its
// number.
func holding(t *testing.T, program string) int {
	t.Helper()
	const source = `
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv) {
	if (mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(argv[1], O_RDONLY), 4096) == MAP_FAILED)
		return 1;
	puts("mapped");
	fflush(stdout);
	pause();
}`
	cmd := exec.Command(binarytest.Compile(t, "holder.c", source), program)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if _, err := io.ReadFull(out, make([]byte, len("mapped\n"))); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// bothWays runs a command on a terminal and with pipes, and returns what it said to each.
func bothWays(t *testing.T, args []string) (onTerminal, inPipe string) {
	t.Helper()
	run := func(in, out *os.File, to io.Writer) {
		cmd := exec.Command("dscope", args...)
		cmd.Env = append(os.Environ(), "NO_COLOR=1", "HOME="+t.TempDir())
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, to, to
		if out != nil {
			cmd.Stdout, cmd.Stderr = out, out
		}
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
	}
	var pipe bytes.Buffer
	run(nil, nil, &pipe)

	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	got := make(chan string)
	go func() {
		b, _ := io.ReadAll(master) // the end of a terminal is an error
		got <- string(b)
	}()
	run(nil, slave, nil)
	slave.Close()
	return <-got, pipe.String()
}
