package container

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A Source is one that knows names: a socket or files of a runtime.
type Source struct {
	Runtime string
	Path    string
	Idle    bool  // nothing runs whose name it could know, so that it was not asked
	Err     error // why it told nothing
}

// String says what came of it.
func (s Source) String() string {
	said := "asked"
	switch {
	case errors.Is(s.Err, fs.ErrNotExist):
		said = "absent"
	case s.Err != nil:
		said = printable(s.Err.Error())
	case s.Idle:
		said = "not asked: nothing of it runs"
	}
	return fmt.Sprintf("%s, %s: %s", s.Runtime, s.Path, said)
}

// What is believed of others.
const (
	mostConfig = 4 << 20  // bytes of the configuration of one container
	mostAnswer = 32 << 20 // bytes of the answer about all
	patience   = 2 * time.Second
)

// labels are what Kubernetes has runtimes note of what they run.
type labels map[string]string

func (l labels) any(keys ...string) string {
	for _, k := range keys {
		if l[k] != "" {
			return printable(l[k])
		}
	}
	return ""
}

// takeFrom notes what the labels tell of c.
func (c *Container) takeFrom(l labels) {
	name := l.any("io.kubernetes.cri.container-name", "io.kubernetes.container.name", "nerdctl/name")
	kind := l.any("io.kubernetes.cri.container-type", "io.kubernetes.cri-o.ContainerType", "io.kubernetes.docker.type")
	c.Sandbox = c.Sandbox || kind == "sandbox" || kind == "podsandbox"
	if !c.Sandbox {
		c.Name = cmp.Or(name, c.Name) // docker has another, longer one for what is in a pod
		c.Image = cmp.Or(c.Image, l.any("io.kubernetes.cri.image-name", "io.kubernetes.cri-o.ImageName"))
	}
	c.Pod = cmp.Or(c.Pod, l.any("io.kubernetes.cri.sandbox-name", "io.kubernetes.pod.name"))
	c.Space = cmp.Or(c.Space, l.any("io.kubernetes.cri.sandbox-namespace", "io.kubernetes.pod.namespace"))
}

// name finds out what containers are called, and says who was asked. Files come before
// sockets: a socket may first have to start who answers.
func (m Machine) name(ctx context.Context, list []Container) []Source {
	var sources []Source
	for _, dir := range []string{"containerd", "k3s/containerd", "docker/containerd/daemon"} {
		sources = append(sources, m.bundles(list, containerd, filepath.Join(m.Run, dir, "io.containerd.runtime.v2.task"), "*", ""))
	}
	sources = slices.DeleteFunc(sources, func(s Source) bool { // one place of these is enough to be told of
		return s.Err != nil && s.Path != sources[0].Path
	})
	sources = append(sources,
		m.bundles(list, crio, filepath.Join(m.Run, "containers/storage/overlay-containers"), "", "userdata"),
		m.stored(list))
	sources = append(sources, m.socket(ctx, list, docker, filepath.Join(m.Run, "docker.sock"), ""),
		m.socket(ctx, list, podman, filepath.Join(m.Run, "podman/podman.sock"), ""))
	// Users have runtimes of their own. What theirs tells counts for what is theirs alone.
	for _, own := range []struct{ runtime, path string }{{docker, "docker.sock"}, {podman, "podman/podman.sock"}} {
		found, _ := filepath.Glob(filepath.Join(m.Run, "user/*", own.path))
		for _, path := range found {
			uid, _, _ := strings.Cut(strings.TrimPrefix(path, filepath.Join(m.Run, "user")+"/"), "/")
			if _, err := strconv.ParseUint(uid, 10, 32); err == nil {
				sources = append(sources, m.socket(ctx, list, own.runtime, path, "/user-"+uid+".slice/"))
			}
		}
	}
	return sources
}

// nameless lists the containers whose names a runtime may know and nobody else has told.
func nameless(list []Container, runtime, within string) (some []*Container) {
	for i := range list {
		c := &list[i]
		if c.Name == "" && !c.Sandbox && (c.Runtime == runtime || c.Runtime == "") && strings.Contains(c.Group+"/", within) {
			some = append(some, c)
		}
	}
	return some
}

