package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// A Head stands before each frame:
//
//	0  magic       8  run        20  checksum of the frame   44  checksum of the head
//	4  version    12  packed     24  when its first message was delivered, ns
//	5  flags      16  unpacked   32  likewise its last
//	6  0                         40  counts frames up from 0
type Head struct {
	Flags       Flags
	Run         uint32 // 0 before the first
	Packed      uint32 // bytes that follow
	Unpacked    uint32
	Sum         uint32
	First, Last time.Duration
	Seq         uint32
}

// Flags say what a frame holds.
type Flags uint8

// The flags.
const (
	HelloFrame   Flags = 1 << iota // the form of all others
	MachineFrame                   // probes
	KeyFrame                       // one can begin here
	EndFrame                       // the end of a run
	IndexFrame                     // where others are
)

const (
	headSize = 48
	magic    = "\x89dsw"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (h *Head) append(b []byte) []byte {
	at := len(b)
	b = append(b, magic...)
	b = append(b, Version, byte(h.Flags), 0, 0)
	for _, n := range []uint32{h.Run, h.Packed, h.Unpacked, h.Sum} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(h.First))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Last))
	b = binary.LittleEndian.AppendUint32(b, h.Seq)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[at:], castagnoli))
}

var (
	errMagic = errors.New("no frame begins here")
	errHead  = errors.New("the checksum of a head is wrong")
	errSum   = errors.New("the checksum of a frame is wrong")
)

// parse reads a head of headSize bytes.
func (h *Head) parse(b []byte) error {
	if string(b[:4]) != magic {
		return errMagic
	}
	if crc32.Checksum(b[:headSize-4], castagnoli) != binary.LittleEndian.Uint32(b[headSize-4:]) {
		return errHead
	}
	if b[4] != Version {
		return fmt.Errorf("version %d of the format; this program reads version %d", b[4], Version)
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	*h = Head{
		Flags: Flags(b[5]), Run: word(8), Packed: word(12), Unpacked: word(16), Sum: word(20),
		First: time.Duration(binary.LittleEndian.Uint64(b[24:])), Last: time.Duration(binary.LittleEndian.Uint64(b[32:])), Seq: word(40),
	}
	if h.Packed > MaxFrame || h.Unpacked > MaxFrame {
		return fmt.Errorf("a frame of %d MiB, and the largest has %d", max(h.Packed, h.Unpacked)>>20, MaxFrame>>20)
	}
	return nil
}

// newPacker returns what packs frames. One in a stream has a checksum anyway. The level is the
// one that takes the machine least: the columns of changes pack as small, recordings 7 % larger.
func newPacker() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
}

// newUnpacker returns what unpacks them, each into no more than its head says.
func newUnpacker() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(MaxFrame), zstd.WithDecoderMaxWindow(MaxFrame), zstd.WithDecodeAllCapLimit(true))
}

// A source reads frames one after the other.
type source struct {
	from   io.Reader
	zip    *zstd.Decoder
	packed bytes.Buffer // grows with what comes, whatever a head claims
	raw    []byte
	offset int64 // of the frame that is read next
}

// next reads a frame. The bytes that it returns are overwritten by the next call. io.EOF
// is that nothing follows, io.ErrUnexpectedEOF that the frame is not there to its end.
func (s *source) next() (h Head, raw []byte, err error) {
	var b [headSize]byte
	if n, err := io.ReadFull(s.from, b[:]); err != nil {
		if n >= len(magic) && string(b[:len(magic)]) != magic {
			err = errMagic
		}
		return h, nil, err
	}
	if err := h.parse(b[:]); err != nil {
		return h, nil, err
	}
	s.packed.Reset()
	if _, err := io.CopyN(&s.packed, s.from, int64(h.Packed)); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return h, nil, err
	}
	if crc32.Checksum(s.packed.Bytes(), castagnoli) != h.Sum {
		return h, nil, errSum
	}
	if cap(s.raw) < int(h.Unpacked) {
		s.raw = make([]byte, 0, h.Unpacked)
	}
	raw, err = s.zip.DecodeAll(s.packed.Bytes(), s.raw[:0:h.Unpacked])
	if err != nil || len(raw) != int(h.Unpacked) {
		return h, nil, fmt.Errorf("a frame unpacks to something else than its head says (%w)", errors.Join(err, errSum))
	}
	s.raw = raw
	s.offset += headSize + int64(h.Packed)
	return h, raw, nil
}
