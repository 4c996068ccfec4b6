package nats

import (
	"encoding/binary"
	"errors"
	"time"

	"dscope.dev/engine/fleet"
	"dscope.dev/engine/remote"
	"dscope.dev/engine/trace"
	"dscope.dev/engine/wire"
)

// A hail asks who is there. The answers tell how far clocks are apart.
type hail struct {
	ID     uint64
	Spread time.Duration // answers are to be spread over so much time
}

// A here says that a host is there.
type here struct {
	Card fleet.Card
	Sent int64         `cbor:",omitempty"` // ns, by the clock there
	Hail uint64        `cbor:",omitempty"` // that it answers
	Held time.Duration `cbor:",omitempty"` // how long the answer was held back
	Bye  bool          `cbor:",omitempty"` // it will be there no more
}

// A lease says which calls are still wanted.
type lease struct{ Calls []string }

// An op is what is asked of an agent.
type op string

const (
	opRun   op = "run"   // Script
	opStop  op = "stop"  // in order
	opClose op = "close" // at once
	opAck   op = "ack"   // Seq messages of Epoch have come
	opAgain op = "again" // something is missing: begin anew
	opAlive op = "alive" // nothing has come for long: does the call go on?
	opDial  op = "dial"  // a stream to the tracer there, as of engine/remote
	opBytes op = "bytes" // Data of that stream; the Seq-th
)

// An ask is a message to an agent.
type ask struct {
	Op     op
	Call   string
	Script *trace.Script `cbor:",omitempty"`
	Epoch  uint32        `cbor:",omitempty"`
	Seq    uint32        `cbor:",omitempty"`
	Data   []byte        `cbor:",omitempty"`
}

// An answer tells what has become of a call that was to run.
type answer struct {
	Err   *wire.Failure `cbor:",omitempty"`
	Began time.Time
}

var encoding, decoding = remote.Codec(1 << 16)

// packed encodes one of the messages above, none of which can fail to be.
func packed(m any) []byte {
	b, err := encoding.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

// A head stands before what an agent sends of a call:
//
//	0  version    4  epoch: how often the stream has begun anew     12  events that went before
//	1  kind       8  number of the message in it, from 0            20  when it was sent, ns
//	2  1: the frame goes on in the next
type head struct {
	kind   kind
	more   bool
	epoch  uint32
	seq    uint32
	events uint64
	sent   int64
}

// A kind says what follows a head.
type kind uint8

const (
	kindAnswer kind = iota + 1 // an answer
	kindFrame                  // frames of engine/wire, or a part of one
	kindBeat                   // nothing: seq is the number that the next message will have
	kindBytes                  // of a stream
	kindEnd                    // the end of a stream
	kindNone                   // nothing: there is no such call, or none any more
)

const (
	headSize    = 28
	headVersion = 1
)

func (h *head) append(b []byte) []byte {
	more := byte(0)
	if h.more {
		more = 1
	}
	b = append(b, headVersion, byte(h.kind), more, 0)
	b = binary.LittleEndian.AppendUint32(b, h.epoch)
	b = binary.LittleEndian.AppendUint32(b, h.seq)
	b = binary.LittleEndian.AppendUint64(b, h.events)
	return binary.LittleEndian.AppendUint64(b, uint64(h.sent))
}

var errHead = errors.New("a message that is none of ours, or of another version")

func parseHead(b []byte) (h head, body []byte, err error) {
	if len(b) < headSize || b[0] != headVersion || b[1] == 0 || kind(b[1]) > kindNone {
		return h, nil, errHead
	}
	return head{kind(b[1]), b[2]&1 != 0, binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:]),
		binary.LittleEndian.Uint64(b[12:]), int64(binary.LittleEndian.Uint64(b[20:]))}, b[headSize:], nil
}
