package container

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// leastPrefix is how many digits of an ID are taken for it.
const leastPrefix = 4

// Find returns the container that a word means: its ID or the beginning of it, its name,
// pod/name, namespace/pod/name; or the pod that namespace/pod means, or its name alone.
func (m Machine) Find(ctx context.Context, word string) (*Container, error) {
	list, sources, err := m.List(ctx)
	if err != nil {
		return nil, err
	}
	return choose(list, sources, word)
}

// choose finds what a word means. What is said more exactly comes first: an ID, a name, the
// name of a pod, the beginning of an ID.
func choose(list []Container, sources []Source, word string) (*Container, error) {
	pods := podsOf(list)
	all := append(slices.Clone(list), pods...)
	for _, is := range []func(*Container) bool{
		func(c *Container) bool { return c.ID == word },
		func(c *Container) bool { return !c.Sandbox && c.called(word) },
		func(c *Container) bool { return c.Whole && c.Pod == word },
		func(c *Container) bool {
			return len(word) >= leastPrefix && isHex(word) && !c.Whole && strings.HasPrefix(c.ID, word)
		},
	} {
		var meant []*Container
		for i := range all {
			if is(&all[i]) {
				meant = append(meant, &all[i])
			}
		}
		switch {
		case len(meant) == 1 && meant[0].Sandbox:
			if i := slices.IndexFunc(pods, func(p Container) bool { return p.ID == meant[0].podUID }); i >= 0 {
				return &pods[i], nil
			}
			fallthrough
		case len(meant) == 1:
			return meant[0], nil
		case len(meant) > 1:
			return nil, ambiguous(word, meant)
		}
	}
	return nil, unknown(list, sources, word)
}

// called reports whether a word is a name of c.
func (c *Container) called(word string) bool {
	if c.Whole {
		return c.Full() == word
	}
	return c.Name != "" && (c.Name == word || c.Pod != "" && (c.Pod+"/"+c.Name == word || c.Full() == word))
}

// podsOf returns the pods that containers are in.
func podsOf(list []Container) (pods []Container) {
	for _, c := range list {
		if c.podUID == "" {
			continue
		}
		i := slices.IndexFunc(pods, func(p Container) bool { return p.ID == c.podUID })
		if i < 0 {
			i = len(pods)
			pods = append(pods, Container{ID: c.podUID, Whole: true, Runtime: c.Runtime, Group: c.podGroup, Sandbox: true})
		}
		p := &pods[i]
		p.Space, p.Pod = cmp.Or(p.Space, c.Space), cmp.Or(p.Pod, c.Pod)
		p.Processes = append(p.Processes, c.Processes...)
		// The sandbox comes last: what it executes is of no interest.
		if p.Init == 0 || p.Sandbox && !c.Sandbox || p.Sandbox == c.Sandbox && c.first.born < p.first.born {
			p.Init, p.first, p.Sandbox = c.Init, c.first, c.Sandbox
		}
	}
	for i := range pods {
		pods[i].Sandbox = false
		slices.Sort(pods[i].Processes)
	}
	return pods
}

func ambiguous(word string, meant []*Container) error {
	var b strings.Builder
	for _, c := range meant {
		fmt.Fprintf(&b, "\n  %s", c)
	}
	return fmt.Errorf("%s may be any of these:%s", printable(word), b.String())
}

// unknown says that nothing is called so, and where it was looked.
func unknown(list []Container, sources []Source, word string) error {
	shown, nameless := 0, 0
	for i := range list {
		if list[i].Sandbox {
			continue
		}
		shown++
		if list[i].Name == "" {
			nameless++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "there is no container or pod %s: ", printable(word))
	switch {
	case shown == 0:
		b.WriteString("no process is in a control group of docker, podman, containerd, CRI-O, Kubernetes, LXC or systemd-nspawn")
	case nameless == 0:
		fmt.Fprintf(&b, "none of %d is called so (dscope containers lists them)", shown)
	default:
		fmt.Fprintf(&b, "none of %d is called so, and the names of %d are not known: they go by the beginning of their ID (dscope containers lists them)", shown, nameless)
	}
	for _, s := range sources {
		fmt.Fprintf(&b, "\n  %s", s)
	}
	return fmt.Errorf("%s", b.String())
}