// bundles reads the configurations that a runtime keeps of what runs, in a folder for each ID
// below dir. Its annotations are what Kubernetes and its like have noted.
func (m Machine) bundles(list []Container, runtime, dir, above, below string) Source {
	s := Source{Runtime: runtime, Path: dir, Idle: true}
	if _, s.Err = os.Stat(dir); s.Err != nil {
		return s
	}
	for i := range list {
		c := &list[i]
		if !isID(c.ID) {
			continue
		}
		found, _ := filepath.Glob(filepath.Join(dir, above, c.ID, below, "config.json"))
		if len(found) == 0 {
			continue
		}
		s.Idle = false
		var config struct{ Annotations labels }
		if err := readJSON(found[0], &config); err != nil {
			s.Err = errors.Join(s.Err, err)
			continue
		}
		c.takeFrom(config.Annotations)
		switch manager := config.Annotations["io.container.manager"]; {
		case manager == "libpod":
			c.Runtime = podman
		case filepath.Base(filepath.Dir(filepath.Dir(found[0]))) == "moby": // docker's part of containerd
			c.Runtime = docker
		case c.Runtime == "":
			c.Runtime = runtime
		}
	}
	return s
}

// stored reads the names under which podman keeps its containers.
func (m Machine) stored(list []Container) Source {
	s := Source{Runtime: podman, Path: filepath.Join(m.Lib, "containers/storage/overlay-containers/containers.json")}
	if _, s.Err = os.Stat(s.Path); s.Err != nil {
		return s
	}
	some := nameless(list, podman, "")
	if s.Idle = len(some) == 0; s.Idle {
		return s
	}
	var kept []struct {
		ID       string
		Names    []string
		Metadata string // JSON, too
	}
	if s.Err = readJSON(s.Path, &kept); s.Err != nil {
		return s
	}
	for _, c := range some {
		for _, k := range kept {
			if k.ID != c.ID || len(k.Names) == 0 {
				continue
			}
			var more struct {
				Image string `json:"image-name"`
			}
			_ = json.Unmarshal([]byte(k.Metadata), &more) // an image that is not known is no harm
			c.Name, c.Image, c.Runtime = printable(k.Names[0]), cmp.Or(c.Image, printable(more.Image)), cmp.Or(c.Runtime, podman)
		}
	}
	return s
}

// socket asks a runtime for what runs, as docker's API has it; podman has the same. What it
// tells counts within those control groups whose path has a certain part.
func (m Machine) socket(ctx context.Context, list []Container, runtime, path, within string) Source {
	s := Source{Runtime: runtime, Path: path}
	if _, s.Err = os.Stat(path); s.Err != nil {
		return s
	}
	some := nameless(list, runtime, within)
	if s.Idle = len(some) == 0; s.Idle {
		return s
	}
	var told []listed
	if told, s.Err = ask(ctx, path); s.Err != nil {
		return s
	}
	for _, c := range some {
		i := slices.IndexFunc(told, func(t listed) bool { return t.ID == c.ID })
		if i < 0 {
			continue
		}
		if t := told[i]; len(t.Names) > 0 {
			c.Name = printable(strings.TrimPrefix(t.Names[0], "/"))
		}
		c.Image, c.Runtime = cmp.Or(c.Image, printable(told[i].Image)), cmp.Or(c.Runtime, runtime)
		c.takeFrom(told[i].Labels)
	}
	return s
}

// A listed container is one of the answer.
type listed struct {
	ID     string `json:"Id"`
	Names  []string
	Image  string
	Labels labels
}

// ask gets the list of what runs.
func ask(ctx context.Context, path string) (told []listed, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %v", patience))
	defer cancel()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", path)
		}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/containers/json", nil)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, bare(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %s", answer.Status)
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, mostAnswer)).Decode(&told); err != nil {
		return nil, fmt.Errorf("its answer makes no sense: %w", err)
	}
	return told, nil
}

// bare strips an error of what its reader is told anyway.
func bare(err error) error {
	var op *net.OpError
	var sys *os.SyscallError
	switch {
	case errors.As(err, &sys):
		return sys.Err
	case errors.As(err, &op):
		return op.Err
	}
	return err
}

func readJSON(path string, to any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, mostConfig)).Decode(to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// printable returns text as a terminal may have it.
func printable(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) < 0 {
		return text
	}
	return strconv.Quote(text)
}
