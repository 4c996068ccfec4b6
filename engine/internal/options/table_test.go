package options

import (
	"reflect"
	"testing"

	"dscope.dev/dlang/option"
)

// TestTable holds the two halves together: what has a field is an option, takes a value
// of its kind, and sets that field alone.
func TestTable(t *testing.T) {
	values := map[option.Kind]string{option.OnOff: "", option.Bytes: "8", option.Number: "7", option.Every: "77ms"}
	texts := map[string]string{"airbag": "7%", "estimate": "7%", "libdir": "/lib", "bufpolicy": "ring", "bufresize": "manual", "oformat": "json"}
	for name := range setters {
		spec := option.Find(name)
		if spec == nil {
			t.Errorf("%s has a field and is no option", name)
			continue
		}
		value, ok := values[spec.Kind]
		if !ok {
			value = texts[name]
		}
		o := Default()
		err := o.Set(name, value)
		if name == "grabanon" {
			if err == nil {
				t.Error("grabanon was taken")
			}
			continue
		}
		if err != nil {
			t.Errorf("%s=%s: %v", name, value, err)
			continue
		}
		if changed := changes(o); len(changed) != 1 && name != "oformat" && name != "strsize" {
			t.Errorf("%s=%s changes %v", name, value, changed)
		}
	}
}

// changes names the fields in which o is not as usual.
func changes(o Options) (names []string) {
	usual := Default()
	o.Values, usual.Values = nil, nil
	a, b := reflect.ValueOf(o), reflect.ValueOf(usual)
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			names = append(names, a.Type().Field(i).Name)
		}
	}
	return names
}

func TestOn(t *testing.T) {
	for _, tt := range []struct {
		value string
		set   bool
		want  bool
	}{{"", false, false}, {"", true, true}, {"on", true, true}, {"false", true, false}} {
		o := Default()
		if tt.set {
			if err := o.Set("rawbytes", tt.value); err != nil {
				t.Fatal(err)
			}
		}
		if got := o.On("rawbytes"); got != tt.want {
			t.Errorf("rawbytes=%q (set: %t) is %t, want %t", tt.value, tt.set, got, tt.want)
		}
	}
}
