package kernel_test

import (
	"math"
	"testing"
	"testing/fstest"

	"dscope.dev/probes/kernel/kerneltest"
)

// What is left is what the machine can give, and no more than every control group on the
// way leaves.
func TestMemoryLeft(t *testing.T) {
	for _, tt := range []struct {
		meminfo, cgroup string
		groups          map[string]string
		want            int64
	}{
		{"MemTotal: 1000 kB\nMemAvailable:   600 kB\n", "0::/\n", nil, 600 << 10},
		{"MemTotal: 1000 kB\n", "", nil, math.MaxInt64},
		{"MemAvailable: 600 kB\n", "0::/a/b\n", map[string]string{"a/b/memory.max": "max", "a/b/memory.current": "5000"}, 600 << 10},
		{"MemAvailable: 600 kB\n", "0::/a/b\n", map[string]string{"a/b/memory.max": "max", "a/b/memory.current": "5000",
			"a/memory.max": "100000\n", "a/memory.current": "60000\n"}, 40000},
		{"MemAvailable: 600 kB\n", "12:cpu:/x\n0::/a\n", map[string]string{"a/memory.max": "100000", "a/memory.current": "60000",
			"a/memory.stat": "anon 20\ninactive_file 10000\n"}, 50000},
		{"MemAvailable: 600 kB\n", "0::/../a\n", map[string]string{"a/memory.max": "100", "a/memory.current": "200"}, 0},
		{"MemAvailable: many kB\n", "0::/a\n", map[string]string{"a/memory.max": "100"}, math.MaxInt64},
	} {
		k := kerneltest.Read(t, recorded)
		k.Proc["meminfo"] = &fstest.MapFile{Data: []byte(tt.meminfo)}
		k.Proc["self/cgroup"] = &fstest.MapFile{Data: []byte(tt.cgroup)}
		for name, text := range tt.groups {
			k.Sys["fs/cgroup/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := k.Open(t).MemoryLeft(); got != tt.want {
			t.Errorf("%q in %q of %v: %d, want %d", tt.meminfo, tt.cgroup, tt.groups, got, tt.want)
		}
	}
}
