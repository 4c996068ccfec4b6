package container

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what is wanted of machines as it is")

// braced is a word that stands for an ID. With a number before it, it is the beginning of that.
var braced = regexp.MustCompile(`([0-9]*)\{([a-z0-9]+)\}`)

// TestMachines makes machines of archives in testdata/containers: processes (number, birth,
// numbers in the namespaces, control groups), files, and what sockets answer. Each has a want:
// which containers there are, who was asked, and what the words of find mean.
func TestMachines(t *testing.T) {
	files, err := filepath.Glob("../../testdata/containers/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no machines: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { tryMachine(t, name) })
	}
}

func tryMachine(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(text)
	m, find, want := makeMachine(t, archive)
	list, sources, err := m.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := &strings.Builder{}
	for i := range list {
		fmt.Fprintln(got, told(&list[i]))
	}
	for _, s := range sources {
		fmt.Fprintln(got, s)
	}
	for _, word := range strings.Fields(find) {
		if c, err := m.Find(context.Background(), withIDs(word)); err != nil {
			fmt.Fprintf(got, "%s: %v\n", word, err)
		} else {
			fmt.Fprintf(got, "%s: %s, target %d\n", word, c, c.Init)
		}
	}
	shown := strings.NewReplacer(m.Run, "RUN", m.Lib, "LIB").Replace(got.String())
	for _, word := range braced.FindAllStringSubmatch(string(text), -1) {
		id := idOf(word[2])
		shown = strings.NewReplacer(id, "{"+word[2]+"}", id[:shortID], "{"+word[2]+"}").Replace(shown)
	}
	if *update {
		archive.Files[len(archive.Files)-1].Data = []byte(shown)
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != want {
		t.Errorf("got\n%s\nwant\n%s", shown, want)
	}
}

// told is all that is known of a container.
func told(c *Container) string {
	s := strings.TrimSpace(c.Full() + " " + c.ID)
	if c.Sandbox {
		s += "  sandbox"
	}
	for _, part := range []struct{ what, value string }{{"runtime", c.Runtime}, {"image", c.Image}} {
		if part.value != "" {
			s += "  " + part.what + " " + part.value
		}
	}
	return s + fmt.Sprintf("  init %d of %v  group %s", c.Init, c.Processes, c.Group)
}

// idOf makes an ID of a word.
func idOf(word string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(word))) }

// withIDs puts them in.
func withIDs(text string) string {
	return braced.ReplaceAllStringFunc(text, func(s string) string {
		m := braced.FindStringSubmatch(s)
		id := idOf(m[2])
		if n, err := strconv.Atoi(m[1]); err == nil {
			return id[:n]
		}
		return id
	})
}

// makeMachine makes a machine of an archive, and returns what else stands in that.
func makeMachine(t *testing.T, archive *txtar.Archive) (m Machine, find, want string) {
	dir := t.TempDir()
	m = Machine{Proc: dir + "/proc", Run: dir + "/run", Lib: dir + "/lib"}
	write := func(path, text string) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range archive.Files {
		text := withIDs(string(f.Data))
		switch {
		case f.Name == "find":
			find = string(f.Data)
		case f.Name == "want":
			want = string(f.Data)
		case f.Name == "processes":
			for line := range strings.Lines(text) {
				p := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
				proc := "proc/" + p[0] + "/"
				write(proc+"stat", p[0]+" (x) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 "+p[1]+" 0 0")
				write(proc+"status", "Name:\tx\nNSpid:\t"+strings.ReplaceAll(p[2], ",", "\t")+"\n")
				write(proc+"cgroup", strings.ReplaceAll(p[3], "|", "\n")+"\n")
			}
		case strings.HasSuffix(f.Name, ".sock"):
			path := filepath.Join(m.Run, f.Name)
			answer(t, path, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/containers/json" {
					http.NotFound(w, r)
					return
				}
				w.Write([]byte(text))
			})
		default:
			write(withIDs(f.Name), text)
		}
	}
	return m, find, want
}

// answer serves HTTP on a socket until the test ends.
func answer(t *testing.T, path string, h http.HandlerFunc) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
}

