package robot_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dscope.dev/engine/trace"
)

// stacksScript is that of a recording with stacks: a shell that starts a program without
// symbols again and again, each time at other addresses, and a shop that reads prices and
// sorts them.
const stacksScript = `profile-199 { @[execname, ustack(), stack()] = count(); }`

// stackOf returns a stack of "module`symbol" or "module@address", innermost first, with
// modules moved so many pages up.
func stackOf(kind trace.ValueKind, text string, moved uint64) trace.Value {
	v := trace.Value{Kind: kind}
	for i, s := range strings.Fields(text) {
		f := trace.Frame{Addr: uint64(0x401000 + 64*i)}
		if module, symbol, ok := strings.Cut(s, "`"); ok {
			f.Module, f.Symbol, f.Offset = module, symbol, uint64(16+4*i)
		} else {
			f.Module, s, _ = strings.Cut(s, "@")
			fmt.Sscanf(s, "%x", &f.Addr)
		}
		if kind == trace.UstackValue {
			f.Addr += moved << 12
		}
		v.Frames = append(v.Frames, f)
	}
	return v
}

// deliverStacks delivers six seconds of samples. The sorting begins after three.
func (m *made) deliverStacks() {
	r := rand.New(rand.NewPCG(5, 5))
	const entry = "vmlinux`do_syscall_64 vmlinux`entry_SYSCALL_64"
	kinds := []struct{ who, user, kernel string }{
		{"shop", "libc.so.6`read shop`read_prices shop`refresh shop`main libc.so.6`__libc_start_main", "vmlinux`copy_page_to_iter vmlinux`filemap_read vmlinux`vfs_read vmlinux`ksys_read " + entry},
		{"shop", "libc.so.6`read shop`read_prices shop`refresh shop`main libc.so.6`__libc_start_main", "vmlinux`security_file_permission vmlinux`vfs_read vmlinux`ksys_read " + entry},
		{"shop", "shop`parse_price shop`read_prices shop`refresh shop`main libc.so.6`__libc_start_main", ""},
		{"sh", "libc.so.6`fork sh`run sh`main libc.so.6`__libc_start_main", "vmlinux`copy_process vmlinux`kernel_clone " + entry},
		{"hash", "hash@1a40 hash@1377 libc.so.6`__libc_start_main", ""},
		{"hash", "hash@1b08 hash@1377 libc.so.6`__libc_start_main", "vmlinux`handle_mm_fault vmlinux`exc_page_fault"},
		{"kworker/0:1", "", "vmlinux`blk_mq_run_hw_queue vmlinux`process_one_work vmlinux`worker_thread vmlinux`kthread"},
		{"shop", "libc.so.6`qsort shop`sort_prices shop`refresh shop`main libc.so.6`__libc_start_main", ""},
	}
	t := trace.Table{KeyTypes: []string{"string", "stack", "stack"}, Normal: 1, Origins: []trace.Origin{{Clause: 1, Keys: []string{"execname", "ustack()", "stack()"}}}}
	rows := map[string]int{}
	for i := range 30 {
		time.Sleep(200 * time.Millisecond)
		t.Rows = append([]trace.Row(nil), t.Rows...)
		for range 40 {
			n := min(int(r.ExpFloat64()*2.5), 6)
			if i >= 15 && r.IntN(2) == 0 {
				n = 7
			}
			k, moved := kinds[n], uint64(0)
			if k.who == "hash" { // each is another process
				moved = 0x55d0_0000 + uint64(r.IntN(1<<16))
			}
			id := fmt.Sprint(n, moved)
			at, known := rows[id]
			if !known {
				at = len(t.Rows)
				rows[id] = at
				t.Rows = append(t.Rows, trace.Row{ID: id, Keys: []trace.Value{str(k.who), stackOf(trace.UstackValue, k.user, moved), stackOf(trace.StackValue, k.kernel, 0)}})
			}
			t.Rows[at].Value++
			t.Rows[at].Count++
		}
		at := time.Duration(i+1) * 200 * time.Millisecond
		m.snaps <- trace.Snapshot{Seq: uint64(i + 1), Time: time.Now(), Elapsed: at, Aggs: []trace.Table{t}}
		m.status <- trace.Status{State: trace.Running, Elapsed: at, Probes: 1}
	}
	m.status <- trace.Status{State: trace.Done, Elapsed: 6 * time.Second, Probes: 1}
	close(m.snaps)
	close(m.events)
	close(m.status)
}

// stacked returns that recording.
func stacked(t *testing.T) []byte {
	return recording(t, []trace.Probe{{ID: 1, Provider: "profile", Name: "profile-199"}}, madeUp{stacksScript, (*made).deliverStacks})
}
