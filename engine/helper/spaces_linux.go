package helper

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// spaces are the namespaces in which an asker must be where the helper is. What it starts
// for him is outside of any container: who is in one has been put there, and a session
// would lead out.
var spaces = []string{"user", "mnt", "pid"}

// sameSpaces returns nil, or why an asker is not where the helper is.
func sameSpaces(conn *net.UnixConn, a *Asker) error {
	alive, err := holdPeer(conn)
	if err != nil {
		return err
	}
	defer alive.Close()
	for _, name := range spaces {
		here, err := os.Readlink("/proc/self/ns/" + name)
		if err != nil {
			return err
		}
		there, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", a.PID, name))
		if err != nil {
			return fmt.Errorf("where you are cannot be told: %w", err)
		}
		if here != there {
			return fmt.Errorf("you are in a container or a sandbox (another %s namespace), and the helper serves those outside: run dscope outside of it", name)
		}
	}
	return alive.check()
}

// A peer is the process that has connected. Its number could have been given to another
// meanwhile, its descriptor could not.
type peer struct{ fd int }

// holdPeer asks for the process at the other end. Kernels before 6.5 do not tell; there the
// number has to do.
func holdPeer(conn *net.UnixConn) (peer, error) {
	const soPeerPIDFD = 77
	raw, err := conn.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	p := peer{-1}
	var failed error
	err = raw.Control(func(fd uintptr) {
		var n int
		if n, failed = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, soPeerPIDFD); failed == nil {
			p.fd = n
		}
	})
	if errors.Is(failed, unix.ENOPROTOOPT) {
		failed = nil
	}
	return p, errors.Join(err, failed)
}

// check returns nil while the process lives, and so has its number.
func (p peer) check() error {
	if p.fd < 0 {
		return nil
	}
	if err := unix.PidfdSendSignal(p.fd, 0, nil, 0); err != nil {
		return fmt.Errorf("who has asked is gone: %w", err)
	}
	return nil
}

func (p peer) Close() {
	if p.fd >= 0 {
		unix.Close(p.fd)
	}
}
