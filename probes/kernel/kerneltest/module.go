package kerneltest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/cilium/ebpf/btf"
)

// Module returns the BTF that a kernel module adds to that of Types: one
// tracepoint, which takes a task. It is written here word by word, because the
// library writes no BTF that builds upon another.
func Module(t testing.TB, tracepoint string) []byte {
	t.Helper()
	base := Types(t)
	spec, err := btf.LoadSpecFromReader(bytes.NewReader(base))
	if err != nil {
		t.Fatal(err)
	}
	count := uint32(0) // type 0, void, is among those that All yields
	for _, err := range spec.All() {
		if err != nil {
			t.Fatal(err)
		}
		count++
	}
	var task *btf.Struct
	if err := spec.TypeByName("task_struct", &task); err != nil {
		t.Fatal(err)
	}
	id, err := spec.TypeID(task)
	if err != nil {
		t.Fatal(err)
	}
	names := binary.LittleEndian.Uint32(base[20:]) // the module's strings go on where the kernel's end
	const ptr, proto, typedef = 2 << 24, 13 << 24, 8 << 24
	types := []uint32{
		0, ptr, uint32(id),
		0, ptr, 0,
		0, proto | 2, 0, 0, count + 1, 0, count, // void (void *, struct task_struct *)
		0, ptr, count + 2,
		names + 1, typedef, count + 3,
	}
	text := "\x00btf_trace_" + tracepoint + "\x00"
	size := uint32(len(types) * 4)
	var b bytes.Buffer
	for _, v := range []any{uint16(0xeb9f), uint8(1), uint8(0), []uint32{24, 0, size, size, uint32(len(text))}, types, []byte(text)} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}
