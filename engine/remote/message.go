package remote

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"dscope.dev/dlang/diag"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// An ask is the first message of a call, of which it fills what it needs.
type ask struct {
	Op      string
	Script  trace.Script  `cbor:",omitempty"`
	At      int           `cbor:",omitempty"`
	Pattern string        `cbor:",omitempty"`
	Probe   trace.Probe   `cbor:",omitempty"`
	Probes  []trace.Probe `cbor:",omitempty"`
	PID     int           `cbor:",omitempty"`
	Process trace.Process `cbor:",omitempty"`
	Module  trace.Module  `cbor:",omitempty"`
	Lead    trace.Lead    `cbor:",omitempty"`
	Old     uint64        `cbor:",omitempty"` // the run whose place another takes
	Command *Command      `cbor:",omitempty"`
	Signal  int           `cbor:",omitempty"`
}

// The operations. The last two follow a first ask on the same call.
const (
	opAvailable = "available"
	opCheck     = "check"
	opComplete  = "complete"
	opExplain   = "explain"
	opProbes    = "probes"
	opDescribe  = "describe"
	opProcesses = "processes"
	opProcess   = "process"
	opFunctions = "functions"
	opEnded     = "ended"
	opLead      = "lead"
	opRun       = "run"
	opSwap      = "swap"
	opCommand   = "command"

	opStop   = "stop"
	opSignal = "signal"
)

// An answer is one message back, of which it fills what it has.
type answer struct {
	Err         *wire.Failure      `cbor:",omitempty"`
	Note        string             `cbor:",omitempty"`
	Noted       bool               `cbor:",omitempty"` // Note is one, and the answer is still to come
	List        diag.List          `cbor:",omitempty"`
	From        int                `cbor:",omitempty"`
	Completions []trace.Completion `cbor:",omitempty"`
	Explanation trace.Explanation  `cbor:",omitempty"`
	OK          bool               `cbor:",omitempty"`
	Infos       []trace.ProbeInfo  `cbor:",omitempty"` // in the order of Probes
	Wrong       []string           `cbor:",omitempty"` // why there is none, in the same order
	Processes   []trace.Process    `cbor:",omitempty"`
	Process     trace.ProcessInfo  `cbor:",omitempty"`
	Text        string             `cbor:",omitempty"`
	Count       int                `cbor:",omitempty"` // of probes that a stream of engine/wire tells of
	Run         uint64             `cbor:",omitempty"` // its number; a stream of engine/wire follows
	Output      int                `cbor:",omitempty"` // the descriptor that Data was written to
	Data        []byte             `cbor:",omitempty"`
	Exit        *int               `cbor:",omitempty"`
}

// What one message has at most. A script is much shorter, and so are lists of processes.
const (
	mostAsk    = 32 << 20
	mostAnswer = 64 << 20
)

var encoding, decoding = Codec(1 << 20)

// Codec returns how messages of ours are written and read, with lists of so many elements at
// most. Strings are written as the bytes that they are: names of processes need not be UTF-8.
func Codec(mostElements int) (cbor.EncMode, cbor.DecMode) {
	e, err := cbor.EncOptions{String: cbor.StringToByteString, Time: cbor.TimeRFC3339Nano}.EncMode()
	if err != nil {
		panic(err)
	}
	d, err := cbor.DecOptions{ByteStringToString: cbor.ByteStringToStringAllowed, ByteStringToTime: cbor.ByteStringToTimeAllowed, MaxNestedLevels: 16,
		MaxArrayElements: mostElements, MaxMapPairs: 1 << 10, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		FieldNameByteString: cbor.FieldNameByteStringAllowed}.DecMode()
	if err != nil {
		panic(err)
	}
	return e, d
}

// A line carries messages of one call, each with its length in front.
type line struct {
	io.ReadWriteCloser
	mu sync.Mutex // of writing
}

func (l *line) send(m any) error {
	body, err := encoding.Marshal(m)
	if err != nil {
		return err
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.Write(append(b, body...))
	return err
}

// receive reads a message of at most so many bytes. Memory is taken as they come, whatever
// is claimed.
func (l *line) receive(m any, most uint32) error {
	var size [4]byte
	if _, err := io.ReadFull(l, size[:]); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > most {
		return fmt.Errorf("a message of %d MiB, and the longest has %d", n>>20, most>>20)
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, l, int64(n)); err != nil {
		return err
	}
	return decoding.Unmarshal(body.Bytes(), m)
}
