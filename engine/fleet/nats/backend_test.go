package nats

import (
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/diag"
	"dscope.dev/dlang/token"
	"dscope.dev/engine/fleet"
	"dscope.dev/engine/trace"
)

func TestOwnOptions(t *testing.T) {
	const pragma = "#pragma D option hostkey"
	for _, test := range []struct {
		text string
		set  []string
		key  bool
		left []string
	}{
		{"BEGIN", []string{"quiet"}, false, []string{"quiet"}},
		{"BEGIN", []string{"quiet", "hostkey"}, true, []string{"quiet"}},
		{"BEGIN", []string{"hostkey=off"}, false, nil},
		{pragma + "\nBEGIN", nil, true, nil},
		{"BEGIN\n  " + pragma + "=on  \n", nil, true, nil},
		{pragma + "\n", []string{"hostkey=no"}, false, nil}, // the command line has the last word
		{pragma + "s\n", nil, false, nil},
		{"// " + pragma, nil, false, nil},
	} {
		s, o, err := own(trace.Script{Text: test.text, Options: test.set}, fleet.Options{})
		if err != nil {
			t.Error(err)
		}
		if left := s.Options[1:]; o.HostKey != test.key || !slices.Equal(left, test.left) {
			t.Errorf("%q with %q: hostkey is %v, left are %q", test.text, test.set, o.HostKey, left)
		}
		if len(s.Text) != len(test.text) || test.key && strings.Contains(s.Text, "hostkey") {
			t.Errorf("of %q is left %q", test.text, s.Text)
		}
	}
	if _, _, err := own(trace.Script{Options: []string{"hostkey=perhaps"}}, fleet.Options{}); err == nil {
		t.Error("hostkey=perhaps means something")
	}
}

// TestCommonComplaints puts together what three kernels complain about.
func TestCommonComplaints(t *testing.T) {
	at := token.Span{From: 1, To: 2}
	of := func(texts ...string) (l diag.List) {
		for _, text := range texts {
			l.Add(at, diag.Syntax, "%s", text)
		}
		return l
	}
	kernels := []*tracer{{card: fleet.Card{Kernel: "5.4"}}, {card: fleet.Card{Kernel: "6.1"}}, {card: fleet.Card{Kernel: "6.18"}}}
	spelled := func(l diag.List) (out []string) {
		for _, d := range l {
			kind := "warning "
			if d.Severity == diag.Error {
				kind = "error "
			}
			out = append(out, kind+d.Msg)
		}
		slices.Sort(out)
		return out
	}
	got := spelled(common(kernels, []diag.List{of("all"), of("all", "some"), of("all", "some")}))
	if want := []string{"error all", "error on Linux 6.1, 6.18: some"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = spelled(common(kernels, []diag.List{of("old"), nil, nil})) // it runs on the others
	if want := []string{"warning on Linux 5.4: old"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
