package lab

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

var (
	kernels   = flag.String("vm", "", "kernels to boot, such as 6.1,7.2, or all")
	machines  = flag.Int("machines", 2, "how many machines may run at once")
	only      = flag.String("tests", ".", "in the machines, run the tests that this matches, as -run does")
	elsewhere = flag.String("shown", "", "a series of kernels, such as 6.18, on which the checks have been run elsewhere: there run only those that want kprobes or a machine")
	without   = flag.String("without", "", "in the machines, leave out the checks that this matches, such as killed|inline")
	turn      = flag.Int("turn", -1, "run each check on one of its kernels alone, and on the next one with the next number")
	packages  = flag.Bool("packages", false, "run the tests of packages too, beside the checks that -tests asks for")
	debug     = flag.Bool("debuginfo", false, "fetch the kernels' debug information too, hundreds of megabytes each")
	soak      = flag.Duration("soak", 20*time.Minute, "how long TestSoak traces on each kernel, if -tests asks for it")
	load      = flag.String("load", "", "what TestSoak does meanwhile, of reads,forks,futexes,sockets,memory; all if empty")
	beside    = flag.Bool("beside", false, "in the machines, have another tracer's probes stand in tracefs and its programs run, and spin on each CPU")
	each      = flag.Duration("each", 45*time.Minute, "how long one machine may run: on a quiet host it takes ten minutes, beside other work many times that")
)

// A guest is a package whose tests run in the machines, and which of them: those
// that load programs or attach, but for those that want much work done, for which
// an emulated machine is too slow, such as TestEveryFunction.
type guest struct{ pkg, run string }

// matrix is the test that runs the checks.
const matrix = "TestMatrix"

// guests returns those that have the tests asked for.
func guests() []guest {
	list := []guest{
		{"cmd/dscope", matrix},
		{"engine", "^Test(NothingLeft|FailedStart|RunContract|FailedRun|MissingHook|TimesOfFirings|StackDepths|OwnFirings|VerifierComplaint|LibraryOnThisKernel|Examples|CurrentTask|UnwoundDeep|RealUser)$"},
		{"engine/codegen", "^Test(FormerBugs|SyscallHooks|SelfLeftOut|Shared|Timer|TypedArgs|Stop|Stacks|OwnStack|Caller|Memory|Reads|Assoc|Self|" +
			"Aggregations|Records|Fault|Call|Facts|Busy|CmpXchg|Fetch|Exit|ManyClauses|LoopsAreFollowedOnce)$"},
		{"engine/internal/trial", "^TestCurrentTasks$"},
		{"engine/doctor", "^Test"},
	}
	if *only == "." {
		return list
	}
	if strings.HasPrefix(*only, matrix) {
		if *packages {
			return list
		}
		return list[:1]
	}
	for i := range list {
		list[i].run = *only
	}
	if *only == soaking {
		return list[:1]
	}
	return list[1:]
}

// soaking is the test of package cmd/dscope that has to be asked for by its name, and how
// long beyond it a machine may run that makes it.
const (
	soaking    = "^TestSoak$"
	afterwards = 15 * time.Minute
)

// limit is how long a machine may run.
func limit() time.Duration {
	if *only == soaking {
		return max(*each, *soak+afterwards)
	}
	return *each
}

// root is the folder of the module.
const root = "../.."

// checks is where the checks of the matrix are.
const checks = root + "/testdata/matrix"

// TestMatrix runs the checks and the tests of guests on each kernel.
func TestMatrix(t *testing.T) {
	if *kernels == "" {
		t.Skip("boots other kernels for minutes: -vm all")
	}
	versions := Versions()
	if *kernels != "all" {
		versions = strings.Split(*kernels, ",")
	}
	plan, err := allot(versions)
	if err != nil {
		t.Fatal(err)
	}
	luggage := pack(t)
	gate := make(chan struct{}, max(*machines, 1))
	var mu sync.Mutex
	table := map[string]map[string]string{}
	t.Cleanup(func() { t.Log("\n" + draw(table, versions)) })
	for _, v := range versions {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			if *turn >= 0 && len(plan[v]) == 0 {
				t.Skip("no check is its turn")
			}
			gate <- struct{}{}
			defer func() { <-gate }()
			row := onKernel(t, v, luggage, plan[v])
			mu.Lock()
			defer mu.Unlock()
			table[v] = row
		})
	}
}

// luggage is what every machine gets.
type luggage struct {
	files   map[string]string // as of Machine
	modules []string
}

