package helper

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"dscope.dev/engine/rights"
)

// What can be wanted.
const (
	WantSession = "session" // a tracer on this connection (engine/remote)
	WantCommand = "command" // a command line, with the asker's standard files and folder
	WantRights  = "rights"  // what the asker may do
)

// An Ask is the first message of a connection. With a command come four open files: standard
// input, output and error, and the working directory; with a session that alone.
type Ask struct {
	Want  string
	Args  []string          `json:",omitempty"`
	Env   []string          `json:",omitempty"`
	Files map[string][]byte `json:",omitempty"` // what has been read already that Args name
	Umask int               `json:",omitempty"` // what files of the asker lack
}

// askFiles is how many open files come with a command.
const askFiles = 4

// A Reply answers an ask. After that of a session the connection is its stream; after that
// of a command the asker sends Signals, and a last reply has Exit.
type Reply struct {
	Err    string         `json:",omitempty"`
	Rights *rights.Rights `json:",omitempty"`
	Exit   *int           `json:",omitempty"`
}

// A Signal is what a command is sent.
type Signal struct{ Number int }

// How long messages are at most: an ask holds a script, one about rights nothing.
const (
	mostMessage = 8 << 20
	mostShort   = 64 << 10
)

// send writes a message with its length in front.
func send(to io.Writer, m any) error {
	b, err := encoded(m)
	if err == nil {
		_, err = to.Write(b)
	}
	return err
}

func encoded(m any) ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if len(body) > mostMessage {
		return nil, errors.New("more is asked for than fits a message")
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body...), nil
}

// receive reads a message. Memory is taken as it comes, whatever is claimed.
func receive(from io.Reader, m any, most uint32) error {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > most {
		return fmt.Errorf("a message of %d bytes, and the longest has %d", n, most)
	}
	body, err := io.ReadAll(io.LimitReader(from, int64(n)))
	if err != nil {
		return err
	}
	if len(body) < int(n) {
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(body, m)
}

// Handed is what a dscope that the helper starts is told of itself.
type Handed struct {
	Rights rights.Rights
	Env    []string // of the asker, for what he has it run
	Umask  int
	Folder bool // whether his working directory is open as HandedFolder
}

// The open files of a dscope that the helper starts, behind the standard ones.
const (
	HandedControl = 4
	HandedFolder  = 5
)
