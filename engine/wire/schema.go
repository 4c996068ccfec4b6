package wire

import (
	"errors"
	"fmt"
	"reflect"

	"dscope.dev/engine/trace"
)

// A program is how a type of the writer is read: into one of ours, or over.
type program struct {
	form   form
	typ    reflect.Type // nil if it is read over
	elem   *program
	fields []step
	bits   int
}

// A step reads one field of the writer.
type step struct {
	*program
	index int // of our field; -1 if we have none
}

// What a schema may hold at most: ours has some 50 types.
const (
	maxTypes  = 1 << 10
	maxFields = 1 << 8
)

// A foreign schema is that of the writer.
type foreign struct {
	types    []foreignType
	known    map[pair]*program
	failure  *program
	messages []*program // by number; those that we do not know have no type
}

type foreignType struct {
	form   form
	name   string
	elem   int
	fields []foreignField
}

type foreignField struct {
	name string
	of   int
}

// A pair is a type of the writer and what it is read into.
type pair struct {
	id  int
	typ reflect.Type
}

// learn reads a schema and matches it with ours.
func learn(d *decoder) (*foreign, error) {
	f := &foreign{known: map[pair]*program{}}
	for range d.count(maxTypes) {
		t := foreignType{form: form(d.byte()), name: d.text()}
		switch t.form {
		case formList, formPointer, formStack, formOrigins:
			t.elem = int(d.uint())
		case formStruct, formShared, formBucket:
			for range d.count(maxFields) {
				t.fields = append(t.fields, foreignField{d.text(), int(d.uint())})
			}
		}
		f.types = append(f.types, t)
	}
	failed := int(d.uint())
	var list []int
	for range d.count(maxTypes) {
		list = append(list, int(d.uint()))
	}
	if d.err == nil {
		d.err = f.check()
	}
	if d.err != nil {
		return nil, d.err
	}
	var err error
	if f.failure, err = f.match(failed, reflect.TypeFor[failure]()); err != nil {
		return nil, err
	}
	for _, id := range list {
		p, err := f.match(id, f.ours(id))
		if err != nil {
			return nil, err
		}
		f.messages = append(f.messages, p)
	}
	return f, nil
}

// check refuses what no program writes.
func (f *foreign) check() error {
	is := func(id int) bool { return id >= 0 && id < len(f.types) }
	for _, t := range f.types {
		switch t.form {
		case formList, formPointer, formStack, formOrigins:
			if !is(t.elem) {
				return fmt.Errorf("type %q of the unknown type %d", t.name, t.elem)
			}
		case formStruct, formShared, formBucket:
			if len(t.fields) == 0 {
				return fmt.Errorf("type %q without a field", t.name)
			}
			for _, of := range t.fields {
				if !is(of.of) {
					return fmt.Errorf("field %q of the unknown type %d", of.name, of.of)
				}
			}
		case formBool, formInt, formUint, formFloat, formString, formBytes, formTime, formError:
		default:
			return fmt.Errorf("type %q of the unknown form %d", t.name, t.form)
		}
	}
	return nil
}

// ours returns the message that a type of the writer is called like; nil if we have none.
func (f *foreign) ours(id int) reflect.Type {
	if id < 0 || id >= len(f.types) {
		return nil
	}
	for _, t := range messages() {
		if t.Name() == f.types[id].name {
			return t
		}
	}
	return nil
}

// shared are the types that are read even where they are not wanted, because they are
// called by their number later.
var shared = map[string]reflect.Type{
	"Frame":  reflect.TypeFor[trace.Frame](),
	"Probe":  reflect.TypeFor[trace.Probe](),
	"Bucket": reflect.TypeFor[trace.Bucket](),
}

// match returns the program that reads type id of the writer into typ, or over it if that
// is nil.
func (f *foreign) match(id int, typ reflect.Type) (*program, error) {
	if id < 0 || id >= len(f.types) {
		return nil, fmt.Errorf("the unknown type %d", id)
	}
	t := &f.types[id]
	switch t.form {
	case formShared, formBucket:
		typ = shared[t.name]
	case formStack:
		typ = reflect.TypeFor[[]trace.Frame]()
	case formOrigins:
		typ = reflect.TypeFor[[]trace.Origin]()
	}
	if p, ok := f.known[pair{id, typ}]; ok {
		return p, nil
	}
	p := &program{form: t.form, typ: typ, bits: (len(t.fields) + 7) / 8}
	f.known[pair{id, typ}] = p
	if err := fits(t, typ); err != nil {
		return nil, err
	}
	var err error
	switch t.form {
	case formList, formPointer, formStack, formOrigins:
		var elem reflect.Type
		if typ != nil {
			elem = typ.Elem()
		}
		p.elem, err = f.match(t.elem, elem)
	case formStruct, formShared, formBucket:
		for _, of := range t.fields {
			s := step{index: -1}
			var into reflect.Type
			if typ != nil {
				if field, ok := typ.FieldByName(of.name); ok && len(field.Index) == 1 {
					s.index, into = field.Index[0], field.Type
				}
			}
			if s.program, err = f.match(of.of, into); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", t.name, of.name, err)
			}
			if s.program.typ != into { // one that is read wherever it stands
				s.index = -1
			}
			p.fields = append(p.fields, s)
		}
	}
	return p, err
}

// errForm is what a type that has changed meets.
var errForm = errors.New("it is of another type here: this program is too old or too new for what wrote it")

// fits refuses to read a form into a type that is not written so.
func fits(t *foreignType, typ reflect.Type) error {
	if typ == nil {
		if t.form == formShared || t.form == formBucket {
			return fmt.Errorf("%q is written once, and this program does not know it", t.name)
		}
		return nil
	}
	kind := typ.Kind()
	want, ok := special[typ]
	if !ok {
		want = kinds[kind]
	}
	switch t.form {
	case want:
		return nil
	case formBytes:
		if want == formString {
			return nil
		}
	case formString:
		if kind == reflect.String {
			return nil
		}
	}
	return errForm
}
