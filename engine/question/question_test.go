package question

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"dscope.dev/dlang/format"
	"dscope.dev/dlang/parser"
	"dscope.dev/dlang/token"
)

func TestCatalogue(t *testing.T) {
	all := All()
	if len(all) < 40 {
		t.Errorf("%d questions, want 40 at least", len(all))
	}
	titles, areas := map[string]string{}, map[string]int{}
	for _, q := range all {
		if was := titles[q.Title]; was != "" {
			t.Errorf("%s asks the same as %s: %s", q.Name, was, q.Title)
		}
		titles[q.Title] = q.Name
		areas[q.Area]++
		if !strings.HasSuffix(q.Title, "?") || len(q.Title) > 64 {
			t.Errorf("%s: the title is no question of up to 64 letters: %s", q.Name, q.Title)
		}
		if got, ok := Named(q.Name); !ok || got.Title != q.Title {
			t.Errorf("Named(%q) = %q, %t", q.Name, got.Title, ok)
		}
	}
	for _, a := range Areas {
		if areas[a] < 2 {
			t.Errorf("%d questions about %s", areas[a], a)
		}
	}
}

// TestScripts holds what a head says against the script below it.
func TestScripts(t *testing.T) {
	latency := regexp.MustCompile(`timestamp - |quantize`)
	for _, q := range All() {
		f := token.NewFile(q.Name+".d", q.Text)
		tree, list := parser.Parse(f)
		if list.Failed() {
			t.Errorf("%s: %v", q.Name, list)
			continue
		}
		if got := format.Source(f, tree); got != q.Text {
			t.Errorf("%s.d is not laid out as dscope fmt does", q.Name)
		}
		if got := strings.Contains(q.Text, "$target"); got != q.Target() {
			t.Errorf("%s: it uses $target: %t, and needs one: %t", q.Name, got, q.Target())
		}
		if got := q.About(1234); q.Target() && !strings.HasPrefix(got, "/*\n * "+q.Title+"\n *\n * ") {
			t.Errorf("%s about 1234 begins with\n%s", q.Name, got)
		}
		if about := q.About(1234); q.Target() && (strings.Contains(about, "$target") || !strings.Contains(about, "1234")) {
			t.Errorf("%s about 1234:\n%s", q.Name, about)
		}
		if strings.Contains(q.Text, "\nfbt:") && !q.FBT {
			t.Errorf("%s hooks functions of the kernel and does not say so", q.Name)
		}
		if regexp.MustCompile(`\n(syscall:::|sched:::o)`).MatchString(q.Text) && q.Cost == Low {
			t.Errorf("%s hooks every call or switch and says that its cost is low", q.Name)
		}
		if !regexp.MustCompile(`@[a-z]+\[[^\]]`).MatchString(q.Text) {
			t.Errorf("%s has no aggregation with a name and a key", q.Name)
		}
		if strings.Contains(q.Name, "latency") && !latency.MatchString(q.Text) {
			t.Errorf("%s measures no time", q.Name)
		}
	}
}

func TestFind(t *testing.T) {
	for _, tt := range []struct{ query, first string }{
		{"slow reads", "read-latency"},
		{"reads are slow", "read-latency"},
		{"which reads are slow?", "read-latency"},
		{"SLOW READS", "read-latency"},
		{"slow read", "read-latency"},
		{"slow writes", "write-latency"},
		{"disk slow", "disk-latency"},
		{"disk is slow", "disk-latency"},
		{"high cpu", "cpu-programs"},
		{"cpu usage", "cpu-programs"},
		{"who burns the processor", "cpu-programs"},
		{"which program uses the cpu", "cpu-programs"},
		{"run queue", "run-queue"},
		{"context switches", "switches"},
		{"out of memory", "oom-kills"},
		{"memory pressure", "direct-reclaim"},
		{"major faults", "major-faults"},
		{"fsync", "sync-latency"},
		{"iotop", "disk-users"},
		{"file not found", "open-failures"},
		{"who deleted", "deletions"},
		{"connection refused", "tcp-refused"},
		{"dns", "name-queries"},
		{"retransmit", "tcp-retransmits"},
		{"packet drops", "dropped-packets"},
		{"mutex contention", "mutexes"},
		{"who wakes this thread", "thread-waits"},
		{"off cpu stacks", "off-cpu-stacks"},
		{"kernel lock contention", "kernel-locks"},
		{"new processes", "execs"},
		{"killed by whom", "signals"},
		{"segfault", "crashes"},
		{"where does it crash", "crashes"},
		{"command not found", "exec-failures"},
		{"slow start", "start-latency"},
		{"round trip time", "tcp-round-trips"},
		{"bandwidth by program", "network-programs"},
		{"who uses the network", "network-programs"},
		{"write cache", "disk-flushes"},
		{"swapping", "page-fault-latency"},
		{"slabtop", "kernel-caches"},
		{"strace my program", "target-calls"},
		{"memory leak", "allocations"},
		{"mallo", "allocations"}, // while it is being typed
		{"wakeups", "wakeups"},
		{"read-latency", "read-latency"},
		{"latencies of syscalls", "system-call-latency"},
		{"slow reads of zebras", "read-latency"}, // no question has all of the words
	} {
		got := Find(tt.query)
		if len(got) == 0 || got[0].Name != tt.first {
			t.Errorf("Find(%q) begins with %s, want %s", tt.query, names(got[:min(len(got), 4)]), tt.first)
		}
	}
	if got := Find("zebra"); len(got) != 0 {
		t.Errorf("Find of what nothing is about: %s", names(got))
	}
	if got := Find("the of"); len(got) != len(All()) {
		t.Errorf("%d questions for words that tell nothing apart, want all", len(got))
	}
}

