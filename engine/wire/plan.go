package wire

import (
	"fmt"
	"reflect"
	"sync"
	"time"

	"dscope.dev/engine/trace"
)

// A form is how values of a type are written.
type form uint8

// The forms. Their numbers are part of the format.
const (
	formBool    form = iota + 1 // in a struct its bit alone, elsewhere a byte
	formInt                     // zigzag, as many bytes as it needs
	formUint                    // as many bytes as it needs
	formFloat                   // eight bytes
	formString                  // once, then its number
	formBytes                   // each time: a string that does not repeat, or bytes
	formTime                    // ns after the time before
	formError                   // as a failure
	formStruct                  // a bit for each field that is not empty, then these fields
	formList                    // how many, then these
	formPointer                 // in a struct its bit, elsewhere a byte; then what it points to
	formShared                  // a struct: once, then its number
	formBucket                  // a struct whose bounds are shared and whose count is not
	formStack                   // a list of frames: once, then its number
	formOrigins                 // a list of origins: once, then its number
)

// A plan is how one type is written.
type plan struct {
	form   form
	id     int
	typ    reflect.Type
	elem   *plan // of lists and pointers
	fields []field
	bits   int // bytes that say which fields there are
}

type field struct {
	name  string
	index int
	plan  *plan
}

// blobs are strings that are told apart by what they hold, so that none comes twice.
var blobs = map[reflect.Type]string{
	reflect.TypeFor[trace.Row]():    "ID",
	reflect.TypeFor[trace.Packet](): "Data",
}

// A schema is the plans of all types that cross.
type schema struct {
	plans    []*plan // by number
	messages []*plan
	failure  *plan
}

// ours is the schema of this version of the program.
var ours = sync.OnceValue(func() *schema {
	s := &schema{}
	known := map[reflect.Type]*plan{}
	s.failure = s.plan(known, reflect.TypeFor[failure]())
	for _, t := range messages() {
		s.messages = append(s.messages, s.plan(known, t))
	}
	return s
})

// special are the types with a form of their own.
var special = map[reflect.Type]form{
	reflect.TypeFor[time.Time]():      formTime,
	reflect.TypeFor[error]():          formError,
	reflect.TypeFor[[]byte]():         formBytes,
	reflect.TypeFor[trace.Frame]():    formShared,
	reflect.TypeFor[trace.Probe]():    formShared,
	reflect.TypeFor[trace.Bucket]():   formBucket,
	reflect.TypeFor[[]trace.Frame]():  formStack,
	reflect.TypeFor[[]trace.Origin](): formOrigins,
}

// kinds are the forms of all other types.
var kinds = map[reflect.Kind]form{
	reflect.Bool: formBool, reflect.String: formString, reflect.Float64: formFloat,
	reflect.Int: formInt, reflect.Int8: formInt, reflect.Int16: formInt, reflect.Int32: formInt, reflect.Int64: formInt,
	reflect.Uint: formUint, reflect.Uint8: formUint, reflect.Uint16: formUint, reflect.Uint32: formUint, reflect.Uint64: formUint,
	reflect.Struct: formStruct, reflect.Slice: formList, reflect.Pointer: formPointer,
}

// plan returns the plan of t, which may be new. A type that cannot cross is a mistake of
// whoever added it, and every test shows it.
func (s *schema) plan(known map[reflect.Type]*plan, t reflect.Type) *plan {
	if p, ok := known[t]; ok {
		return p
	}
	f, ok := special[t]
	if !ok {
		f = kinds[t.Kind()]
	}
	if f == 0 {
		panic(fmt.Sprintf("wire: values of type %v cannot cross", t))
	}
	p := s.add(f, t)
	known[t] = p
	switch f {
	case formList, formPointer, formStack, formOrigins:
		p.elem = s.plan(known, t.Elem())
	case formStruct, formShared, formBucket:
		for i := range t.NumField() {
			of := t.Field(i)
			if !of.IsExported() {
				panic(fmt.Sprintf("wire: %v.%s cannot cross", t, of.Name))
			}
			if blobs[t] == of.Name {
				p.fields = append(p.fields, field{of.Name, i, s.add(formBytes, of.Type)})
				continue
			}
			p.fields = append(p.fields, field{of.Name, i, s.plan(known, of.Type)})
		}
		p.bits = (len(p.fields) + 7) / 8
	}
	return p
}

func (s *schema) add(f form, t reflect.Type) *plan {
	p := &plan{form: f, typ: t, id: len(s.plans)}
	s.plans = append(s.plans, p)
	return p
}

// describe writes the schema as a reader needs it: forms, names and numbers.
func (s *schema) describe(b []byte) []byte {
	b = appendUint(b, uint64(len(s.plans)))
	for _, p := range s.plans {
		b = append(b, byte(p.form))
		b = appendText(b, p.typ.Name())
		switch p.form {
		case formList, formPointer, formStack, formOrigins:
			b = appendUint(b, uint64(p.elem.id))
		case formStruct, formShared, formBucket:
			b = appendUint(b, uint64(len(p.fields)))
			for _, f := range p.fields {
				b = appendText(b, f.name)
				b = appendUint(b, uint64(f.plan.id))
			}
		}
	}
	b = appendUint(b, uint64(s.failure.id))
	b = appendUint(b, uint64(len(s.messages)))
	for _, p := range s.messages {
		b = appendUint(b, uint64(p.id))
	}
	return b
}
