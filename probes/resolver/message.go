package resolver

import (
	"github.com/fxamacker/cbor/v2"
)

// The form of what crosses. Texts of files need not be Unicode.
var (
	encoder = must(cbor.EncOptions{}.EncMode())
	decoder = must(cbor.DecOptions{
		UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: 1 << 20, MaxMapPairs: 1 << 12, MaxNestedLevels: 16,
		IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
	}.DecMode())
)

func must[T any](mode T, err error) T {
	if err != nil {
		panic(err)
	}
	return mode
}

func encode(v any) ([]byte, error)    { return encoder.Marshal(v) }
func decode(data []byte, v any) error { return decoder.Unmarshal(data, v) }

// What crosses is frames: the kind, the length in four bytes, and so many bytes. Open files come
// with the first byte.
const (
	frameReady  = 'R' // the worker is confined: ready
	frameAsk    = 'A' // head, the question; and the file
	frameAnswer = 'B' // answerHead, the answer
	frameOpen   = 'O' // the worker asks for the file of a name
	frameOpened = 'P' // and gets it, or none
)

const frameHead = 5

// A ready says what holds a worker.
type ready struct {
	Walls []string // from the strongest on
	Err   string   // why it is not confined, and reads nothing
	PID   int      // by which the kernel knows it
}

// A head comes before a question.
type head struct {
	Job, Name, Key string
	Size           int64
}

// An answerHead comes before an answer.
type answerHead struct {
	Failed bool
	Err    string
}

// Bounds of what crosses, beside answers.
const (
	mostAsk   = 1 << 20
	mostShort = 64 << 10
)