// TestPlaces: what paths of control groups tell.
func TestPlaces(t *testing.T) {
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	for _, tt := range []struct {
		path string
		want []place
	}{
		{"/", nil},
		{"", nil},
		{"/user.slice/user-0.slice/session-3.scope", nil},
		{"/system.slice/docker-" + a + ".scope", []place{{a, docker, "/system.slice/docker-" + a + ".scope", "", ""}}},
		{"/system.slice/docker-" + a[:63] + ".scope", nil},
		{"/system.slice/docker-" + a[:63] + "g.scope", nil},
		{"/docker/" + a, []place{{a, docker, "/docker/" + a, "", ""}}},
		{"/docker/buildx", nil},
		{"/ecs/task/" + a, []place{{a, "", "/ecs/task/" + a, "", ""}}},
		{"/docker/" + a + "/docker/" + b, []place{{a, docker, "/docker/" + a, "", ""}, {b, docker, "/docker/" + a + "/docker/" + b, "", ""}}},
		{"/libpod_parent/libpod-" + a, []place{{a, podman, "/libpod_parent/libpod-" + a, "", ""}}},
		{"/machine.slice/libpod-" + a + ".scope/container", []place{{a, podman, "/machine.slice/libpod-" + a + ".scope", "", ""}}},
		{"/machine.slice/libpod-payload-" + a, []place{{a, podman, "/machine.slice/libpod-payload-" + a, "", ""}}},
		{"/machine.slice/libpod-conmon-" + a + ".scope", nil},
		{"/system.slice/nerdctl-" + a + ".scope", []place{{a, containerd, "/system.slice/nerdctl-" + a + ".scope", "", ""}}},
		{"/kubepods/burstable/pod1-2/" + a, []place{{a, "", "/kubepods/burstable/pod1-2/" + a, "1-2", "/kubepods/burstable/pod1-2"}}},
		{"/kubepods.slice/kubepods-pod1_2.slice/crio-" + a + ".scope",
			[]place{{a, crio, "/kubepods.slice/kubepods-pod1_2.slice/crio-" + a + ".scope", "1-2", "/kubepods.slice/kubepods-pod1_2.slice"}}},
		{"/kubepods.slice/kubepods-pod1.slice", nil},
		{"/kubelet/kubepods/pod1/" + a, []place{{a, "", "/kubelet/kubepods/pod1/" + a, "1", "/kubelet/kubepods/pod1"}}},
		{"/podcast/" + a, []place{{a, "", "/podcast/" + a, "", ""}}},
		{"/system.slice/kubepods-pod1.slice:cri-containerd:" + a, []place{{a, containerd, "/system.slice/kubepods-pod1.slice:cri-containerd:" + a, "", ""}}},
		{"/lxc/101/ns", []place{{"101", lxc, "/lxc/101", "", ""}}},
		{"/lxc.payload.web", []place{{"web", lxc, "/lxc.payload.web", "", ""}}},
		{"/machine.slice/machine-a\\x2db.scope", []place{{"a-b", machine, "/machine.slice/machine-a\\x2db.scope", "", ""}}},
		{"/machine.slice/machine-a\\xzz\\x", nil},
		{"/machine-a.scope", nil},
	} {
		if got := placesIn(tt.path); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: %v, want %v", tt.path, got, tt.want)
		}
	}
}

// TestDir finds the folder of a control group, wherever the hierarchy is mounted.
func TestDir(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"/proc/self", "/unified/docker/x", "/part/x"} {
		if err := os.MkdirAll(dir+sub, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m := Machine{Proc: dir + "/proc"}
	const v1 = "30 25 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
	for _, tt := range []struct{ mounts, group, want string }{
		{v1 + "31 25 0:27 / DIR/unified rw - cgroup2 cgroup2 rw\n", "/docker/x", "DIR/unified/docker/x"},
		{"31 25 0:27 /docker DIR/part rw shared:3 - cgroup2 cgroup2 rw\n", "/docker/x", "DIR/part/x"},
		{"31 25 0:27 /dock DIR/part rw - cgroup2 cgroup2 rw\n", "/docker/x", "cannot be seen here"},
		{v1, "/docker/x", "cannot be seen here"},
		{"31 25 0:27 / DIR/unified rw - cgroup2 cgroup2 rw\n", "/../docker/x", "cannot be seen here"},
		{"31 25 0:27 / DIR/unified rw - cgroup2 cgroup2 rw\n", "/docker/y", "no such file"},
		{"31 25 0:27 / DIR/unified rw - cgroup2 cgroup2 rw\n", "", "version 1"},
	} {
		if err := os.WriteFile(dir+"/proc/self/mountinfo", []byte(strings.ReplaceAll(tt.mounts, "DIR", dir)), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := m.Dir(&Container{ID: "x", Group: tt.group})
		if err != nil {
			got = err.Error()
		}
		if want := strings.ReplaceAll(tt.want, "DIR", dir); got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s in %q: %s, want %s", tt.group, tt.mounts, got, want)
		}
	}
}

// TestSockets: who does not answer, or with nonsense, costs a name and nothing else.
func TestSockets(t *testing.T) {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	for name, tt := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"silent":  {func(w http.ResponseWriter, r *http.Request) { <-over }, "no answer within"},
		"refuses": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }, "403"},
		"garbage": {func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(`{"a":`)) }, "makes no sense"},
		"empty":   {func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(`[{},{"Id":"x","Names":[]}]`)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := Machine{Run: t.TempDir()}
			path := filepath.Join(m.Run, "docker.sock")
			answer(t, path, tt.serve)
			s := m.socket(context.Background(), []Container{{ID: "x"}}, docker, path, "")
			if s.Idle || (s.Err == nil) != (tt.want == "") || s.Err != nil && !strings.Contains(s.Err.Error(), tt.want) {
				t.Errorf("got %v, want %q", s, tt.want)
			}
		})
	}
}
