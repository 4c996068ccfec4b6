package disk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Keeper keeps a copy of the unsaved text of one running editor under the
// state folder, so that neither a crash nor a closed window loses it:
//
//	unsaved/<n>.lock   locked as long as the editor lives
//	unsaved/<n>.copy   one line of JSON about the script, then its text
//
// The lock is the kernel's, so that it ends with the process however that
// ends. A copy whose lock is free belongs to nobody any more: an orphan, which
// the next editor of the same script takes over. Copies are replaced whole.
//
// Its methods may be called from several goroutines; a copy never gives way to
// an older one.
type Keeper struct {
	dir  string
	mu   sync.Mutex
	lock *os.File
	last int // version of the newest text kept or dropped
}

// about is the first line of a copy.
type about struct {
	Path string    `json:"path"` // "" if the script has no name yet
	Time time.Time `json:"time"`
}

// NewKeeper returns a keeper for an editor that begins now; state is StateDir.
func NewKeeper(state string) (*Keeper, error) {
	dir := unsaved(state)
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("keep unsaved text: %w", err)
	}
	f, err := os.CreateTemp(dir, "*.lock")
	if err != nil {
		return nil, fmt.Errorf("keep unsaved text: %w", err)
	}
	giveAway(f)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close(), os.Remove(f.Name()))
	}
	return &Keeper{dir: dir, lock: f}, nil
}

func unsaved(state string) string { return filepath.Join(state, "unsaved") }

func (k *Keeper) copyName() string {
	return strings.TrimSuffix(k.lock.Name(), ".lock") + ".copy"
}

// Keep writes the copy. Of an older text than the last it takes no notice.
func (k *Keeper) Keep(version int, path, text string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lock == nil || version <= k.last {
		return nil
	}
	head, err := json.Marshal(about{path, time.Now()})
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(k.dir, "*.tmp")
	if err != nil {
		return fmt.Errorf("keep unsaved text: %w", err)
	}
	giveAway(tmp)
	err = finish(tmp, string(head)+"\n"+text)
	if err == nil {
		err = os.Rename(tmp.Name(), k.copyName())
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("keep unsaved text: %w", err)
	}
	k.last = version
	return nil
}

// Drop removes the copy, because the text of that version is saved. Copies of
// this version or older will not come back; that of a newer one stays.
func (k *Keeper) Drop(version int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lock == nil || version < k.last {
		return nil
	}
	k.last = version
	return ignoreMissing(os.Remove(k.copyName()))
}

// Close removes copy and lock: the editor ends and needs neither. It may be
// called twice.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lock == nil {
		return nil
	}
	err := errors.Join(ignoreMissing(os.Remove(k.copyName())), ignoreMissing(os.Remove(k.lock.Name())), k.lock.Close())
	k.lock = nil
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// An Orphan is a copy whose editor is gone.
type Orphan struct {
	Path string // of the script; "" if it had no name
	Text string
	Time time.Time // when it was written
	file string
}

// Orphans returns the copies under state of the script at path that no living
// editor holds, the newest first; an empty path is that of scripts without a
// name.
func Orphans(state, path string) ([]Orphan, error) {
	locks, err := filepath.Glob(filepath.Join(unsaved(state), "*.lock"))
	if err != nil {
		return nil, err
	}
	var out []Orphan
	for _, lock := range locks {
		if held(lock) {
			continue
		}
		file := strings.TrimSuffix(lock, ".lock") + ".copy"
		o, err := readCopy(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			os.Remove(lock) // an editor that was killed with nothing unsaved
		case err == nil && o.Path == path:
			out = append(out, o)
		}
	}
	for i := 1; i < len(out); i++ {
		for j := i; j > 0 && out[j].Time.After(out[j-1].Time); j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out, nil
}

// held reports whether a living process holds the lock.
func held(lock string) bool {
	f, err := os.OpenFile(lock, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return true // whatever it is, it is not ours to take
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}

// readCopy reads a copy. It follows no link: root must not be led by one to a
// file that the owner of the folder may not read.
func readCopy(file string) (Orphan, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Orphan{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return Orphan{}, err
	}
	head, body, ok := bytes.Cut(data, []byte("\n"))
	var a about
	if err := json.Unmarshal(head, &a); err != nil || !ok {
		return Orphan{}, fmt.Errorf("%s is no copy of a script", file)
	}
	return Orphan{Path: a.Path, Text: string(body), Time: a.Time, file: file}, nil
}

// Discard removes an orphan, once its text is safe elsewhere or not wanted.
func (o Orphan) Discard() error {
	return errors.Join(ignoreMissing(os.Remove(o.file)), ignoreMissing(os.Remove(strings.TrimSuffix(o.file, ".copy")+".lock")))
}
