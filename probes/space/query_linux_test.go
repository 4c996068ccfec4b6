package space

import (
	"os"
	"slices"
	"testing"
)

// TestQuery holds that what the kernel answers is what it writes, of this process and
// of others.
func TestQuery(t *testing.T) {
	pids, err := Processes("/proc")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, pid := range append(pids[:min(len(pids), 50)], os.Getpid()) {
		p := Process{"/proc", pid}
		var l lines
		if l.open(p.dir("/maps")) != nil {
			continue // it has gone
		}
		got, ok := l.query()
		l.close()
		if !ok {
			if pid == os.Getpid() {
				t.Skip("this kernel answers no questions about maps (they came with Linux 6.11)")
			}
			continue
		}
		maps, _ := p.Maps()
		want := slices.DeleteFunc(maps, func(m Mapping) bool { return !m.Exec || m.File.Inode == 0 })
		if !slices.Equal(got, want) {
			if _, err := os.Stat(p.dir("")); err != nil || pid != os.Getpid() && !slices.Equal(want, again(p)) {
				continue // it changes as it is looked at
			}
			t.Errorf("process %d: got\n%v, want\n%v", pid, got, want)
		}
		asked += len(want)
	}
	if asked == 0 {
		t.Error("nothing executes anything")
	}
}

func again(p Process) []Mapping {
	maps, _ := p.Maps()
	return slices.DeleteFunc(maps, func(m Mapping) bool { return !m.Exec || m.File.Inode == 0 })
}

// TestExecutable holds that a kernel that answers no questions gives the same.
func TestExecutable(t *testing.T) {
	p := Process{"/proc", os.Getpid()}
	var l lines
	if err := l.open(p.dir("/maps")); err != nil {
		t.Fatal(err)
	}
	defer l.close()
	maps, err := p.Maps()
	if err != nil {
		t.Fatal(err)
	}
	got, want := l.executable(), slices.DeleteFunc(maps, func(m Mapping) bool { return !m.Exec })
	if !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
}
