package kernel_test

import (
	"encoding/binary"
	"testing"
	"testing/fstest"

	"dscope.dev/probes/kernel/kerneltest"
)

// TestBuildID reads notes, those too that make no sense.
func TestBuildID(t *testing.T) {
	note := func(name string, kind uint32, desc string) []byte {
		b := binary.NativeEndian.AppendUint32(nil, uint32(len(name)))
		b = binary.NativeEndian.AppendUint32(b, uint32(len(desc)))
		b = append(binary.NativeEndian.AppendUint32(b, kind), name...)
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
		b = append(b, desc...)
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
		return b
	}
	id := note("GNU\x00", 3, "\x01\x02\xfe")
	other := note("Xen\x00", 6, "linux")
	for _, tt := range []struct {
		notes []byte
		want  string
	}{
		{id, "0102fe"},
		{append(other, id...), "0102fe"},
		{other, ""},
		{id[:len(id)-1], ""},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0}, ""},
		{nil, ""},
	} {
		k := kerneltest.Read(t, "linux-6.18-amd64")
		k.Sys["kernel/notes"] = &fstest.MapFile{Data: tt.notes}
		if got := k.Open(t).BuildID("vmlinux"); got != tt.want {
			t.Errorf("BuildID of %x is %q, want %q", tt.notes, got, tt.want)
		}
	}
}
