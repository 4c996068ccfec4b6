package home

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// OpenOwn opens a plain file that belongs to the user. It follows no link and waits for
// nothing. Call it within As.
func OpenOwn(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); !info.Mode().IsRegular() || !ok || int(st.Uid) != UID() {
			err = fmt.Errorf("%s is no file of the user's own", name)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read returns a plain file of at most so many bytes, as the user sees it: links are
// followed as far as the user may go.
func Read(name string, most int64) (data []byte, err error) {
	err = As(func() error {
		f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return errors.Join(err, fmt.Errorf("%s is no regular file", name))
		}
		data, err = io.ReadAll(io.LimitReader(f, most+1))
		if err == nil && int64(len(data)) > most {
			err = fmt.Errorf("%s is larger than %d bytes", name, most)
		}
		return err
	})
	return data, err
}

// Write puts data in the place of a file of the user, or leaves that as it was: what reads
// it, and whatever dies meanwhile, sees the old text or the new one. Folders are made that
// are missing; others than the user see nothing of any of them.
func Write(name string, data []byte) error {
	return As(func() error {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
		if err != nil {
			return err
		}
		_, err = tmp.Write(data)
		if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
			err = os.Rename(tmp.Name(), name)
		}
		if err != nil {
			os.Remove(tmp.Name())
		}
		return err
	})
}

// Show writes a text to a file of a folder, for other programs to show and nobody to change,
// and returns its path. If the file is there with that text it stays.
func Show(dir, name, text string) (path string, err error) {
	path = filepath.Join(dir, name)
	if old, err := Read(path, int64(len(text))); err == nil && string(old) == text {
		return path, nil
	}
	if err := Write(path, []byte(text)); err != nil {
		return "", err
	}
	return path, As(func() error { return os.Chmod(path, 0o444) })
}

// Lock takes the lock of a file, which is made if there is none, and holds it until unlock
// is called or the process ends, however that ends. ok is false if somebody else has it.
func Lock(name string) (unlock func() error, ok bool, err error) {
	var f *os.File
	err = As(func() error {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if ok, err = Take(f); ok {
		err = Sign(f)
	}
	if !ok || err != nil {
		f.Close()
		return nil, false, err
	}
	return f.Close, true, nil
}

// dying is how long a lock may be held for somebody who has been killed: a process that he was about
// to start has all that he had open, until it executes its own program.
const dying = time.Second

// Take takes the lock of an open file. It is not ok if somebody else has it, who lives as far as can be
// known: see Sign.
func Take(f *os.File) (ok bool, err error) {
	for until := time.Now().Add(dying); ; time.Sleep(5 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err == nil, err
		}
		if time.Now().After(until) || !signedByDead(f) {
			return false, nil
		}
	}
}

// Sign writes into a file whose lock was taken who has it.
func Sign(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(strconv.AppendInt(nil, int64(os.Getpid()), 10), 0)
	return err
}

// signedByDead reports whether a process has signed a file that is no more.
func signedByDead(f *os.File) bool {
	b := make([]byte, 20)
	n, _ := f.ReadAt(b, 0)
	pid, err := strconv.Atoi(string(b[:n]))
	return err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// Stat tells of a file what the user can know of it.
func Stat(name string) (info os.FileInfo, err error) {
	err = As(func() error {
		info, err = os.Stat(name)
		return err
	})
	return info, err
}

// patience is how long LockSoon waits.
const patience = 10 * time.Second

// LockSoon is Lock that waits for whoever has it, who is to have it for the time of a small
// file.
func LockSoon(name string) (unlock func() error, err error) {
	for end := time.Now().Add(patience); ; time.Sleep(time.Duration(1+rand.IntN(3)) * time.Millisecond) {
		unlock, ok, err := Lock(name)
		switch {
		case err != nil || ok:
			return unlock, err
		case time.Now().After(end):
			return nil, fmt.Errorf("%s is locked by another process", name)
		}
	}
}
