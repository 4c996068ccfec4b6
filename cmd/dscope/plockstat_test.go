package main

import (
	"slices"
	"strings"
	"testing"

	"dscope.dev/engine/trace"
)

func TestPlockstatFlags(t *testing.T) {
	for _, tt := range []struct {
		line string
		want lockWatch
		err  string
	}{
		{"true", lockWatch{contention: true, most: -1, command: []string{"true"}}, ""},
		{"-A ls -l", lockWatch{contention: true, holds: true, most: -1, command: []string{"ls", "-l"}}, ""},
		{"-H -s 5 -n 3 -e 10 -p 12", lockWatch{holds: true, depth: 5, most: 3, seconds: 10, pid: 12}, ""},
		{"-Hs5 -xaggsize=1m -x ustackframes=3 -- -x", lockWatch{holds: true, depth: 5, most: -1,
			options: []string{"aggsize=1m", "ustackframes=3"}, command: []string{"-x"}}, ""},
		{"-vVC a -n 3", lockWatch{contention: true, verbose: true, show: true, most: -1, command: []string{"a", "-n", "3"}}, ""},
		{"", lockWatch{}, "a command or the number of a process is needed"},
		{"-p 1 true", lockWatch{}, "only one process is allowed"},
		{"-n -1 true", lockWatch{}, "invalid count '-1'"},
		{"-s 0 true", lockWatch{}, "invalid depth '0'"},
		{"-e x true", lockWatch{}, "invalid timeout 'x'"},
		{"-p 0", lockWatch{}, "invalid pid '0'"},
		{"-n", lockWatch{}, "option requires an argument -- n"},
		{"-z true", lockWatch{}, "illegal option -- z"},
	} {
		got, err := parsePlockstat(strings.Fields(tt.line))
		if tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("%q: got %v, want %s", tt.line, err, tt.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got.command, tt.want.command) || !slices.Equal(got.options, tt.want.options) ||
			got.contention != tt.want.contention || got.holds != tt.want.holds || got.most != tt.want.most || got.depth != tt.want.depth ||
			got.seconds != tt.want.seconds || got.pid != tt.want.pid || got.verbose != tt.want.verbose || got.show != tt.want.show {
			t.Errorf("%q: got %+v, %v", tt.line, got, err)
		}
	}
}

func lockKeys(lock string, frames ...trace.Frame) []trace.Value {
	return []trace.Value{{Kind: trace.SymValue, Str: lock}, {Kind: trace.UstackValue, Frames: frames}}
}

func TestPlockstatTables(t *testing.T) {
	in := trace.Frame{Module: "libc.so.6", Symbol: "pthread_cond_wait", Offset: 4}
	own := trace.Frame{Module: "shop", Symbol: "___pthread_rwlock_unlock"}
	at := trace.Frame{Module: "shop", Symbol: "sell", Offset: 0x12}
	snap := trace.Snapshot{Aggs: []trace.Table{
		{Name: "mtx_block", Func: trace.Avg},
		{Name: "rw_w_hold", Func: trace.Avg, Rows: []trace.Row{
			{Keys: lockKeys("shop`till", own, at), Value: 10, Count: 3},
			{Keys: lockKeys("shop`door+0x8", in, at), Value: 2000, Count: 1},
			{Keys: lockKeys("0x1000", in), Value: 5, Count: 1},
		}},
		{Name: "mtx_hold", Func: trace.Avg, Rows: []trace.Row{{Keys: lockKeys("shop`till"), Value: 1, Count: 99}}},
	}}
	var b strings.Builder
	w := &lockWatch{most: -1}
	w.print(&b, snap)
	head := "Count     nsec Lock                         Caller\n" + lockBar + "\n"
	want := "\nMutex hold\n\n" + head +
		"   99        1 shop`till                    \n" +
		"\nR/W writer hold\n\n" + head +
		"    1     2000 shop`door+0x8                shop`sell+0x12\n" +
		"    3       10 shop`till                    shop`sell+0x12\n" +
		"    1        5 0x1000                       libc.so.6`pthread_cond_wait+0x4\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.Reset()
	w.most = 1
	w.print(&b, trace.Snapshot{Aggs: snap.Aggs[1:2]})
	if got := strings.Count(b.String(), "\n"); got != 6 {
		t.Errorf("-n 1 prints %d lines:\n%s", got, b.String())
	}
}

func TestPlockstatHistogram(t *testing.T) {
	at := trace.Frame{Module: "shop", Symbol: "sell"}
	table := trace.Table{Name: "mtx_spin", Func: trace.Quantize, Rows: []trace.Row{{Keys: lockKeys("shop`till", at, at, at), Buckets: []trace.Bucket{
		{Label: "512", Low: 512}, {Label: "1024", Low: 1024, Count: 3}, {Label: "2048", Low: 2048, Count: 1}, {Label: "4096", Low: 4096},
	}}}}
	var b strings.Builder
	(&lockWatch{most: -1, depth: 3}).print(&b, trace.Snapshot{Aggs: []trace.Table{table}})
	want := "\nMutex spin\n\n" + lockBar + "\nCount     nsec Lock                         Caller\n" +
		"    4     1280 shop`till                    shop`sell\n\n" +
		"      nsec ---- Time Distribution --- count Stack\n" +
		"      1024 |@@@@@@@@@@@@@@@@@@      |     3 shop`sell\n" +
		"      2048 |@@@@@@                  |     1 shop`sell\n" +
		"                                            shop`sell\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
