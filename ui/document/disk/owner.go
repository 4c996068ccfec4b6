package disk

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// An owner is a user for whom files are made.
type owner struct {
	uid, gid int
	home     string
}

// invoker returns the user who called sudo; ok is false if nobody did.
func invoker() (o owner, ok bool) {
	if os.Geteuid() != 0 {
		return owner{}, false
	}
	uid, err1 := strconv.Atoi(os.Getenv("SUDO_UID"))
	gid, err2 := strconv.Atoi(os.Getenv("SUDO_GID"))
	if err1 != nil || err2 != nil || uid == 0 {
		return owner{}, false
	}
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return owner{}, false
	}
	return owner{uid, gid, u.HomeDir}, true
}

// GiveAway makes f belong to the user who called sudo. If that fails the file
// is still written, for root.
func GiveAway(f *os.File) {
	if o, ok := invoker(); ok {
		_ = f.Chown(o.uid, o.gid)
	}
}

// asInvoker does something in the folders of the user who called sudo, as that user:
// whatever links they hold then lead to nothing that the user could not reach, and
// what is made there is the user's. Without sudo it is simply done.
func asInvoker(do func() error) error {
	o, ok := invoker()
	if !ok {
		return do()
	}
	return o.act(do)
}

// StateDir returns the folder for what dscope remembers of the user between
// runs: $XDG_STATE_HOME/dscope, or that of the user who called sudo. A home that does
// not exist is not made.
func StateDir() (string, error) {
	o, sudo := invoker()
	if dir := os.Getenv("XDG_STATE_HOME"); !sudo && filepath.IsAbs(dir) {
		return filepath.Join(dir, "dscope"), nil
	}
	if !sudo {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		o.home = home
	}
	if _, err := os.Stat(o.home); err != nil {
		return "", fmt.Errorf("there is no home folder %s", o.home)
	}
	return filepath.Join(o.home, ".local", "state", "dscope"), nil
}

// Expand replaces a leading ~/ by the home folder, as shells do.
func Expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	if o, ok := invoker(); ok {
		return filepath.Join(o.home, rest)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}
