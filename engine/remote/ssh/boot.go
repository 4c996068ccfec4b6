package ssh

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// A program is the file of a dscope, and its hash.
type program struct {
	path string
	sum  string
	size int64
}

func newProgram(path string) (program, error) {
	f, err := os.Open(path)
	if err != nil {
		return program{}, fmt.Errorf("read the program that is to run there: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return program{path, fmt.Sprintf("%x", h.Sum(nil)), n}, err
}

// packed returns it as gzip has it.
func (p program) packed() ([]byte, error) {
	f, err := os.Open(p.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(z, f); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// boots begins what the shell there says to us. A login may print other lines before.
const boots = "dscope-boot "

// script is what the shell there is asked to do, in a line that every shell takes. It reads an
// order (serve, send with a size, path) and becomes a dscope. What is read of the
// program is no more than its size, and the order byte by byte, so that nothing is lost of
// what follows. A program has its name once it is whole and has the right hash.
func script(sum string, serve []string) string {
	body := strings.Join([]string{
		`umask 077`,
		`d="${XDG_CACHE_HOME:-$HOME/.cache}/dscope/program-` + sum + `"`,
		`f="$d/dscope"`,
		`u=$(id -u)`,
		`h=no; if [ -x "$f" ]; then h=yes; fi`,
		`s=no; if [ "$u" != 0 ] && sudo -n true 2>/dev/null; then s=yes; fi`,
		`p=no; if command -v dscope >/dev/null 2>&1; then p=yes; fi`,
		`echo "` + boots + `$(uname -s) $(uname -m) $u $h $s $p"`,
		`read -r c n || exit 0`,
		`if [ "$c" = send ]; then find "${d%/*}" -maxdepth 1 -name "program-*" -mtime +30 -exec rm -rf {} + 2>/dev/null; mkdir -p "$d" || exit 1; t="$f.$$"; head -c "$n" | gzip -dc >"$t"`,
		`if [ "$(sha256sum <"$t")" = "` + sum + `  -" ] && chmod 700 "$t" && mv "$t" "$f"; then echo "` + boots + `sent"; else rm -f "$t"; echo "` + boots + `failed"; exit 1; fi; fi`,
		`if [ "$c" = path ]; then f=$(command -v dscope); fi`,
		`if [ "$s" = yes ]; then exec sudo -n -- "$f" ` + strings.Join(serve, " ") + `; fi`,
		`exec "$f" ` + strings.Join(serve, " "),
	}, "; ")
	return "exec sh -c '" + body + "'"
}

// A boot is what the shell there has said.
type boot struct {
	program
	system, machine, uid string
	have, sudo, path     bool
}

// machines are the architectures that dscope runs on, as uname(1) calls them.
var machines = map[string]string{"x86_64": "amd64", "aarch64": "arm64"}

// prepare has the shell there become a dscope.
func (c *Conn) prepare(o Options) error {
	line, err := c.answer()
	if err != nil {
		return err
	}
	b := &c.boot
	words := strings.Fields(line)
	if len(words) != 6 {
		return fmt.Errorf("the shell there answers %q", line)
	}
	b.system, b.machine, b.uid = words[0], words[1], words[2]
	b.have, b.sudo, b.path = words[3] == "yes", words[4] == "yes", words[5] == "yes"
	switch {
	case b.system != "Linux":
		return fmt.Errorf("it runs %s: only Linux can be traced", b.system)
	case b.have:
		return c.order("serve")
	case machines[b.machine] == runtime.GOARCH && runtime.GOOS == "linux":
		return c.send(o)
	case b.path:
		return c.order("path")
	}
	return fmt.Errorf("it is a %s machine with Linux, and this dscope is for %s with %s: put a dscope for it into PATH there, of the same version", b.machine, runtime.GOARCH, runtime.GOOS)
}

// send sends the program.
func (c *Conn) send(o Options) error {
	packed, err := c.boot.packed()
	if err != nil {
		return err
	}
	if o.Say != nil {
		o.Say(fmt.Sprintf("sending dscope to %s (%.1f MB)", c.host, float64(len(packed))/1e6))
	}
	if err := c.order(fmt.Sprintf("send %d", len(packed))); err != nil {
		return err
	}
	if _, err := c.Write(packed); err != nil {
		return err
	}
	line, err := c.answer()
	if err == nil && line != "sent" {
		err = errors.New("the program could not be written to the cache there (it needs head, gzip and sha256sum, and some room)")
	}
	return err
}

func (c *Conn) order(text string) error {
	_, err := io.WriteString(c, text+"\n")
	return err
}

// mostNoise is how much a login may print before the shell answers.
const mostNoise = 64 << 10

// answer reads the next line that is for us.
func (c *Conn) answer() (string, error) {
	var line []byte
	var one [1]byte
	for range mostNoise {
		if _, err := io.ReadFull(c, one[:]); err != nil {
			return "", err
		}
		if one[0] != '\n' {
			line = append(line, one[0])
			continue
		}
		if text, ok := strings.CutPrefix(string(line), boots); ok {
			return text, nil
		}
		line = line[:0]
	}
	return "", errors.New("its shell prints without an end")
}

// broken reports whether nobody reads a pipe any more.
func broken(err error) bool { return errors.Is(err, syscall.EPIPE) }
