package disk

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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
	return asInvoker(func() error {
		if err := os.MkdirAll(state, 0o700); err != nil {
			return err
		}
		lock, err := os.OpenFile(filepath.Join(state, "recent.lock"), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return err
		}
		defer lock.Close()
		if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
			return err
		}
		list, err := recent(state)
		if err != nil {
			return err
		}
		list = append([]Known{k}, slices.DeleteFunc(list, func(o Known) bool { return o.Path == k.Path })...)
		var out strings.Builder
		for _, k := range list[:min(len(list), mostRecent)] {
			line, err := json.Marshal(k)
			if err != nil {
				return err
			}
			out.Write(append(line, '\n'))
		}
		return renew(filepath.Join(state, "recent"), out.String())
	})
}

// Recent returns the scripts that were opened or saved last, the newest first.
func Recent(state string) (list []Known, err error) {
	err = asInvoker(func() error {
		list, err = recent(state)
		return err
	})
	return list, err
}

func recent(state string) (list []Known, err error) {
	f, err := openOwn(filepath.Join(state, "recent"))
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

// renew writes a file of the state folder, whole or not at all.
func renew(path, text string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "*.tmp")
	if err != nil {
		return err
	}
	if err = finish(tmp, text); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
