// Package session remembers between runs of dscope what was open, and what the user has
// chosen without writing it down: the script and where the cursor was, the layout, the
// filters, the theme.
//
//	session.json   what was open; the workbench that has session.lock writes it
//	session.lock   locked as long as that lives, however it ends
//	theme          the name of the theme that was chosen last, by whichever workbench
//
// Of several workbenches the first has the session: the others open nothing of it and
// write nothing over it. When it ends, the next that starts has it.
//
// A session is a convenience. What cannot be read is as if it were not there, and is
// replaced when there is something to say; what cannot be written is an error for the
// caller to tell once. Scripts that were not saved are not here but in package disk, which
// keeps their text.
package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"dscope.dev/ui/home"
)

// A Session is what was open.
type Session struct {
	Documents []Document        `json:"documents,omitempty"` // the one in front first
	Layout    Layout            `json:"layout,omitzero"`
	Filters   map[string]string `json:"filters,omitempty"` // of aggregations, by name
}

// A Document is a script that has a file. Line and column count from 1.
type Document struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// A Layout is what the user has made of the panes. The numbers are the owner's, who takes
// those of its own form alone.
type Layout struct {
	Usual []int `json:"usual,omitempty"`
	Wide  []int `json:"wide,omitempty"`
	Zoom  bool  `json:"zoom,omitempty"`
}

// The bounds of what is read.
const (
	maxSize      = 1 << 20
	maxDocuments = 100
)

// A Store is where a session rests. A nil Store remembers nothing.
type Store struct {
	dir    string
	unlock func() error // nil if another workbench has the session

	mu     sync.Mutex
	last   string // what was written last
	closed bool
}

// Open returns the store of a state folder and what was remembered there. If another
// workbench has the session, or the folder is of no use, the Store is there all the same.
func Open(dir string) (*Store, Session, error) {
	s := &Store{dir: dir}
	unlock, ok, err := home.Lock(s.file("lock"))
	if err != nil {
		return s, Session{}, fmt.Errorf("remember the session: %w", err)
	}
	if !ok {
		return s, Session{}, nil
	}
	s.unlock = unlock
	data, err := home.Read(s.file("json"), maxSize)
	var old Session
	if err != nil || json.Unmarshal(data, &old) != nil {
		old = Session{}
	}
	old.Documents = plausible(old.Documents)
	s.last = string(data)
	return s, old, nil
}

// Themes returns a store that remembers the theme and no session.
func Themes(dir string) *Store { return &Store{dir: dir} }

// plausible returns the documents that a workbench can have written.
func plausible(list []Document) (out []Document) {
	for _, d := range list[:min(len(list), maxDocuments)] {
		if filepath.IsAbs(d.Path) && !strings.ContainsRune(d.Path, 0) {
			out = append(out, Document{d.Path, max(d.Line, 1), max(d.Column, 1)})
		}
	}
	return out
}

func (s *Store) file(end string) string { return filepath.Join(s.dir, "session."+end) }

// Shared reports whether another workbench has the session.
func (s *Store) Shared() bool { return s != nil && s.unlock == nil }

// Save writes what is open. It does nothing if that is what was written last, or if another
// workbench has the session. It may be called from any goroutine.
func (s *Store) Save(now Session) error {
	if s == nil || s.unlock == nil {
		return nil
	}
	data, err := json.MarshalIndent(now, "", "\t")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || string(data) == s.last {
		return nil
	}
	if err := home.Write(s.file("json"), data); err != nil {
		return fmt.Errorf("remember the session: %w", err)
	}
	s.last = string(data)
	return nil
}

// Close gives the session to the next workbench. What is saved afterwards is lost.
func (s *Store) Close() error {
	if s == nil || s.unlock == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.unlock()
}

// Theme returns the name of the theme that was chosen last; "" if none was.
func (s *Store) Theme() string {
	if s == nil {
		return ""
	}
	data, err := home.Read(filepath.Join(s.dir, "theme"), 100)
	name := strings.TrimSpace(string(data))
	if err != nil || strings.ContainsFunc(name, unicode.IsControl) {
		return ""
	}
	return name
}

// SaveTheme remembers the theme that was chosen.
func (s *Store) SaveTheme(name string) error {
	if s == nil {
		return nil
	}
	if err := home.Write(filepath.Join(s.dir, "theme"), []byte(name+"\n")); err != nil {
		return fmt.Errorf("remember the theme: %w", err)
	}
	return nil
}

// Gone reports whether a document is there no more.
func (d Document) Gone() bool {
	_, err := home.Stat(d.Path)
	return errors.Is(err, fs.ErrNotExist)
}
