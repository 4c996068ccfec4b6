package drain

import (
	"fmt"
	"slices"
	"testing"

	"dscope.dev/engine/internal/load"
	"dscope.dev/engine/internal/options"
)

// TestKeeper fills the buffers of two CPUs by each policy.
func TestKeeper(t *testing.T) {
	for _, tt := range []struct {
		policy options.Policy
		size   int
		adds   []string // cpu:bytes
		want   []string // what is left, as cpu:number of the record
		refuse int      // number of the first record that has no room; -1 if all have
	}{
		{options.FillPolicy, 24, []string{"0:8", "0:8", "1:16", "0:8", "0:8"}, []string{"0:0", "0:1", "0:3", "1:2"}, 4},
		{options.FillPolicy, 8, []string{"0:12"}, nil, 0},
		{options.RingPolicy, 24, []string{"0:8", "0:8", "1:16", "0:8", "0:8"}, []string{"0:1", "0:3", "0:4", "1:2"}, -1},
		{options.RingPolicy, 24, []string{"0:8", "0:8", "0:24", "0:4"}, []string{"0:3"}, -1},
		{options.RingPolicy, 8, []string{"0:4", "0:12"}, []string{"0:1"}, -1}, // the last is always kept
	} {
		k := newKeeper(&options.Options{Policy: tt.policy, BufSize: tt.size})
		refused := -1
		for i, add := range tt.adds {
			var cpu, n int
			fmt.Sscanf(add, "%d:%d", &cpu, &n)
			if !k.add(&ring{Ring: &load.Ring{CPU: cpu}}, []byte{byte(i)}, n) && refused < 0 {
				refused = i
			}
		}
		var got []string
		for cpu, c := range k.cpus {
			for _, r := range c.records {
				got = append(got, fmt.Sprintf("%d:%d", cpu, r.raw[0]))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) || refused != tt.refuse {
			t.Errorf("policy %d, %d bytes, %v: kept %v, refused %d; want %v, %d", tt.policy, tt.size, tt.adds, got, refused, tt.want, tt.refuse)
		}
	}
	if newKeeper(&options.Options{}) != nil {
		t.Error("the switch policy keeps nothing back")
	}
}

// TestTimeline orders records by time, and those of one time as they were read.
func TestTimeline(t *testing.T) {
	line := &timeline{}
	for i, fired := range []uint64{5, 3, 5, 1, 3, 5} {
		line.add(timed{fired: fired, raw: []byte{byte(i)}})
	}
	var got []byte
	for line.waits() {
		got = append(got, line.next().raw...)
	}
	if want := []byte{3, 1, 4, 0, 2, 5}; !slices.Equal(got, want) {
		t.Errorf("records came in the order %v, want %v", got, want)
	}
}
