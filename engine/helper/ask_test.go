package helper

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func TestMessages(t *testing.T) {
	want := Ask{Want: WantCommand, Args: []string{"trace", "-n", "BEGIN"}, Env: []string{"A=b"}, Files: map[string][]byte{"a.d": {0, 0xff}}, Umask: 0o22}
	b, err := encoded(&want)
	if err != nil {
		t.Fatal(err)
	}
	var got Ask
	if err := receive(bytes.NewReader(b), &got, mostMessage); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v: %v", got, err)
	}
	for n := range b {
		if receive(bytes.NewReader(b[:n]), &got, mostMessage) == nil {
			t.Errorf("%d of %d bytes are taken", n, len(b))
		}
	}
	if err := receive(bytes.NewReader(b), &got, uint32(len(b)-5)); err == nil || !strings.Contains(err.Error(), "longest") {
		t.Errorf("one that is too long: %v", err)
	}
	if _, err := encoded(&Ask{Args: []string{strings.Repeat("x", mostMessage)}}); err == nil {
		t.Error("one that is too long is sent")
	}
}

// FuzzReceive holds that whatever comes is read or refused.
func FuzzReceive(f *testing.F) {
	for _, m := range []any{&Ask{Want: WantRights}, &Ask{Want: WantCommand, Args: []string{"trace"}, Files: map[string][]byte{"x": []byte("y")}}, &Signal{2}} {
		b, err := encoded(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, '{'})
	f.Fuzz(func(t *testing.T, b []byte) {
		var ask Ask
		if receive(bytes.NewReader(b), &ask, mostMessage) == nil {
			if _, err := encoded(&ask); err != nil {
				t.Fatal(err)
			}
		}
		var s Signal
		_ = receive(bytes.NewReader(b), &s, 1<<10)
	})
}