// pack makes the luggage: the test binaries, compiled programs and the folder
// testdata, at their places below /src.
func pack(t *testing.T) *luggage {
	t.Helper()
	dir := t.TempDir()
	l := &luggage{}
	files := map[string]string{"/src/testdata": root + "/testdata", "/built": filepath.Join(dir, "built")}
	for _, g := range guests() {
		binary := filepath.Join(dir, binaryName(g.pkg))
		cmd := exec.Command("go", "test", "-c", "-o", binary, "./"+g.pkg)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=amd64")
		if _, err := output(cmd); err != nil {
			t.Fatal(err)
		}
		files["/src/"+g.pkg+"/"+binaryName(g.pkg)] = binary
		if data := filepath.Join(root, g.pkg, "testdata"); isDir(data) {
			files["/src/"+g.pkg+"/testdata"] = data
		}
	}
	archives, err := filepath.Glob(checks + "/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no checks in %s: %v", checks, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "built"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range archives {
		check, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !wanted(checkName(file)) {
			continue
		}
		if err := Build(check, filepath.Join(dir, "built", checkName(file))); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, name := range Modules(check) {
			if !slices.Contains(l.modules, name) {
				l.modules = append(l.modules, name)
			}
		}
	}
	l.files = files
	return l
}

// allot returns the checks of each kernel. One that the kernel of -shown shows outside of a
// machine, without kprobes, is not among its; what it does in a machine alone the others show.
// With -turn a check has one kernel.
func allot(versions []string) (map[string][]string, error) {
	archives, err := filepath.Glob(checks + "/*.txtar")
	if err != nil {
		return nil, err
	}
	plan, at := map[string][]string{}, *turn
	for _, file := range archives {
		name := checkName(file)
		if !wanted(name) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		takers := slices.DeleteFunc(slices.Clone(versions), func(v string) bool {
			return v == *elsewhere && !machineOnly.Match(text)
		})
		if *turn >= 0 {
			takers = takers[at%len(takers):][:1]
			at++
		}
		for _, v := range takers {
			plan[v] = append(plan[v], name)
		}
	}
	return plan, nil
}

// machineOnly is what a check says that wants kprobes.
var machineOnly = regexp.MustCompile(`fbt|kinst|kprobe`)

// wanted reports whether -tests and -without select a check.
func wanted(name string) bool {
	if left, _ := regexp.MatchString("^("+*without+")$", name); left {
		return false
	}
	_, pattern, ok := strings.Cut(*only, "/")
	if !ok {
		return true
	}
	found, err := regexp.MatchString(pattern, name)
	return err != nil || found
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func checkName(file string) string { return strings.TrimSuffix(filepath.Base(file), ".txtar") }

func binaryName(pkg string) string { return strings.ReplaceAll(pkg, "/", "_") + ".test" }

// command runs the test binaries one after another, each after a line that
// names it, and of the matrix the checks that are named.
func command(names []string, limit time.Duration) string {
	var b strings.Builder
	b.WriteString("export DSCOPE_BUILT=/built CI=true\n")
	if *only == soaking {
		fmt.Fprintf(&b, "export DSCOPE_SOAK=%v DSCOPE_LOAD=%s\n", *soak, *load)
	}
	if *beside {
		b.WriteString(others)
	}
	for _, g := range guests() {
		run := g.run
		if strings.HasPrefix(run, matrix) {
			run = matrix + "/^(" + strings.Join(names, "|") + ")$"
		}
		fmt.Fprintf(&b, "echo '%s%s'\ncd /src/%s && ./%s -test.v=test2json -test.short -test.parallel 1 -test.timeout %v -test.run '%s'\n",
			starts, g.pkg, g.pkg, binaryName(g.pkg), limit, run)
	}
	b.WriteString("exit 0\n") // each test tells for itself
	return b.String()
}

// others leaves what other tracers do behind: kprobe and uprobe events that are enabled,
// and programs at functions, a tracepoint and a uprobe that are loaded by somebody else,
// which is another dscope. Meanwhile each CPU is kept busy.
const others = `
t=/sys/kernel/tracing
echo 'p:other/reads vfs_read' >>$t/kprobe_events
echo 'r:other/writes vfs_write' >>$t/kprobe_events
echo 'p:other/starts /.lab/busybox:0x1000' >>$t/uprobe_events
for e in reads writes starts; do echo 1 >$t/events/other/$e/enable || { echo "other/$e cannot be enabled"; exit 1; }; done
ln -s /src/cmd/dscope/cmd_dscope.test /tmp/dtrace
/tmp/dtrace -x self -q -n '
	fbt::vfs_write:entry, fbt::vfs_read:return, rawtp:::sched_switch, syscall:::entry, profile-97 { @[probefunc] = count(); }' >/dev/null & other=$!
for i in $(seq $(nproc)); do while :; do :; done & done
sleep 5
kill -0 $other || { echo "the other tracer has ended"; exit 1; }
`

// starts begins the line before the output of a test binary.
const starts = "=== tests of "

// onKernel boots one kernel, runs everything and turns each test there into one
// here. It returns the outcome of each check of the matrix.
func onKernel(t *testing.T, version string, l *luggage, names []string) map[string]string {
	k, err := Fetch(version)
	if errors.Is(err, errUnreachable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit())
	defer cancel()
	if last, ok := t.Deadline(); ok { // leave time to tell what came of it
		ctx, cancel = context.WithDeadline(ctx, last.Add(-20*time.Second))
		defer cancel()
	}
	m := &Machine{Kernel: k, Files: maps.Clone(l.files), Modules: l.modules, Command: command(names, limit())}
	if *debug {
		if err := k.FetchDebug(); err != nil {
			t.Fatal(err)
		}
	}
	if file := k.Debug(); file != "" {
		m.Files["/usr/lib/debug/boot/vmlinux-"+k.Release()] = file
		m.Memory = withDebug
	}
	var out bytes.Buffer
	begun := time.Now()
	_, stopped := m.Run(ctx, &out)
	t.Logf("%s: %v", k.Release(), time.Since(begun).Round(time.Second))
	row, ran := map[string]string{}, 0
	for _, part := range strings.Split(out.String(), starts)[1:] {
		pkg, printed, _ := strings.Cut(part, "\n")
		t.Run(strings.ReplaceAll(pkg, "/", "_"), func(t *testing.T) {
			ran += report(t, version, printed, row)
		})
	}
	if stopped != nil {
		t.Errorf("%v", stopped)
	}
	if ran == 0 {
		t.Errorf("no test ran; the machine said:\n%s", tail(out.String(), 40))
	}
	return row
}

// withDebug is the memory, in MiB, of a machine whose file system holds debug
// information.
const withDebug = 4096

// shown is how many lines are shown of a test that failed: some list the kernel.
const shown = 100

// figures begins what a test in a machine wants to be seen here even if it passes.
const figures = "figures: "

// report makes a subtest of each test of a binary, and returns how many there were.
func report(t *testing.T, version, printed string, row map[string]string) int {
	results, err := Results([]byte(printed))
	if err != nil {
		t.Fatal(err)
	}
	if len(results) == 0 && (*packages || *only == ".") {
		t.Fatalf("no test ran:\n%s", tail(printed, 40))
	}
	for _, r := range results {
		t.Run(r.Name, func(t *testing.T) {
			name, isCheck := strings.CutPrefix(r.Name, "TestMatrix/")
			excuse := ""
			if isCheck {
				excuse = excused(t, name, version)
				row[name] = cell(r)
			}
			switch {
			case r.Outcome == "pass" && excuse != "":
				t.Errorf("passes, though %s.txtar excuses it here: %s", name, excuse)
			case r.Outcome == "pass":
				for line := range strings.Lines(r.Output) {
					if _, told, ok := strings.Cut(line, figures); ok {
						t.Log(strings.TrimSpace(told))
					}
				}
			case r.Outcome == "skip" && isCheck && excuse == "":
				t.Errorf("skipped without saying so in a line '# not on %s: …':\n%s", version, r.Output)
			case r.Outcome == "skip":
				t.Skip(r.Output)
			case r.Outcome == "":
				t.Errorf("did not end:\n%s", tail(r.Output, shown))
			default:
				t.Errorf("failed:\n%s", tail(r.Output, shown))
			}
		})
	}
	return len(results)
}

// excused returns why a check cannot be made on a kernel, or "".
func excused(t *testing.T, name, version string) string {
	t.Helper()
	check, err := txtar.ParseFile(filepath.Join(checks, name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	excuses := Excused(check)
	if k, err := Fetch(version); err == nil && k.Debug() == "" && excuses[version] == "" {
		return excuses["kernels without debug information"]
	}
	return excuses[version]
}

// cell is what the table of checks tells of one.
func cell(r *Result) string {
	said := map[string]string{"pass": "yes", "skip": "no", "fail": "FAILED", "": "no end"}[r.Outcome]
	return fmt.Sprintf("%s %.0fs", said, r.Seconds)
}

// draw lays out checks by kernels.
func draw(table map[string]map[string]string, versions []string) string {
	var names []string
	for _, row := range table {
		for name := range row {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s", "check")
	for _, v := range versions {
		fmt.Fprintf(&b, " %10s", v)
	}
	for _, name := range names {
		fmt.Fprintf(&b, "\n%-14s", name)
		for _, v := range versions {
			fmt.Fprintf(&b, " %10s", cmp.Or(table[v][name], "-"))
		}
	}
	return b.String()
}
