package engine

import (
	"runtime"
	"testing"

	"github.com/cilium/ebpf"
)

// TestTicksUnderLoad has every CPU write to tables of the kernel, which passes the
// programs of clocks by meanwhile: ticks come later then, and none is lost.
func TestTicksUnderLoad(t *testing.T) {
	e := tracing(t)
	const size = 1 << 16
	quit := make(chan struct{})
	for range runtime.NumCPU() {
		m, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.Hash, KeySize: 4, ValueSize: size, MaxEntries: 1})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			var err error
			for value := make([]byte, size); err == nil; {
				select {
				case <-quit:
					ended <- nil
					return
				default:
					err = m.Put(uint32(0), value)
				}
			}
			<-quit
			ended <- err
		}()
		defer func() {
			if err := <-ended; err != nil {
				t.Error(err)
			}
			m.Close()
		}()
	}
	defer close(quit)
	s := started(t, e, `tick-100ms { @ticks = count(); } profile-100hz /cpu == 0/ { @samples = count(); } tick-2s { exit(0); }`, 0)
	o := all(s, 0)
	count := map[string]int64{}
	for _, a := range o.snap.Aggs {
		if len(a.Rows) > 0 {
			count[a.Name] = a.Rows[0].Value
		}
	}
	if n := count["ticks"]; n < 18 || n > 20 { // what is late at the end is not there yet
		t.Errorf("%d ticks in two seconds, want 20", n)
	}
	t.Logf("a clock that looks only when it is to fire did so %d times of 200", count["samples"])
}
