package old

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"dscope.dev/engine/trace"
)

// decode reads one line. A name that is not known is an error, because what it means may
// matter.
func (r *reader) decode(line []byte, into *record) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	l := &decoder{d, r}
	if err := l.value(reflect.ValueOf(into).Elem()); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

// A decoder reads JSON into the types that names.go tells of.
type decoder struct {
	json *json.Decoder
	from *reader
}

func (d *decoder) value(v reflect.Value) error {
	t, err := d.json.Token()
	if err != nil {
		return err
	}
	return d.token(t, v)
}

// token reads the value that begins with a token.
func (d *decoder) token(t json.Token, v reflect.Value) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return d.token(t, v.Elem())
	}
	switch t := t.(type) {
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(t)
			return nil
		}
	case json.Number:
		return d.number(t, v)
	case string:
		return setText(v, t)
	case json.Delim:
		switch {
		case t == '[' && v.Kind() == reflect.Slice:
			return d.list(v)
		case t == '{' && (v.Kind() == reflect.String || v.Kind() == reflect.Interface):
			return d.binary(v)
		case t == '{' && v.Kind() == reflect.Struct:
			return d.object(v)
		}
	}
	return fmt.Errorf("%v where a %v should be", t, v.Type())
}

// number reads a number: of a list of origins it says which of those told of before.
func (d *decoder) number(n json.Number, v reflect.Value) error {
	bad := fmt.Errorf("number %s does not fit a %v", n, v.Type())
	if v.Kind() == reflect.Float64 {
		f, err := n.Float64()
		v.SetFloat(f)
		return err
	}
	if v.CanUint() {
		var u uint64
		if err := json.Unmarshal([]byte(n), &u); err != nil || v.OverflowUint(u) {
			return bad
		}
		v.SetUint(u)
		return nil
	}
	i, err := n.Int64()
	switch to := v.Addr().Interface().(type) {
	case *time.Time:
		if i != 0 {
			*to = time.Unix(0, i)
		}
		return err
	case *[]trace.Origin:
		if err != nil || i < 0 || i > int64(len(d.from.origins)) {
			return fmt.Errorf("an aggregation has the unknown origin %s", n)
		}
		if i > 0 {
			*to = d.from.origins[i-1]
		}
		return nil
	}
	if err != nil || !v.CanInt() || v.OverflowInt(i) {
		return bad
	}
	v.SetInt(i)
	return nil
}

// setText sets a string, or an error of that text.
func setText(v reflect.Value, s string) error {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(s)
	case v.Type() == reflect.TypeFor[error]():
		if s != "" {
			v.Set(reflect.ValueOf(errors.New(s)))
		}
	default:
		return fmt.Errorf("a string where a %v should be", v.Type())
	}
	return nil
}

// binary reads a string that is no UTF-8: {"b": base64}.
func (d *decoder) binary(v reflect.Value) error {
	var s string
	for d.json.More() {
		name, err := d.json.Token()
		if err == nil {
			err = d.value(reflect.ValueOf(&s).Elem())
		}
		if err == nil && name != "b" {
			err = fmt.Errorf("a string with %v", name)
		}
		if err != nil {
			return err
		}
	}
	b, err := base64.StdEncoding.DecodeString(s)
	if err == nil {
		_, err = d.json.Token() // its end
	}
	if err != nil {
		return err
	}
	return setText(v, string(b))
}

func (d *decoder) list(v reflect.Value) error {
	for d.json.More() {
		v.Grow(1)
		v.SetLen(v.Len() + 1)
		if err := d.value(v.Index(v.Len() - 1)); err != nil {
			return err
		}
	}
	_, err := d.json.Token() // its end
	return err
}

func (d *decoder) object(v reflect.Value) error {
	for d.json.More() {
		name, err := d.json.Token()
		if err != nil {
			return err
		}
		path, ok := spelled()[v.Type()][name.(string)]
		if !ok {
			return fmt.Errorf("unknown field %q", name)
		}
		to := v
		for part := range strings.SplitSeq(path, ".") {
			if to.Kind() == reflect.Pointer {
				if to.IsNil() {
					to.Set(reflect.New(to.Type().Elem()))
				}
				to = to.Elem()
			}
			to = to.FieldByName(part)
		}
		if err := d.value(to); err != nil {
			return err
		}
	}
	_, err := d.json.Token() // its end
	return err
}
