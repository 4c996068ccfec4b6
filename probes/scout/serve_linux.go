package scout

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// askedEnv tells a program that it has been started to be a scout.
const askedEnv = "DSCOPE_SCOUT"

// SocketFD is where a scout is asked. It needs nothing else.
const SocketFD = 3

// Asked reports whether this process was started to be a scout, and is to call Serve before it does
// anything else.
func Asked() bool { return os.Getenv(askedEnv) != "" }

// Serve makes this process a scout, until nobody asks any more. It does not return. The number is that
// by which the kernel knows it.
func Serve(number int) {
	runtime.GOMAXPROCS(1)
	if send(SocketFD, binary.NativeEndian.AppendUint32([]byte{msgBegin}, uint32(number)), nil) != nil {
		os.Exit(1)
	}
	for {
		b, _, err := receive(SocketFD, "")
		if err != nil || len(b) == 0 || !serve(b) {
			os.Exit(0) // whoever has asked is gone, or asks nonsense
		}
	}
}

// serve answers one question, if it is one.
func serve(b []byte) bool {
	const most = 8
	switch b[0] {
	case msgLook:
		i, err := os.Stat(string(b[1:]))
		return send(SocketFD, answerOf(i, itself, err), nil) == nil
	case msgOpen:
		if len(b) <= most {
			return false
		}
		dir, name, ok := bytes.Cut(b[1+most:], []byte{0})
		if !ok {
			return false
		}
		return open(string(dir), string(name), int64(binary.NativeEndian.Uint64(b[1:]))) == nil
	}
	return false
}

// open answers with the file, or with a copy.
func open(dir, name string, most int64) error {
	f, err := openHere(dir, name)
	if err != nil {
		return send(SocketFD, answerOf(nil, itself, err), nil)
	}
	whose := servedBy(f)
	if whose != unix.FUSE_SUPER_MAGIC {
		defer f.Close()
		kind := byte(itself)
		if whose != 0 {
			kind = isFar
		}
		return send(SocketFD, answerOf(f.Info, kind, nil), f.File)
	}
	c, err := copied(f, most)
	f.Close() // before it is said that all went well: this asks the daemon, too
	if err != nil {
		return send(SocketFD, answerOf(nil, itself, err), nil)
	}
	defer c.Close()
	return send(SocketFD, answerOf(f.Info, isCopy, nil), c)
}

// servedBy returns the kind of file system that f is on, as statfs(2) has it, if a process or another
// machine has to answer for it; else 0.
func servedBy(f *File) int64 {
	var fs unix.Statfs_t
	var st unix.Stat_t
	if unix.Fstatfs(int(f.Fd()), &fs) != nil || unix.Fstat(int(f.Fd()), &st) != nil || slices.Contains(ours(), st.Dev) {
		return 0
	}
	switch kind := int64(fs.Type) & 0xffffffff; kind {
	case unix.FUSE_SUPER_MAGIC, unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.CEPH_SUPER_MAGIC, unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.NCP_SUPER_MAGIC:
		return kind
	}
	return 0
}

// copied returns a copy of a file in memory, which nobody can change any more.
func copied(f *File, most int64) (_ *os.File, err error) {
	if size := f.Info.Size(); size > most {
		return nil, fmt.Errorf("it lies on a file system that a process serves (FUSE), and with %d bytes is too large for a copy (now at most %d)", size, most)
	}
	fd, err := unix.MemfdCreate("copy", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("copy it: %w", err)
	}
	c := os.NewFile(uintptr(fd), f.Name())
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	const step = 1 << 20
	for left := f.Info.Size(); left > 0; {
		n, err := io.CopyN(c, f, min(left, step))
		if err == io.EOF {
			break // it has become shorter
		}
		if err != nil {
			return nil, fmt.Errorf("copy it: %w", err)
		}
		left -= n
		if err := send(SocketFD, []byte{msgBusy}, nil); err != nil {
			return nil, err
		}
	}
	if _, err := c.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	return c, err
}