// TestMeant: what can be run without asking back, and what cannot.
func TestMeant(t *testing.T) {
	for _, tt := range []struct{ query, name string }{
		{"slow reads", "read-latency"},
		{"reads are slow", "read-latency"},
		{"Which reads are slow?", "read-latency"},
		{"read-latency", "read-latency"},
		{" Read-Latency ", "read-latency"},
		{"opensnoop", "opens"},
		{"iotop", "disk-users"},
		{"connection refused", "tcp-refused"},
		{"tcp", ""},
		{"slow", ""},
		{"disk", ""},
		{"", ""},
		{"the of", ""},
		{"zebra", ""},
		{"kernel function latency", ""}, // all words are there, far from each other
		{"slow reads of zebras", ""},    // something of it would not be answered
	} {
		got, known := Meant(tt.query)
		if known != (tt.name != "") || known && got.Name != tt.name {
			t.Errorf("Meant(%q) = %s, %t; want %q", tt.query, got.Name, known, tt.name)
		}
	}
	for _, q := range All() {
		if got, known := Meant(q.Title); !known || got.Name != q.Name {
			t.Errorf("the title of %s means %s, %t", q.Name, got.Name, known)
		}
	}
}

// ofX86 are system calls that are not on every machine that is traced: arm64 has their
// successors alone.
var ofX86 = strings.Fields("access creat dup2 epoll_create epoll_wait fork getdents link mkdir newlstat newstat open pause pipe poll readlink rename rmdir select symlink unlink vfork")

// TestArm64: whoever names system calls of x86 lets them be missing.
func TestArm64(t *testing.T) {
	for _, q := range All() {
		lets := strings.Contains(q.Text, "\n#pragma D option zdefs\n")
		named := slices.ContainsFunc(ofX86, func(call string) bool { return strings.Contains(q.Text, "\nsyscall::"+call+":") })
		if named != lets {
			t.Errorf("%s names system calls that x86 has alone: %t; lets probes be missing: %t", q.Name, named, lets)
		}
	}
}

// TestEachIsFound: whoever types what a head offers finds the question near the top.
func TestEachIsFound(t *testing.T) {
	for _, q := range All() {
		at := slices.IndexFunc(Find(q.Words[0]), func(f Question) bool { return f.Name == q.Name })
		if at < 0 || at > 2 {
			t.Errorf("%q finds %s at place %d", q.Words[0], q.Name, at+1)
		}
	}
}

func names(list []Question) string {
	var out []string
	for _, q := range list {
		out = append(out, q.Name)
	}
	return strings.Join(out, " ")
}

func TestBadHeads(t *testing.T) {
	const good = "/*\n * Why?\n *\n * Words:    a, b\n * Area:     files\n * Attaches: x\n * Cost:     low – seldom\n */\n"
	if q, err := parse("why", good); err != nil || q.Title != "Why?" || len(q.Words) != 2 || q.Why != "seldom" {
		t.Fatalf("%+v, %v", q, err)
	}
	for _, tt := range []struct{ from, to, want string }{
		{"/*", "//", "why.d: it does not begin with a comment"},
		{"*/", "", "why.d: it does not begin with a comment"},
		{" *\n", "", "why.d: the head has no fields below its title"},
		{"Area:     files", "Area:     fish", `why.d: field Area: "fish" is none of`},
		{" * Area:     files\n", "", "why.d: the head has no field Area"},
		{"low –", "dear –", `why.d: field Cost: "dear – seldom" is not low, medium or high`},
		{"low – seldom", "low", `why.d: field Cost: "low" is not`},
		{"Attaches: x", "Attaches:", "why.d: field Attaches says nothing"},
		{"Attaches: x", "Needs: wings", `why.d: field Needs: "wings" is neither`},
		{"Attaches: x", "Attach: x", `why.d: "Attach" is no field`},
		{"Attaches: x", "Area: files", "why.d: field Area is there twice"},
	} {
		_, err := parse("why", strings.Replace(good, tt.from, tt.to, 1))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q for %q: %v, want %s", tt.to, tt.from, err, tt.want)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		Find("slow reads from files")
	}
}
