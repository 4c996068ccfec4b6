package document

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseCall(t *testing.T) {
	for _, tt := range []struct {
		line string
		want Call
		err  string
	}{
		{"", Call{}, ""},
		{"7 'two words' x", Call{Args: []string{"7", "two words", "x"}}, ""},
		{"-x bufsize=8m -xquiet -p 12 -b 4m -wZ a", Call{Args: []string{"a"}, Options: []string{"bufsize=8m", "quiet", "bufsize=4m", "destructive", "zdefs"}, Target: 12}, ""},
		{"-- -x", Call{Args: []string{"-x"}}, ""},
		{"-5 -", Call{Args: []string{"-5", "-"}}, ""},
		{"'a", Call{}, "a quote has no end"},
		{"-x", Call{}, "-x has no value"},
		{"-p me", Call{}, "-p me: a process is a number"},
		{"-c date", Call{}, "start it, and choose it"},
		{"-o f", Call{}, "-o is not known here"},
		{"-qo", Call{}, "-o is not known here"},
	} {
		got, err := ParseCall(tt.line)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v, want %q", tt.line, err, tt.err)
			}
			continue
		}
		tt.want.Line = tt.line
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q = %+v, %v, want %+v", tt.line, got, err, tt.want)
		}
	}
}
