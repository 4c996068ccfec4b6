package remote

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The versions of what calls mean that this program speaks. New fields need no new version:
// those that are not known are left out.
const (
	oldest = 1
	newest = 1
)

// A Greeting is what each side says first of itself.
type Greeting struct {
	Oldest, Newest int    // versions that it speaks
	Program        string // dscope 1.0
	Host           string
	Kernel         string // its release
	Machine        string // its architecture
	User           string // whose rights it has
}

const (
	greets       = "\x00dscope\x01" // before each greeting: nothing that a login prints
	mostGreeting = 4 << 10
	mostNoise    = 64 << 10 // that a login prints before the other side speaks
)

// A VersionError is that both sides have no version in common.
type VersionError struct{ Here, There Greeting }

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s there speaks versions %s of the protocol, and %s here versions %s: use the same dscope on both sides",
		e.There.Program, e.There.versions(), e.Here.Program, e.Here.versions())
}

func (g *Greeting) versions() string {
	if g.Oldest == g.Newest {
		return fmt.Sprint(g.Oldest)
	}
	return fmt.Sprintf("%d to %d", g.Oldest, g.Newest)
}

// greet writes a greeting.
func greet(to io.Writer, g Greeting) error {
	if g.Newest == 0 {
		g.Oldest, g.Newest = oldest, newest
	}
	body, err := encoding.Marshal(g)
	if err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint32([]byte(greets), uint32(len(body)))
	_, err = to.Write(append(b, body...))
	return err
}

// greeted reads a greeting. What a login prints before it is read over, and told if no
// greeting follows.
func greeted(from io.Reader) (g Greeting, err error) {
	var noise []byte
	var one [1]byte
	for !bytes.HasSuffix(noise, []byte(greets)) {
		if len(noise) > mostNoise {
			return g, fmt.Errorf("no dscope answers, but: %s", shown(noise))
		}
		if _, err := io.ReadFull(from, one[:]); err != nil {
			if len(noise) > 0 {
				err = fmt.Errorf("no dscope answers, but: %s", shown(noise))
			}
			return g, err
		}
		noise = append(noise, one[0])
	}
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return g, err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > mostGreeting {
		return g, errors.New("a greeting that is too long")
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(from, body); err != nil {
		return g, err
	}
	return g, decoding.Unmarshal(body, &g)
}

// shown returns the end of what was printed instead of a greeting.
func shown(noise []byte) string {
	return fmt.Sprintf("%q", bytes.TrimSpace(noise[max(0, len(noise)-300):]))
}

// agree refuses a side that speaks no version of ours.
func agree(here, there Greeting) error {
	if here.Newest == 0 {
		here.Oldest, here.Newest = oldest, newest
	}
	if there.Newest < here.Oldest || there.Oldest > here.Newest {
		return &VersionError{here, there}
	}
	return nil
}
