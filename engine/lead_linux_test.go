package engine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"dscope.dev/engine/trace"
)

// TestLead follows numbers of this process, of the kernel, and of a process that has ended.
func TestLead(t *testing.T) {
	e := openEngine(t)
	now := time.Now()
	path := filepath.Join(t.TempDir(), "open")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var heap, stack [1]byte
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Skip(err)
	}
	code := uint64(reflect.ValueOf(TestLead).Pointer())
	for _, tt := range []struct {
		name      string
		lead      trace.Lead
		want, err string
	}{
		{"open", trace.Lead{Kind: trace.DescriptorLead, N: uint64(file.Fd()), PID: os.Getpid(), At: now}, path, ""},
		{"not open", trace.Lead{Kind: trace.DescriptorLead, N: 1 << 20, PID: os.Getpid(), At: now}, "", "closed"},
		{"code", trace.Lead{Kind: trace.AddressLead, N: code + 1, PID: os.Getpid(), At: now}, "engine.test`dscope.dev/engine.TestLead+0x1", ""},
		{"nothing", trace.Lead{Kind: trace.AddressLead, N: 0x1000, PID: os.Getpid(), At: now}, "", ""},
		{"ended", trace.Lead{Kind: trace.DescriptorLead, N: 0, PID: ended.Process.Pid, At: now}, "", fmt.Sprintf("there is no process %d", ended.Process.Pid)},
		{"another", trace.Lead{Kind: trace.DescriptorLead, N: 0, PID: os.Getpid(), At: now.Add(-24 * time.Hour)}, "", "has its number now"},
	} {
		got, err := e.Lead(t.Context(), tt.lead)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
	for _, at := range []*byte{&heap[0], &stack[0]} { // memory of a Go program has no name
		if got, err := e.Lead(t.Context(), trace.Lead{Kind: trace.AddressLead, N: uint64(uintptr(unsafe.Pointer(at))), PID: os.Getpid(), At: now}); err != nil || strings.Contains(got, "`") {
			t.Errorf("memory: %q, %v", got, err)
		}
	}
	symbols, err := e.machine.Kernel.Symbols()
	if err != nil {
		t.Skip(err)
	}
	s, ok := symbols.Find("vmlinux", "vfs_read")
	if !ok || s.Addr == 0 {
		t.Skip("the kernel does not tell its addresses")
	}
	if got, err := e.Lead(t.Context(), trace.Lead{Kind: trace.AddressLead, N: s.Addr + 2}); err != nil || got != "vmlinux`vfs_read+0x2" {
		t.Errorf("kernel: %q, %v", got, err)
	}
	if got, err := e.Lead(t.Context(), trace.Lead{Kind: trace.AddressLead, N: 0xffff888000000000}); err != nil || got != "" {
		t.Errorf("memory of the kernel: %q, %v", got, err)
	}
}
