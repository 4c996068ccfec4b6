// Package container finds the containers of a machine. Which there are it reads from /proc
// alone: each runtime puts what it runs into a control group whose name tells it (group.go).
// What they are called is asked of the runtimes (names.go): of docker and podman over their
// sockets, of containerd, CRI-O and podman from the files in which they keep it. What could
// not be asked is part of the answer.
//
// All that is read here others have written: it is bounded, nothing that is asked is waited
// for long, and names are free of what a terminal would not only draw.
package container

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dscope.dev/probes/space"
)

// A Container is one that has processes, or a pod, which is several.
type Container struct {
	ID      string // of its runtime: 64 hexadecimal digits, or a name; of a pod its uid
	Name    string // "" if nobody could be asked
	Runtime string // docker, podman, containerd, cri-o, lxc, machine; "" if it is not known
	Image   string // "" if it is not known

	Space, Pod string // of Kubernetes; "" outside of it
	Sandbox    bool   // it does nothing but hold the namespaces of its pod
	Whole      bool   // this is the pod itself

	Group     string // its control group in the hierarchy of version 2; "" if it has none there
	Init      int    // the process that all others of it descend from
	Processes []int  // ascending

	podUID, podGroup string
	first            birth // of Init
}

// A birth orders the processes of a container: first of all comes the one that began its pid
// namespace.
type birth struct {
	init  bool
	depth int // of the namespace
	born  uint64
}

func (b birth) before(o birth) bool {
	if b.init != o.init {
		return b.init
	}
	if b.init && b.depth != o.depth {
		return b.depth < o.depth
	}
	return b.born < o.born
}

// A Machine is where containers are looked for.
type Machine struct {
	Proc string // where the process file system lies
	Run  string // the state of the runtimes, and their sockets
	Lib  string // what they keep
}

// Here is this machine.
func Here() Machine { return Machine{Proc: "/proc", Run: "/run", Lib: "/var/lib"} }

// List returns the containers of a machine, ordered by name, and who was asked for the names.
func (m Machine) List(ctx context.Context) ([]Container, []Source, error) {
	list, err := m.running(ctx)
	if err != nil {
		return nil, nil, err
	}
	sources := m.name(ctx, list)
	for i := range list {
		if c := &list[i]; c.Name == "" && (c.Runtime == lxc || c.Runtime == machine) {
			c.Name = c.ID
		}
	}
	slices.SortFunc(list, func(a, b Container) int {
		return cmp.Or(cmp.Compare(a.Full(), b.Full()), cmp.Compare(a.ID, b.ID))
	})
	return list, sources, ctx.Err()
}

// running finds the containers by the control groups of all processes.
func (m Machine) running(ctx context.Context) ([]Container, error) {
	pids, err := space.Processes(m.Proc)
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	found := map[string]*Container{}
	for _, pid := range pids {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		in := m.around(pid)
		if len(in) == 0 {
			continue
		}
		at, ok := m.birth(pid)
		if !ok {
			continue // it has ended meanwhile
		}
		for _, p := range in {
			c := found[p.id]
			if c == nil {
				c = &Container{ID: p.id, Runtime: p.runtime, Group: p.group, podUID: p.podUID, podGroup: p.podGroup}
				found[p.id] = c
			}
			c.Processes = append(c.Processes, pid)
			if c.Init == 0 || at.before(c.first) {
				c.Init, c.first = pid, at
			}
		}
	}
	list := make([]Container, 0, len(found))
	for _, c := range found {
		list = append(list, *c)
	}
	return list, nil
}

// around returns the containers that a process is in, the outermost first.
func (m Machine) around(pid int) []place {
	text, err := os.ReadFile(m.of(pid, "cgroup"))
	if err != nil {
		return nil
	}
	var old []place
	for line := range strings.Lines(string(text)) {
		number, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		_, path, _ := strings.Cut(rest, ":")
		places := placesIn(path)
		switch {
		case number == "0" && len(places) > 0:
			return places
		case len(places) > len(old):
			old = places
		}
	}
	for i := range old { // of version 1: known by its name alone
		old[i].group, old[i].podGroup = "", ""
	}
	return old
}

func (m Machine) of(pid int, name string) string {
	return filepath.Join(m.Proc, strconv.Itoa(pid), name)
}

// birth tells when a process was born, and whether it began a pid namespace.
func (m Machine) birth(pid int) (b birth, ok bool) {
	stat, err := space.Process{Proc: m.Proc, PID: pid}.Stat()
	if err != nil || stat.State == 'Z' || stat.State == 'X' {
		return b, false
	}
	b.born = stat.Born
	status, err := os.ReadFile(m.of(pid, "status"))
	if err != nil {
		return b, false
	}
	for line := range strings.Lines(string(status)) {
		if numbers, ok := strings.CutPrefix(line, "NSpid:"); ok {
			f := strings.Fields(numbers)
			b.depth = len(f)
			b.init = len(f) > 1 && f[len(f)-1] == "1"
		}
	}
	return b, true
}

// Full returns the name with what it is part of: namespace/pod/container, or namespace/pod.
func (c *Container) Full() string {
	switch {
	case c.Pod == "":
		return c.Name
	case c.Whole || c.Sandbox:
		return c.Space + "/" + c.Pod
	}
	return c.Space + "/" + c.Pod + "/" + cmp.Or(c.Name, c.Short())
}

// Short returns the ID as people are shown it.
func (c *Container) Short() string {
	if isHex(c.ID) && len(c.ID) > shortID {
		return c.ID[:shortID]
	}
	return c.ID
}

// shortID is how many digits of an ID docker shows.
const shortID = 12

// String names the container to people.
func (c *Container) String() string {
	what := cmp.Or(c.Runtime, "container")
	if c.Whole {
		what = "pod"
	}
	if full := c.Full(); full != "" && full != c.ID {
		return fmt.Sprintf("%s (%s %s)", full, what, c.Short())
	}
	return what + " " + c.Short()
}
