// Package history remembers the runs of all workbenches of a user: which script ran when, for
// how long, on which kernel, what it lost, and what its aggregations were at the end.
//
//	history/runs     a line of JSON for each run that began, and one for each end, as far as it was seen
//	history/<sum>.d  the text of a script, once, by the SHA-256 of it
//	history/lock     locked while one of them is written
//
// A run whose end nobody saw, because the workbench was killed, is remembered by its beginning.
// What cannot be read is as if it were not there. The oldest runs give way when they are many.
package history

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dscope.dev/ui/home"
)

// Most is how many runs are remembered, at least until twice as many are there.
const Most = 1000

// maxSize bounds what is read of a file, in bytes.
const maxSize = 64 << 20

// A Run is one that is remembered.
type Run struct {
	ID     string    `json:"id"` // of all runs of the user
	Began  time.Time `json:"began,omitzero"`
	Kernel string    `json:"kernel,omitempty"` // its release
	Path   string    `json:"path,omitempty"`   // of the script; "" if it had none
	Call   string    `json:"call,omitempty"`   // what it was run with, as document.ParseCall reads it
	Target int       `json:"target,omitempty"` // the process that $target was
	Sum    string    `json:"sum,omitempty"`    // of its text
	Change string    `json:"change,omitempty"` // of the script against the run before

	Ended   bool          `json:"ended,omitempty"` // its end was seen
	Length  time.Duration `json:"length,omitempty"`
	Events  uint64        `json:"events,omitempty"`
	Drops   uint64        `json:"drops,omitempty"`
	Err     string        `json:"err,omitempty"`
	Figures []string      `json:"figures,omitempty"` // what the aggregations were at the end, a line each
}

// A Store is where the runs rest. A nil Store remembers nothing.
type Store struct {
	dir  string
	most int
}

// New returns the store below a state folder; nil if that is "".
func New(state string) *Store {
	if state == "" {
		return nil
	}
	return &Store{filepath.Join(state, "history"), Most}
}

// Sum names a text.
func Sum(script string) string {
	sum := sha256.Sum256([]byte(script))
	return hex.EncodeToString(sum[:12])
}

// Begin remembers that a run of a script begins.
func (s *Store) Begin(r Run, script string) error {
	if s == nil {
		return nil
	}
	r.Sum = Sum(script)
	return s.locked(func() error {
		name := s.script(r.Sum)
		if _, err := home.Stat(name); errors.Is(err, fs.ErrNotExist) {
			if err := home.Write(name, []byte(script)); err != nil {
				return err
			}
		}
		return s.add(r)
	})
}

// End remembers how a run ended: ID and what there is to say of its end.
func (s *Store) End(r Run) error {
	if s == nil {
		return nil
	}
	return s.locked(func() error { return s.add(r.end()) })
}

// end returns what a run has to say of its end alone.
func (r Run) end() Run {
	return Run{ID: r.ID, Ended: true, Length: r.Length, Events: r.Events, Drops: r.Drops, Err: r.Err, Figures: r.Figures}
}

// List returns the runs, the newest first.
func (s *Store) List() ([]Run, error) {
	if s == nil {
		return nil, nil
	}
	data, err := home.Read(filepath.Join(s.dir, "runs"), maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history of runs: %w", err)
	}
	return parse(data), nil
}

// Script returns the text that a run was of.
func (s *Store) Script(r Run) (string, error) {
	if s == nil || strings.Trim(r.Sum, "0123456789abcdef") != "" || r.Sum == "" {
		return "", errors.New("the script is not kept")
	}
	data, err := home.Read(s.script(r.Sum), maxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("the script is not kept any more")
	case err != nil:
		return "", err
	case Sum(string(data)) != r.Sum:
		return "", fmt.Errorf("%s is another text than the one that ran", s.script(r.Sum))
	}
	return string(data), nil
}

func (s *Store) script(sum string) string { return filepath.Join(s.dir, sum+".d") }

// parse reads runs, the newest first. Lines that are none, such as one that was cut, are left
// out. The end of a short run may have been written before its beginning.
func parse(data []byte) []Run {
	var list []Run
	at, ends := map[string]int{}, map[string]Run{}
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, maxSize)
	for in.Scan() {
		var r Run
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == "" {
			continue
		}
		if r.Ended {
			if r.Length >= ends[r.ID].Length { // the one that saw more of the run
				ends[r.ID] = r
			}
		} else if _, known := at[r.ID]; !known && !r.Began.IsZero() {
			at[r.ID] = len(list)
			list = append(list, r)
		}
	}
	for i := range list {
		if r, ok := ends[list[i].ID]; ok {
			was := &list[i]
			was.Ended, was.Length, was.Events, was.Drops, was.Err, was.Figures = true, r.Length, r.Events, r.Drops, r.Err, r.Figures
		}
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// add appends a line, and makes the file shorter where it has many.
func (s *Store) add(r Run) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	name := filepath.Join(s.dir, "runs")
	var size int64 // of the file before
	err = home.As(func() error {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		if info, bad := f.Stat(); bad == nil {
			size = info.Size()
		}
		return errors.Join(appendLine(f, size, line), f.Close())
	})
	step := int64(s.most) * 100 // a run takes about 400 bytes: now and then it is looked at how many they are
	if err != nil || size/step == (size+int64(len(line))+1)/step {
		return err
	}
	return s.shorten(name)
}

// appendLine writes a line behind the size bytes of f, whole or not at all. Where a line
// before it was cut, by a loss of power or a full disk, it begins anew.
func appendLine(f *os.File, size int64, line []byte) error {
	var last [1]byte
	if size > 0 {
		if _, err := f.ReadAt(last[:], size-1); err == nil && last[0] != '\n' {
			line = append([]byte("\n"), line...)
		}
	}
	_, err := f.Write(append(line, '\n'))
	if err == nil {
		return f.Sync()
	}
	return errors.Join(err, f.Truncate(size))
}

// shorten leaves the newest runs, and the scripts that they were of.
func (s *Store) shorten(name string) error {
	data, err := home.Read(name, maxSize)
	if err != nil {
		return err
	}
	list := parse(data)
	if len(list) < 2*s.most {
		return nil
	}
	list = list[:s.most]
	var out bytes.Buffer
	kept := map[string]bool{}
	for i := len(list) - 1; i >= 0; i-- {
		began := list[i]
		began.Ended, began.Length, began.Events, began.Drops, began.Err, began.Figures = false, 0, 0, 0, "", nil
		lines := []Run{began}
		if list[i].Ended {
			lines = append(lines, list[i].end())
		}
		for _, r := range lines {
			line, err := json.Marshal(r)
			if err != nil {
				return err
			}
			out.Write(append(line, '\n'))
		}
		kept[list[i].Sum] = true
	}
	if err := home.Write(name, out.Bytes()); err != nil {
		return err
	}
	return home.As(func() error {
		entries, err := os.ReadDir(s.dir)
		for _, e := range entries {
			if sum, ok := strings.CutSuffix(e.Name(), ".d"); ok && !kept[sum] {
				os.Remove(filepath.Join(s.dir, e.Name()))
			}
		}
		return err
	})
}

// locked does something while no other workbench does.
func (s *Store) locked(do func() error) error {
	unlock, err := home.LockSoon(filepath.Join(s.dir, "lock"))
	if err != nil {
		return fmt.Errorf("remember the run: %w", err)
	}
	return errors.Join(do(), unlock())
}
