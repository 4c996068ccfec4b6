// Package scout has files looked at and opened by a process that may be lost.
//
// The files that processes execute lie where their owners like, also on a file system that
// does not answer: a server that is gone, a FUSE daemon that hangs. Who asks such a one
// waits in the kernel, where no signal reaches him, and keeps all that he has open: a
// dscope that waits there would neither end nor let go of what it has attached. So it does
// not ask:
//
//	dscope ──(a path)──► scout: this very program, with the rights of dscope and nothing open
//	       ◄──(what it is, the open file)──
//
// Of a scout that is silent for too long nothing is waited for. It is killed, which it may not
// notice, and left behind; another takes its place. Where it hangs, nothing is asked any
// more while it does, and that is told. There may be a few of those, and then no more
// scouts are sent.
//
// A file of FUSE is read by the scout, and what comes back is a copy in memory: with the file
// itself each close would ask the daemon. A file of NFS and its like comes as it is, as who waits
// for these can be killed.
//
// A file on the device of the root, or of dscope itself, is opened here if the kernel knows its path
// without asking anybody: without those nothing goes on anyway.
//
// So is what a process maps, if its device holds a file system of this machine: /proc/PID/map_files leads
// to the file, and asks nobody on the way. A process may be gone before a scout has answered.
//
// Where nobody has said how to start a scout (Use), as in programs that only use the
// engine, or none can be started, files are opened here.
package scout

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"
)

// Within is how long a scout may be silent.
const Within = 5 * time.Second

// ErrNotRegular says that there is something else than a plain file, such as a pipe or a device.
var ErrNotRegular = errors.New("it is not a regular file")

// ErrSilent is what errors wrap that say that a file system does not answer.
var ErrSilent = errors.New("its file system does not answer")

// A File is an open file.
type File struct {
	*os.File
	Info os.FileInfo // what it was when it was opened; of a copy, the file's
	Far  bool        // another machine answers for it: who reads it may wait, and is best somebody else
}

// A Device is where files lie; zeros if that is not known.
type Device struct{ Major, Minor uint32 }

// silent says that a file system does not answer.
func silent(name string) error {
	return &os.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w (%v were waited for it)", ErrSilent, Within)}
}

// Clean returns a name, as the kernel tells it, as a path from a root.
func Clean(name string) string { return path.Clean("/" + strings.TrimSuffix(name, " (deleted)")) }
