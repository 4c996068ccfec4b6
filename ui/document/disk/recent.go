package disk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"dscope.dev/ui/home"
)

// mostRecent is how many scripts are remembered.
const mostRecent = 100

// A Known is a script that was opened or saved, and what it was run with last.
type Known struct {
	Path string `json:"path"`
	Call string `json:"call,omitempty"` // as document.ParseCall reads it
}

// Remember puts a script first among those that were opened or saved, as Recent returns them.
// It waits for others that remember, and for the disk.
func Remember(state string, k Known) error {
	unlock, err := lock(filepath.Join(state, "recent.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	list, err := Recent(state)
	if err != nil {
		return err
	}
	list = append([]Known{k}, slices.DeleteFunc(list, func(o Known) bool { return o.Path == k.Path })...)
	var out bytes.Buffer
	for _, k := range list[:min(len(list), mostRecent)] {
		line, err := json.Marshal(k)
		if err != nil {
			return err
		}
		out.Write(append(line, '\n'))
	}
	return home.Write(filepath.Join(state, "recent"), out.Bytes())
}

// lock takes the lock of a file and waits for who has it, each of whom has it for the time of
// a small file.
func lock(name string) (unlock func() error, err error) {
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		unlock, ok, err := home.Lock(name)
		switch {
		case err != nil || ok:
			return unlock, err
		case time.Now().After(end):
			return nil, fmt.Errorf("%s is locked by another process", name)
		}
	}
}

// Recent returns the scripts that were opened or saved last, the newest first.
func Recent(state string) (list []Known, err error) {
	err = home.As(func() error {
		list, err = recent(state)
		return err
	})
	return list, err
}

func recent(state string) (list []Known, err error) {
	f, err := home.OpenOwn(filepath.Join(state, "recent"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(io.LimitReader(f, 1<<20))
	for in.Scan() && len(list) < mostRecent {
		var k Known
		if json.Unmarshal(in.Bytes(), &k) == nil && filepath.IsAbs(k.Path) {
			list = append(list, k)
		}
	}
	return list, in.Err()
}
