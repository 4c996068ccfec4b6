package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestShortKeys counts by strings of every length. The short ones have tables of their own, and
// nothing of that is seen: not at the bounds, nor where a string is not what the key ends with.
func TestShortKeys(t *testing.T) {
	e := tracing(t)
	s := started(t, e, `
syscall::openat:entry /pid == $target/ { this->s = copyinstr(arg1); }
syscall::openat:entry /pid == $target && strstr(this->s, "shortkey") != NULL/ {
	@alone[copyinstr(arg1)] = count();
	@amid[1, copyinstr(arg1), pid, "x"] = sum(2);
	@two[copyinstr(arg1), strjoin(copyinstr(arg1), "y")] = count();
}`, os.Getpid(), "self")
	const most = 256 // strsize
	name := func(n int) string { return "shortkey" + strings.Repeat("k", n-len("shortkey")) }
	want := map[string]int64{}
	for round := range 3 {
		for n := len("shortkey"); n < 300; n++ {
			if n%(round+1) > 0 {
				continue
			}
			if fd, err := unix.Open(name(n), unix.O_RDONLY, 0); err == nil {
				unix.Close(fd)
			}
			want[name(min(n, most))]++
		}
	}
	s.Stop()
	got := all(s, 0)
	if len(got.status.Drops) > 0 {
		t.Fatalf("lost: %v", got.status.Drops)
	}
	for _, a := range got.snap.Aggs {
		seen := map[string]int64{}
		for _, r := range a.Rows {
			switch a.Name {
			case "alone":
				seen[r.Keys[0].Str] = r.Value
			case "amid":
				seen[r.Keys[1].Str] = r.Value / 2
				if r.Keys[0].Int != 1 || r.Keys[2].Int != int64(os.Getpid()) || r.Keys[3].Str != "x" {
					t.Errorf("@amid: key %v", r.Keys)
				}
			case "two":
				seen[r.Keys[0].Str] = r.Value
				if second := r.Keys[1].Str; second != (r.Keys[0].Str + "y")[:min(len(r.Keys[0].Str)+1, most)] {
					t.Errorf("@two: %q with %q", r.Keys[0].Str, second)
				}
			}
		}
		if len(seen) != len(a.Rows) || len(seen) != len(want) {
			t.Errorf("@%s: %d rows of %d names, want %d", a.Name, len(a.Rows), len(seen), len(want))
		}
		for key, n := range want {
			if seen[key] != n {
				t.Errorf("@%s: %d of the name of %d bytes, want %d", a.Name, seen[key], len(key), n)
			}
		}
	}
}

// TestManyShortKeys has so many aggregations that there is no room for more tables.
func TestManyShortKeys(t *testing.T) {
	e := tracing(t)
	for _, many := range []int{4, 12, 24} {
		var script strings.Builder
		script.WriteString("syscall::openat:entry /pid == $target/ { this->n = copyinstr(arg1); }\n")
		for i := range many {
			fmt.Fprintf(&script, "syscall::openat:entry /pid == $target && this->n == \"manyshort\"/ { @n%d[copyinstr(arg1), %d] = count(); }\n", i, i)
		}
		s := started(t, e, script.String(), os.Getpid(), "self")
		for range 5 {
			unix.Open("manyshort", unix.O_RDONLY, 0)
		}
		s.Stop()
		got := all(s, 0)
		if len(got.status.Drops) > 0 || len(got.snap.Aggs) != many {
			t.Fatalf("%d aggregations of %d, lost: %v", len(got.snap.Aggs), many, got.status.Drops)
		}
		for i, a := range got.snap.Aggs {
			if len(a.Rows) != 1 || a.Rows[0].Value != 5 || a.Rows[0].Keys[0].Str != "manyshort" || a.Rows[0].Keys[1].Int != int64(i) {
				t.Errorf("of %d, @%s: %+v", many, a.Name, a.Rows)
			}
		}
	}
}
