package browser

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

// generated returns n probes named as a kernel names its functions.
func generated(n int) []trace.Probe {
	r := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields(`read write open close sock tcp udp ip vfs ext4 xfs btrfs page cache alloc free map unmap lock unlock
		mutex spin rcu sched wake task group queue work timer irq softirq net dev skb rx tx inode dentry file path lookup create
		remove rename super mount proc sys kobj bus pci usb scsi blk bio request dispatch complete init exit probe release get put`)
	mods := []string{"vmlinux", "ext4", "xfs", "nf_conntrack", "kvm", "i915", "btrfs", "bridge"}
	out := make([]trace.Probe, 0, n)
	for len(out) < n {
		fn := words[r.IntN(len(words))]
		for range 1 + r.IntN(4) {
			fn += "_" + words[r.IntN(len(words))]
		}
		mod := mods[r.IntN(len(mods))]
		for _, name := range []string{"entry", "return"} {
			out = append(out, trace.Probe{ID: uint32(len(out) + 1), Provider: "fbt", Module: mod, Function: fn, Name: name})
		}
	}
	return out[:n]
}

func names(x *index, r *result) []string {
	var out []string
	for _, i := range r.found {
		out = append(out, x.probes[i].String())
	}
	return out
}

func TestSearchRanks(t *testing.T) {
	mk := func(list ...string) *index {
		var probes []trace.Probe
		for _, s := range list {
			p := strings.SplitN(s, ":", 4)
			probes = append(probes, trace.Probe{Provider: p[0], Module: p[1], Function: p[2], Name: p[3]})
		}
		return newIndex(probes)
	}
	for _, tt := range []struct {
		query string
		want  []string // in this order
	}{
		{"read", []string{"syscall:vmlinux:read:entry", "syscall:vmlinux:readv:entry", "fbt:vmlinux:vfs_read:entry", "fbt:vmlinux:spread:entry", "fbt:vmlinux:rt_release_and:entry"}},
		{"read entry", []string{"syscall:vmlinux:read:entry", "syscall:vmlinux:read:return"}},
		{"sysread", []string{"syscall:vmlinux:read:entry"}},
		{"READ", []string{"syscall:vmlinux:read:entry"}},
		{"syscall::read:entry", []string{"syscall:vmlinux:read:entry"}},
		{"syscall:::entry", []string{"syscall:vmlinux:read:entry", "syscall:vmlinux:readv:entry"}},
		{"sys*read:*ret", []string{"syscall:vmlinux:read:return"}},
		{"tcpsend", []string{"fbt:vmlinux:tcp_sendmsg:entry", "fbt:vmlinux:tick_periodic_send:entry"}},
	} {
		list := slices.Clone(tt.want)
		slices.Reverse(list)
		x := mk(append(list, "profile:::tick-1s")...)
		got := names(x, x.search(context.Background(), tt.query, nil))
		var hit []string
		for _, g := range got {
			if slices.Contains(tt.want, g) {
				hit = append(hit, g)
			}
		}
		want := tt.want
		if tt.query == "read entry" {
			want = want[:1]
		}
		if !slices.Equal(hit, want) {
			t.Errorf("%q found\n\t%v, want\n\t%v", tt.query, hit, want)
		}
	}
}

// TestNarrowingFindsTheSame holds that what is found does not depend on the
// keys that led to the query.
func TestNarrowingFindsTheSame(t *testing.T) {
	x := newIndex(generated(3000))
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		p := x.probes[r.IntN(len(x.probes))].String()
		from := r.IntN(len(p) - 6)
		query := p[from : from+6]
		if r.IntN(3) == 0 {
			query = query[:2] + []string{" ", "*", "::", ":::"}[r.IntN(4)] + query[3:]
		}
		var last *result
		for n := 1; n <= len(query); n++ {
			last = x.search(context.Background(), query[:n], last)
			if want := x.search(context.Background(), query[:n], nil); !slices.Equal(last.found, want.found) {
				t.Fatalf("typing %q found %d probes, searching for it %d", query[:n], len(last.found), len(want.found))
			}
		}
	}
}

func TestSearchStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := newIndex(generated(100)).search(ctx, "read", nil); r != nil {
		t.Error("a search goes on after its context has ended")
	}
}

func TestMarks(t *testing.T) {
	for _, tt := range []struct{ name, query, want string }{
		{"syscall:vmlinux:read:entry", "read", "                ^^^^"},
		{"fbt:a:tcp_sendmsg:entry", "tcpsend", "      ^^^ ^^^^"},
		{"a:b:c:d", "zz", ""},
	} {
		var got strings.Builder
		for _, m := range marks(tt.name, tt.query) {
			got.WriteByte(map[bool]byte{true: '^', false: ' '}[m])
		}
		if s := strings.TrimRight(got.String(), " "); s != tt.want {
			t.Errorf("marks(%q, %q) = %q, want %q", tt.name, tt.query, s, tt.want)
		}
	}
}

func BenchmarkSearch80k(b *testing.B) {
	x := newIndex(generated(80000))
	for _, query := range []string{"e", "r", "read", "tcp rx entry", "fbtvmtcpent", "zzz"} {
		b.Run(strings.ReplaceAll(query, " ", "+"), func(b *testing.B) {
			for b.Loop() {
				x.search(context.Background(), query, nil)
			}
		})
	}
	b.Run("typing", func(b *testing.B) { // the slowest key of a word typed letter by letter
		for b.Loop() {
			var last *result
			for n := range len("tcp_read") {
				last = x.search(context.Background(), "tcp_read"[:n+1], last)
			}
		}
	})
}

func BenchmarkIndex80k(b *testing.B) {
	probes := generated(80000)
	for b.Loop() {
		newIndex(probes)
	}
}
