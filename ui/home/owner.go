// Package home decides where the files of the user live, and whose they are.
//
// dscope runs under sudo more often than not. What it remembers of its user then lies in
// the folders of whoever called sudo, doas or pkexec, and belongs to that user: nothing of
// root's is left in a home. That is not done by giving files away once they are made, which
// leaves folders behind and can be led astray by links, but by acting as that user (As)
// whenever something in these folders is read, made or removed.
//
// The folders are those of the XDG base directory specification: State for what dscope
// remembers, Config for what the user has said. A home that is not there is not made.
//
// Write replaces a file whole or leaves it as it was.
package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A User is somebody for whom files are made.
type User struct {
	UID, GID int
	Home     string
}

// Invoker returns the user who called sudo, doas or pkexec; ok is false if nobody did.
func Invoker() (u User, ok bool) {
	if os.Geteuid() != 0 {
		return User{}, false
	}
	var found *user.User
	for _, by := range []struct {
		env  string
		look func(string) (*user.User, error)
	}{{"SUDO_UID", user.LookupId}, {"DOAS_USER", user.Lookup}, {"PKEXEC_UID", user.LookupId}} {
		if who := os.Getenv(by.env); who != "" && found == nil {
			found, _ = by.look(who)
		}
	}
	if found == nil {
		return User{}, false
	}
	uid, err1 := strconv.Atoi(found.Uid)
	gid, err2 := strconv.Atoi(found.Gid)
	if err1 != nil || err2 != nil || uid == 0 {
		return User{}, false
	}
	return User{uid, gid, found.HomeDir}, true
}

// Hand has a command run as u, in the groups and the home of that user.
func (u User) Hand(cmd *exec.Cmd) {
	c := &syscall.Credential{Uid: uint32(u.UID), Gid: uint32(u.GID)}
	if found, err := user.LookupId(strconv.Itoa(u.UID)); err == nil {
		groups, _ := found.GroupIds()
		for _, g := range groups {
			if n, err := strconv.ParseUint(g, 10, 32); err == nil {
				c.Groups = append(c.Groups, uint32(n))
			}
		}
		cmd.Env = append(cmd.Environ(), "USER="+found.Username, "LOGNAME="+found.Username)
	}
	cmd.Env = append(cmd.Environ(), "HOME="+u.Home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c}
}

// UID is the number of the user whose the files are.
func UID() int {
	if u, ok := Invoker(); ok {
		return u.UID
	}
	return os.Geteuid()
}

// GiveAway makes f, which the user has named, belong to the user who called sudo. If that
// fails the file is still written, for root.
func GiveAway(f *os.File) {
	if u, ok := Invoker(); ok {
		_ = f.Chown(u.UID, u.GID)
	}
}

// As does something in the folders of the user who called sudo, as that user: whatever
// links they hold then lead to nothing that the user could not reach, and what is made
// there is the user's. Without sudo it is simply done.
func As(do func() error) error {
	u, ok := Invoker()
	if !ok {
		return do()
	}
	return u.act(do)
}

// State returns the folder for what dscope remembers of the user between runs:
// $XDG_STATE_HOME/dscope, or that of the user who called sudo.
func State() (string, error) { return folder("XDG_STATE_HOME", ".local", "state") }

// Config returns the folder for what the user has said: $XDG_CONFIG_HOME/dscope, or that of
// the user who called sudo.
func Config() (string, error) { return folder("XDG_CONFIG_HOME", ".config") }

// Cache returns the folder for what can be made anew: $XDG_CACHE_HOME/dscope, or that of the
// user who called sudo.
func Cache() (string, error) { return folder("XDG_CACHE_HOME", ".cache") }

// folder returns dscope's folder below the one that a variable names, or else below usual
// in the home.
func folder(env string, usual ...string) (string, error) {
	u, sudo := Invoker()
	dir := os.Getenv(env)
	// The specification has relative ones ignored. Under sudo the variable may be root's.
	if filepath.IsAbs(dir) && (!sudo || u.owns(dir)) {
		return filepath.Join(dir, "dscope"), nil
	}
	if !sudo {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("there is no home folder: HOME is not set")
		}
		u.Home = home
	}
	if info, err := os.Stat(u.Home); err != nil || !info.IsDir() {
		return "", fmt.Errorf("there is no home folder %s", u.Home)
	}
	return filepath.Join(append(append([]string{u.Home}, usual...), "dscope")...), nil
}

// owns reports whether a folder is u's, or the one in which it would be made.
func (u User) owns(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != "/" {
			continue
		}
		if err != nil {
			return false
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		return ok && int(st.Uid) == u.UID
	}
}

// Expand replaces a leading ~/ by the home folder, as shells do.
func Expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	if u, ok := Invoker(); ok {
		return filepath.Join(u.Home, rest)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}
