package disk

import (
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

// giveAway makes f belong to the user who called sudo. If that fails the file
// is still written, for root.
func giveAway(f *os.File) {
	if o, ok := invoker(); ok {
		_ = f.Chown(o.uid, o.gid)
	}
}

// StateDir returns the folder for what dscope remembers of the user between
// runs: $XDG_STATE_HOME/dscope, or that of the user who called sudo.
func StateDir() (string, error) {
	if o, ok := invoker(); ok {
		return filepath.Join(o.home, ".local", "state", "dscope"), nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "dscope"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state", "dscope"), nil
}

// makeDir creates a folder and those above it, each for the user who called sudo.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	if o, ok := invoker(); ok && strings.HasPrefix(dir, o.home+string(filepath.Separator)) {
		return os.Lchown(dir, o.uid, o.gid)
	}
	return nil
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
