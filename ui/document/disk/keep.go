package disk

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"dscope.dev/ui/document/text"
	"dscope.dev/ui/home"
)

// A Keeper keeps a copy of the unsaved text of one open script under the
// state folder, so that neither a crash nor a closed window loses it:
//
//	unsaved/<n>.lock   locked as long as the script is open
//	unsaved/<n>.copy   one line of JSON about the script, then its text
//
// The lock is the kernel's, so that it ends with the process however that
// ends. A copy whose lock is free belongs to nobody any more: an orphan, which
// the next editor offers. Copies are replaced whole.
//
// The folder is the user's, and root works in it as that user (package home). Nothing in it
// is believed: names have the form that they are given here, files are plain, the user's
// own and no larger than a script, and only what is locked by us is removed.
//
// Its methods may be called from several goroutines; a copy never gives way to
// an older one.
type Keeper struct {
	dir    string
	mu     sync.Mutex
	lock   *os.File // nil before there was something to keep
	last   int      // version of the newest text kept or dropped
	closed bool
}

// about is the first line of a copy.
type about struct {
	Path string    `json:"path"` // "" if the script has no name yet
	Time time.Time `json:"time"`
}

// NewKeeper returns a keeper for a script that is opened now; state is home.State. Nothing is
// written before there is something to keep.
func NewKeeper(state string) *Keeper { return &Keeper{dir: unsaved(state)} }

// begin makes the lock.
func (k *Keeper) begin() error {
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(k.dir, "*.lock")
	if err != nil {
		return err
	}
	ok, err := home.Take(f)
	if ok {
		err = home.Sign(f)
	}
	if !ok || err != nil {
		return errors.Join(fmt.Errorf("lock %s: %w", f.Name(), cmp.Or(err, errTaken)), f.Close(), os.Remove(f.Name()))
	}
	k.lock = f
	return nil
}

var errTaken = errors.New("somebody else has it")

func unsaved(state string) string { return filepath.Join(state, "unsaved") }

func (k *Keeper) copyName() string {
	return strings.TrimSuffix(k.lock.Name(), ".lock") + ".copy"
}

// Keep writes the copy. Of an older text than the last it takes no notice.
func (k *Keeper) Keep(version int, path, body string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || version <= k.last {
		return nil
	}
	head, err := json.Marshal(about{path, time.Now()})
	if err != nil {
		return err
	}
	if err := k.write(string(head) + "\n" + body); err != nil {
		return fmt.Errorf("keep unsaved text: %w", err)
	}
	k.last = version
	return nil
}

func (k *Keeper) write(body string) error {
	if k.lock == nil {
		if err := home.As(k.begin); err != nil {
			return err
		}
	}
	return home.Write(k.copyName(), []byte(body))
}

// Drop removes the copy, because the text of that version is saved. Copies of
// this version or older will not come back; that of a newer one stays.
func (k *Keeper) Drop(version int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if version < k.last {
		return nil
	}
	k.last = version
	if k.lock == nil {
		return nil
	}
	return remove(k.copyName())
}

// Close removes copy and lock: the script is closed and needs neither. It may be
// called twice.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	if k.lock == nil {
		return nil
	}
	err := errors.Join(remove(k.copyName(), k.lock.Name()), k.lock.Close())
	k.lock = nil
	return err
}

// remove removes files, as far as there are any.
func remove(names ...string) error {
	return home.As(func() error {
		var errs []error
		for _, name := range names {
			if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	})
}

// An Orphan is a copy whose editor is gone.
type Orphan struct {
	Path string // of the script; "" if it had no name
	Text string
	Time time.Time // when it was written
	file string
}

// Bounds of what is read of the folder.
const (
	maxCopies = 1000
	maxAbout  = 64 << 10 // bytes of the first line of a copy
)

// Orphans returns the copies under state of the scripts that of names by their paths, and that
// no living editor holds, the newest first. The path of a script without a name is empty.
func Orphans(state string, of func(path string) bool) (out []Orphan, err error) {
	err = home.As(func() error {
		out, err = orphans(unsaved(state), of)
		return err
	})
	slices.SortStableFunc(out, func(a, b Orphan) int { return b.Time.Compare(a.Time) })
	return out, err
}

func orphans(dir string, of func(path string) bool) ([]Orphan, error) {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(4 * maxCopies)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var out []Orphan
	for _, name := range names {
		number, ok := strings.CutSuffix(name, ".lock")
		if !ok || strings.Trim(number, "0123456789") != "" || len(out) == maxCopies {
			continue // nothing that CreateTemp has named
		}
		if o, ok := abandoned(filepath.Join(dir, number), of); ok {
			out = append(out, o)
		}
	}
	return out, nil
}

// abandoned returns the copy of a name, if it is of a script that is asked for and its lock is
// free. A lock that is free and has no copy is of an editor that was killed with nothing
// unsaved, and is removed.
func abandoned(name string, of func(path string) bool) (o Orphan, ok bool) {
	lock, err := home.OpenOwn(name + ".lock")
	if err != nil {
		return o, false // whatever it is, it is not ours to take
	}
	defer lock.Close()
	if ok, _ := home.Take(lock); !ok {
		return o, false // a living process holds it
	}
	o, err = readCopy(name+".copy", of)
	if errors.Is(err, fs.ErrNotExist) {
		os.Remove(lock.Name())
	}
	return o, err == nil && of(o.Path)
}

// readCopy reads a copy: its text only if it is of a script that is asked for.
func readCopy(file string, of func(path string) bool) (Orphan, error) {
	f, err := home.OpenOwn(file)
	if err != nil {
		return Orphan{}, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, maxAbout)
	head, err := in.ReadSlice('\n')
	var a about
	if err != nil || json.Unmarshal(head, &a) != nil {
		return Orphan{}, fmt.Errorf("%s is no copy of a script", file)
	}
	o := Orphan{Path: a.Path, Time: a.Time, file: file}
	if !of(a.Path) {
		return o, nil
	}
	body, err := io.ReadAll(io.LimitReader(in, text.MaxSize+1))
	if err == nil && len(body) > text.MaxSize {
		err = fmt.Errorf("%s is larger than a script", file)
	}
	o.Text = string(body)
	return o, err
}

// Name is what a person calls the script.
func (o Orphan) Name() string {
	if o.Path == "" {
		return "a script without a file"
	}
	return filepath.Base(o.Path)
}

// Is reports whether p is the same copy.
func (o Orphan) Is(p Orphan) bool { return o.file == p.file }

// Discard removes an orphan, once its text is safe elsewhere or not wanted.
func (o Orphan) Discard() error {
	return remove(o.file, strings.TrimSuffix(o.file, ".copy")+".lock")
}
