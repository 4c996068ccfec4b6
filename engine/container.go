package engine

import (
	"cmp"
	"context"
	"os"
	"sync"

	"dscope.dev/engine/container"
)

// containers are those that scripts were narrowed to, by the words that meant them. A script
// is looked at with every key that is typed; a container is looked for once.
type containers struct {
	mu    sync.Mutex
	found map[string]contained
}

// A contained is a container with its control group.
type contained struct {
	container.Container
	dir  string
	info os.FileInfo // of dir; a container that comes later has another
}

// contain narrows a script to the container that its options name: its group, and its first
// process as $target unless that is another.
func (e *Engine) contain(ctx context.Context, s *Script) error {
	word := s.Options.Values["container"]
	if word == "" {
		return nil
	}
	c, err := e.containers.find(ctx, word)
	if err != nil {
		return err
	}
	s.Target, s.group = cmp.Or(s.Target, c.Init), c.dir
	return nil
}

// Container returns the container that a word means, as option container has it.
func (e *Engine) Container(ctx context.Context, word string) (container.Container, error) {
	c, err := e.containers.find(ctx, word)
	return c.Container, err
}

func (l *containers) find(ctx context.Context, word string) (c contained, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, known := l.found[word]; known {
		if now, err := os.Stat(c.dir); err == nil && os.SameFile(now, c.info) {
			return c, nil
		}
	}
	m := container.Here()
	meant, err := m.Find(ctx, word)
	if err != nil {
		return c, err
	}
	c.Container = *meant
	if c.dir, err = m.Dir(meant); err != nil {
		return c, err
	}
	if c.info, err = os.Stat(c.dir); err != nil {
		return c, err
	}
	if l.found == nil {
		l.found = map[string]contained{}
	}
	l.found[word] = c
	return c, nil
}
