package ast

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Dump returns the tree below n as text, for tests and for those who look inside:
// a node is (Type parts…), a list [parts…]; items and actions have lines of their
// own; what is absent or zero is left out, and so are places.
func Dump(n Node) string {
	var d dumper
	d.value(reflect.ValueOf(n))
	return d.out.String() + "\n"
}

type dumper struct {
	out    strings.Builder
	indent int
}

func (d *dumper) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			d.value(v.Elem())
		}
	case reflect.Struct:
		d.node(v)
	case reflect.Slice:
		d.list(v)
	case reflect.String:
		d.out.WriteString(word(v.String()))
	default:
		fmt.Fprint(&d.out, v.Interface())
	}
}

// node prints a struct and those of its fields that say something.
func (d *dumper) node(v reflect.Value) {
	t := v.Type()
	d.indent++
	d.out.WriteString("(" + t.Name())
	for i := range t.NumField() {
		f := v.Field(i)
		if isSkipped(f.Type()) || f.IsZero() && !(f.Kind() == reflect.Slice && !f.IsNil()) {
			continue
		}
		d.space(f)
		switch f.Kind() {
		case reflect.Bool:
			d.out.WriteString(strings.ToLower(t.Field(i).Name))
		case reflect.Uint64, reflect.Int64, reflect.Uint32:
			fmt.Fprintf(&d.out, "=%d", f.Interface())
		default:
			if named(t.Field(i).Name) {
				d.out.WriteString(strings.ToLower(t.Field(i).Name) + ":")
			}
			d.value(f)
		}
	}
	d.out.WriteByte(')')
	d.indent--
}

// space parts v from what stands before it: by a line if it is an item or an action.
func (d *dumper) space(v reflect.Value) {
	if !isLine(v) {
		d.out.WriteByte(' ')
		return
	}
	d.out.WriteByte('\n')
	d.out.WriteString(strings.Repeat("  ", d.indent))
}

func isLine(v reflect.Value) bool {
	if v.Kind() != reflect.Interface && v.Kind() != reflect.Pointer {
		return false
	}
	switch v.Interface().(type) {
	case Item, Stmt:
		return true
	}
	return false
}

// named tells the fields whose place in the node does not say what they are.
func named(field string) bool {
	switch field {
	case "Pred", "Else", "Len", "Bits", "Init", "Cond", "Step", "Max", "Out", "Module", "Provider", "Function", "Value", "Storage":
		return true
	}
	return false
}

func (d *dumper) list(v reflect.Value) {
	d.out.WriteByte('[')
	for i := range v.Len() {
		if i > 0 || isLine(v.Index(i)) {
			d.space(v.Index(i))
		}
		d.value(v.Index(i))
	}
	d.out.WriteByte(']')
}

func isSkipped(t reflect.Type) bool {
	for _, s := range skipped {
		if t == s {
			return true
		}
	}
	return false
}

// word quotes s unless it is a plain word.
func word(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n\"()[]\\") {
		return strconv.Quote(s)
	}
	return s
}
